"""Titles, ids and aliases of a candidate."""

from __future__ import annotations

import numpy as np

from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.own_names import name_keys


@feature("title", "the mention is its title", sign="+", reads_context=False)
def title(context: FeatureContext) -> Column:
    """1 where the mention is the title, whatever case and accents."""
    return context.shared(_is_title_and_id)[0]


@feature("id", "the mention is its id", sign="+", reads_context=False)
def entity_id(context: FeatureContext) -> Column:
    """1 where the mention is the id."""
    return context.shared(_is_title_and_id)[1]


@feature("n_names", "logarithm of the number of its aliases", reads_context=False)
def n_names(context: FeatureContext) -> Column:
    """Entities with many names are often known ones."""
    return context.log_sizes[1]


def _is_title_and_id(context: FeatureContext) -> tuple[Column, Column]:
    """Whether each candidate's title is the mention, and whether its id is."""
    keys, own = context.per_candidate(name_keys(context.texts, 1)), context.facts.keys.take(context.rows, axis=0)
    return (keys == own[:, 0]).astype(np.float32), (keys == own[:, 1]).astype(np.float32)
