"""Initials, names that descriptions state, peoples of places, and entries that are no thing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.features.acronyms import acronym_of_mention
from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features.sources import alias
from deixis.ranking.own_names import beginnings, initials_of, name_keys


@feature("initials", "the mention is the initials of its title", sign="+", reads_context=False)
def initials(context: FeatureContext) -> Column:
    """1 where a mention in capitals has the first letters of the title's words."""
    own, letters = context.facts.own_names, [acronym_of_mention(text) for text in context.texts]
    if own is None or not any(letters):
        return np.zeros(len(context.rows), dtype=np.float32)
    is_written = own.initials[context.rows] == context.per_candidate(initials_of(letters))
    return np.asarray(is_written, dtype=np.float32)


@feature("stated", "its description states the mention as a name", sign="+", reads_context=False)
def stated(context: FeatureContext) -> Column:
    """1 where the description says that it is also called so."""
    own, column = context.facts.own_names, np.zeros(len(context.rows), dtype=np.float32)
    if own is None:
        return column
    named = np.flatnonzero(alias(context)) if "alias" in context.table.signals else np.arange(len(column))
    keys = context.per_candidate(name_keys(context.texts, 1))[named]
    column[named] = own.is_stated(context.rows[named], keys)
    return column


@feature(
    "people", "popularity, if the mention begins as one of its names does, but is none", sign="+", reads_context=False
)
def people(context: FeatureContext) -> Column:
    """Where the first four letters agree, as those of peoples and languages do with their places, if it is known."""
    own, column = context.facts.own_names, np.zeros(len(context.rows), dtype=np.float32)
    starts = beginnings(context.texts, 1)
    if own is None or not starts.any():
        return column
    candidates = np.flatnonzero((context.per_candidate(starts) > 0) & (context.shared(is_named) == 0))
    column[candidates] = own.is_begun(context.rows[candidates], context.per_candidate(starts)[candidates])
    return column * context.popularity


@feature("thing", "it is a thing, not a list or a page of namesakes", sign="+", reads_context=False)
def thing(context: FeatureContext) -> Column:
    """0 for an entry that lists what bears a name, or members."""
    own = context.facts.own_names
    if own is None:
        return np.ones(len(context.rows), dtype=np.float32)
    return (1 - own.is_name_page[context.rows]).astype(np.float32)


def is_named(context: FeatureContext) -> NDArray[np.float32]:
    """1 where the knowledge base or annotated text calls it so; initials and what its description states are less."""
    column: NDArray[np.float32] = alias(context) * (1 - np.maximum(initials(context), stated(context)))
    return column
