"""Other features once more, for mentions that were seen annotated; 0 for all other mentions.

What annotated documents say of a name is worth more than what the knowledge base says of it.
"""

from __future__ import annotations

import numpy as np

from deixis.ranking.feature import Column, FeatureContext, RankingFeature, feature
from deixis.ranking.features.popularity import popularity
from deixis.ranking.features.sources import alias, label_tree_log, names, prior
from deixis.ranking.features.words import around


@feature(
    "learned", "the mention was seen annotated, and is one of its names", sign="+", needs=["alias"], reads_context=False
)
def learned(context: FeatureContext) -> Column:
    """1 where an annotated name is known to mean it."""
    return _where_seen(context, alias)


@feature(
    "learned_prior",
    "logarithm of how often the name means it, if it was seen annotated",
    sign="+",
    needs=["alias"],
    reads_context=False,
)
def learned_prior(context: FeatureContext) -> Column:
    """Counted in annotated documents, a prior can be trusted."""
    return _where_seen(context, prior)


@feature(
    "learned_label_tree",
    "logarithm of the label tree's score, if the mention was seen annotated",
    sign="+",
    needs=["label_tree"],
    reads_context=False,
)
def learned_label_tree(context: FeatureContext) -> Column:
    """Of names that the label tree was trained on."""
    return _where_seen(context, label_tree_log)


@feature(
    "learned_names",
    "similarity of its best name, if the mention was seen annotated",
    needs=["names"],
    reads_context=False,
)
def learned_names(context: FeatureContext) -> Column:
    """Names count less where it is known what the mention means."""
    return _where_seen(context, names)


@feature("learned_popularity", "popularity, if the mention was seen annotated", reads_context=False)
def learned_popularity(context: FeatureContext) -> Column:
    """Popularity counts less where it is known what the mention means."""
    return _where_seen(context, popularity)


@feature(
    "learned_around", "cosine similarity of its description to the words around, if the mention was seen annotated"
)
def learned_around(context: FeatureContext) -> Column:
    """The context counts less where it is known what the mention means."""
    return _where_seen(context, around)


def _where_seen(context: FeatureContext, feature: RankingFeature) -> Column:
    """What a feature says of the candidates of mentions that were seen annotated, 0 for all others."""
    if not context.has_seen:
        return context.zeros
    return context.per_candidate(context.is_seen).astype(np.float32) * feature(context)
