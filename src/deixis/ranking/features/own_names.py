"""Initials, names that descriptions state, peoples of places, and entries that are no thing."""

from __future__ import annotations

from deixis.ranking.feature import Column, FeatureContext, feature


@feature("initials", "the mention is the initials of its title", sign="+", reads_context=False)
def initials(context: FeatureContext) -> Column:
    """1 where a mention in capitals has the first letters of the title's words."""
    return context.names.initials


@feature("stated", "its description states the mention as a name", sign="+", reads_context=False)
def stated(context: FeatureContext) -> Column:
    """1 where the description says that it is also called so."""
    return context.names.stated


@feature(
    "people", "popularity, if the mention begins as one of its names does, but is none", sign="+", reads_context=False
)
def people(context: FeatureContext) -> Column:
    """Where the first four letters agree, as those of peoples and languages do with their places, if it is known."""
    return context.names.people


@feature("thing", "it is a thing, not a list or a page of namesakes", sign="+", reads_context=False)
def thing(context: FeatureContext) -> Column:
    """0 for an entry that lists what bears a name, or members."""
    return context.names.thing
