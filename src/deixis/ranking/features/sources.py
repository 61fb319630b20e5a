"""What candidate sources say of a candidate."""

from __future__ import annotations

import numpy as np

from deixis.ranking.feature import Column, FeatureContext, feature

MIN_PROBABILITY = 1e-3  # a smaller probability or score counts as this one where its logarithm is taken


@feature("names", "similarity of its best name", sign="+", needs=["names"], reads_context=False)
def names(context: FeatureContext) -> Column:
    """The cosine of its most similar name with the mention."""
    return context.source("names")


@feature("names_squared", "similarity of its best name, squared", sign="+", needs=["names"], reads_context=False)
def names_squared(context: FeatureContext) -> Column:
    """Tells similar names from very similar ones."""
    return context.source("names") ** 2


@feature("spelling", "spelling similarity of its best name", sign="+", needs=["spelling"], reads_context=False)
def spelling(context: FeatureContext) -> Column:
    """The edit similarity of its most similar name."""
    return context.source("spelling")


@feature("label_tree", "score of the label tree", sign="+", needs=["label_tree"], reads_context=False)
def label_tree(context: FeatureContext) -> Column:
    """The score of the label tree."""
    return context.source("label_tree")


@feature("label_tree_log", "logarithm of the label tree's score", sign="+", needs=["label_tree"], reads_context=False)
def label_tree_log(context: FeatureContext) -> Column:
    """Orders as the label tree does."""
    return np.log(np.maximum(context.source("label_tree"), MIN_PROBABILITY))


@feature("alias", "the mention is one of its names", sign="+", needs=["alias"], reads_context=False)
def alias(context: FeatureContext) -> Column:
    """1 where the mention is known to mean it."""
    return (context.source("alias") > 0).astype(np.float32)


@feature("prior", "logarithm of how often the name means it", sign="+", needs=["alias"], reads_context=False)
def prior(context: FeatureContext) -> Column:
    """The logarithm of the prior, p(entity given name); 0 where the mention is not its name."""
    return alias(context) * np.log(np.maximum(context.source("alias"), MIN_PROBABILITY))
