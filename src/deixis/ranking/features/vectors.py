"""What vectors of texts and of names say of a candidate."""

from __future__ import annotations

import numpy as np

from deixis.ranking.feature import Column, FeatureContext, feature

MIN_SPREAD = 0.02  # of cosines: smaller differences between candidates are noise


@feature(
    "vectors",
    "similarity of its best text's vector to the mention in context, in standard deviations",
    sign="+",
    needs=["vectors"],
)
def vectors(context: FeatureContext) -> Column:
    """How far its similarity is above the mean of the mention's candidates, in standard deviations.

    Cosines of one encoder lie between 0.1 and 0.3, of another between 0.4 and 0.9: deviations can have one weight.
    """
    return _deviations(context, "vectors")


@feature(
    "name_vectors",
    "similarity of its best name's vector to the mention's, in standard deviations",
    sign="+",
    needs=["name_vectors"],
    reads_context=False,
)
def name_vectors(context: FeatureContext) -> Column:
    """How far the similarity of its best name is above the mean of the mention's candidates, likewise."""
    return _deviations(context, "name_vectors")


def _deviations(context: FeatureContext, source: str) -> Column:
    similarity, table = context.source(source).astype(np.float64), context.table
    n_candidates = table.group_sum(np.ones(len(similarity)))
    away = similarity - table.group_sum(similarity) / n_candidates
    spread = np.sqrt(table.group_sum(away**2) / n_candidates)
    return (away / np.maximum(spread, MIN_SPREAD)).astype(np.float32)
