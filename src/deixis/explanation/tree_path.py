"""The path to an entity through the label tree, step by step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deixis.candidates.edited_sources import EditedLabelTree
from deixis.candidates.sources.label_tree import LabelTreeSource
from deixis.explanation.records import NGram, TreeStep
from deixis.explanation.tree_view import topics_of
from deixis.types import MentionInContext
from deixis.xmr.tree_paths import PathStep, labels_below, path_to

N_NGRAMS = 8


def tree_steps(
    source: LabelTreeSource | EditedLabelTree | None, mention: MentionInContext, row: int
) -> Iterator[TreeStep]:
    """The path to the entity in every tree; empty if there is no tree, or no n-gram of the mention is known.

    The tree is as it was built: an edited entity stands where it stood, an added one nowhere.
    """
    if isinstance(source, EditedLabelTree):
        built_row = source.edited.built_row(row)
        if built_row is not None:
            yield from tree_steps(source.tree, mention, built_row)
        return
    if source is None:
        return
    features, ranker = source.features, source.ranker
    contexts = [mention.context(source.config.features.context_window)] if features.has_context else []
    query = features.transform([mention.text], contexts, n_threads=1)
    if not query.nnz:
        return
    for number, tree in enumerate(ranker.trees):
        steps = path_to(tree, row, query, ranker.config.beam)
        for step in steps:
            topics: tuple[str, ...] = (source.kb.titles[row],)
            if step is not steps[-1]:
                topics = topics_of(source, labels_below(tree, step.level, step.node))
            yield _step(source, number, step, topics)


def _step(source: LabelTreeSource, tree: int, step: PathStep, topics: tuple[str, ...]) -> TreeStep:
    contributions = step.values.astype(np.float64) * step.weights
    shown = np.lexsort((step.columns, -np.abs(contributions)))[:N_NGRAMS]
    shown = shown[contributions[shown] != 0]
    names = source.features.feature_names(step.columns[shown])
    ngrams = tuple(
        NGram(name, float(step.values[each]), float(step.weights[each]), float(contributions[each]))
        for name, each in zip(names, shown, strict=True)
    )
    rest = float(contributions.sum() - contributions[shown].sum())
    return TreeStep(
        tree, step.level, step.node, step.n_labels, topics, step.bias, ngrams, rest, step.margin,
        float(np.exp(step.path_log_score)),
    )  # fmt: skip
