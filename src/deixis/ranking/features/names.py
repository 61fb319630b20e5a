"""Titles, ids and aliases of a candidate."""

from __future__ import annotations

from deixis.ranking.feature import Column, FeatureContext, feature


@feature("title", "the mention is its title", sign="+", reads_context=False)
def title(context: FeatureContext) -> Column:
    """1 where the mention is the title, whatever case and accents."""
    return context.names.title


@feature("id", "the mention is its id", sign="+", reads_context=False)
def entity_id(context: FeatureContext) -> Column:
    """1 where the mention is the id."""
    return context.names.id


@feature("n_names", "logarithm of the number of its aliases", reads_context=False)
def n_names(context: FeatureContext) -> Column:
    """Entities with many names are often known ones."""
    return context.names.n_names
