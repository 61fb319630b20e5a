"""What the other mentions of a document say of a candidate."""

from __future__ import annotations

from deixis.ranking.context_words import ContextWords
from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features.words import levelled


@feature("others", "cosine similarity of its description to the document's other mentions", sign="+")
def others(context: FeatureContext) -> Column:
    """To the words of the document's other mentions that are not the mention's own, levelled."""
    return levelled(context.shared(ContextWords).other_mentions)
