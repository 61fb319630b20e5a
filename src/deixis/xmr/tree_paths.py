"""Why a tree gives a label its score: the way from the root to it, step by step, feature by feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.model import RankedTree


@dataclass(frozen=True, eq=False)
class PathStep:
    """One step down: `margin` is the bias and the sum of `values * weights`, to the rounding of the last bits.

    `log_score` is what the step itself counts, `path_log_score` what the way so far counts.
    """

    level: int
    node: int
    n_labels: int
    bias: float
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]
    margin: float
    log_score: float
    path_log_score: float


def path_to(tree: RankedTree, label: int, row: sparse.csr_matrix, config: BeamConfig) -> list[PathStep]:
    """The steps to a label for one row of features; the last one's `path_log_score` is the search's score, as its log.

    Examples
    --------
    >>> from deixis.xmr.model import LabelTreeRanker
    >>> X = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> ranker = LabelTreeRanker().fit(X, X)
    >>> step = path_to(ranker.trees[0], 1, X[1], ranker.config.beam)[-1]
    >>> bool(np.isclose(np.exp(step.path_log_score), ranker.rank(X[1], 1).data[0], atol=1e-5))
    True
    """
    order = np.argsort(row.indices)
    columns, values = row.indices[order].astype(np.int32), row.data[order].astype(np.float32)
    steps: list[PathStep] = []
    inherited = 0.0
    for level, parent, node in nodes_to(tree, label):
        rankers = tree.levels[level]
        used = rankers.weights_of(parent, node, columns, tree.n_features)
        bias = float(rankers.arrays["biases"][node])
        margin = bias + float(values.astype(np.float64) @ used.astype(np.float64))
        own = _log_score(margin, config)
        inherited = own + config.memory * inherited
        n_labels = len(labels_below(tree, level, node))
        steps.append(PathStep(level, node, n_labels, bias, columns, values, used, margin, own, inherited))
    return steps


def nodes_to(tree: RankedTree, label: int) -> Iterator[tuple[int, int, int]]:
    """Level, parent and child of each step from the root to a label; the last child is the label's place."""
    node = int(np.flatnonzero(tree.tree.label_order == label)[0])
    way = [node]
    for starts in reversed(tree.tree.child_starts):
        node = int(np.searchsorted(starts, node, side="right")) - 1
        way.append(node)
    way.reverse()
    for level in range(len(way) - 1):
        yield level, way[level], way[level + 1]


def labels_below(tree: RankedTree, level: int, node: int) -> NDArray[np.int32]:
    """The labels below a child of this level, in the order of the tree; a label alone for itself."""
    first, last = node, node + 1
    for starts in tree.tree.child_starts[level + 1 :]:
        first, last = int(starts[first]), int(starts[last])
    return tree.tree.label_order[first:last]


def _log_score(margin: float, config: BeamConfig) -> float:
    if config.power_code == 0:
        return float(-np.logaddexp(0.0, -margin))
    return -(max(0.0, 1.0 - margin) ** config.power)
