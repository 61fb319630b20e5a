"""How popular a candidate is: how often texts are known to mention it."""

from __future__ import annotations

from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features.words import mention_fully_in_description


@feature("popularity", "popularity", sign="+", reads_context=False)
def popularity(context: FeatureContext) -> Column:
    """Popularity, 0 to 1."""
    return context.popularity


@feature(
    "popularity_unnamed",
    "popularity, if the mention is not one of its names",
    sign="+",
    needs=["alias"],
    reads_context=False,
)
def popularity_unnamed(context: FeatureContext) -> Column:
    """Without a name that fits, popularity counts more."""
    return context.popularity * (1 - context.names.named)


@feature("popularity_described", "popularity, if only its description has the mention", sign="+", reads_context=False)
def popularity_described(context: FeatureContext) -> Column:
    """What a description says of a popular entity is more often meant."""
    return context.popularity * mention_fully_in_description(context)
