"""Label trees by hierarchical k-means, balanced (XMRED, Algorithm 1) or with clusters of any size (after Bonsai).

Algorithm 1 splits every node into K until it has at most B labels, and may end in many tiny leaves; that is a `full`
tree. A `balanced` one has the same depth, the least that leaves at most B labels in a leaf with at most K children a
node, and no more leaves than it needs. A `free` tree has that depth, too; its leaves are half full on average, and none
has more than B labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError, StoreError
from deixis.native import _core
from deixis.store.part import Part
from deixis.xmr.sparse_rows import SparseRows


@dataclass(frozen=True)
class TreeConfig(Config):
    """How labels are grouped."""

    branching: int = setting(16, "Children of an inner node, at most (K).", low=2, high=_core.MAX_CHILDREN)
    max_leaf_size: int = setting(100, "Labels in a leaf, at most (B).", low=1, high=_core.MAX_CHILDREN)
    max_sample: int = setting(16384, "Labels on which the centres of a large node are found.", low=2, is_fixed=True)
    max_rounds: int = setting(10, "Rounds of 2-means for each cut.", low=1, is_fixed=True)
    balance: Literal["balanced", "full", "free"] = setting(
        "balanced", "Few leaves of one size, always K children, or leaves of their clusters' size."
    )


@dataclass(frozen=True)
class LabelTree(Part):
    """A tree whose every node is a run of `label_order`.

    Level t's nodes are the parents of level t + 1's: children of parent v are `child_starts[t][v]` up to
    `child_starts[t][v + 1]`. Level 0 has the root alone; the last level's children are places in `label_order`.

    Examples
    --------
    >>> tree = plan_tree(1000, TreeConfig(branching=4, max_leaf_size=20))
    >>> [len(starts) - 1 for starts in tree]
    [1, 4, 16, 50]
    """

    child_starts: tuple[NDArray[np.int64], ...]
    label_order: NDArray[np.int32]

    @property
    def n_levels(self) -> int:
        """Steps from the root to a label."""
        return len(self.child_starts)

    @property
    def n_labels(self) -> int:
        """How many labels the tree holds."""
        return len(self.label_order)

    def nodes_of_positions(self, level: int) -> NDArray[np.int64]:
        """For each place of `label_order`, the node of level `level` it lies under (level 0 is the root)."""
        starts = self.child_starts[-1]
        for upper in reversed(self.child_starts[level:-1]):
            starts = starts[upper]
        return np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def positions(self) -> NDArray[np.int32]:
        """For each label, its place in `label_order`."""
        positions = np.empty(self.n_labels, dtype=np.int32)
        positions[self.label_order] = np.arange(self.n_labels, dtype=np.int32)
        return positions

    def check_parts(self, prefix: str) -> None:
        """Every level is whole, every label in exactly one place."""
        n_nodes = 1
        for t, starts in enumerate(self.child_starts):
            sizes = np.diff(starts)
            is_whole = n_nodes > 0 and len(starts) == n_nodes + 1 and starts[0] == 0
            if not is_whole or sizes.min() < 0 or sizes.max() > _core.MAX_CHILDREN:
                raise StoreError(f"{prefix}.child_starts.{t} is not a level of a label tree: the model is damaged.")
            n_nodes = int(starts[-1])
        order = self.label_order
        is_placed = np.zeros(len(order), dtype=bool)
        if len(order) and 0 <= order.min() and order.max() < len(order):
            is_placed[order] = True
        if not self.child_starts or not len(order) or n_nodes != len(order) or not is_placed.all():
            raise StoreError(f"{prefix}.label_order does not name every label once: the model is damaged.")


def plan_tree(n_labels: int, config: TreeConfig) -> list[NDArray[np.int64]]:
    """The `child_starts` of every level: a shape that depends on the number of labels only."""
    depth = n_inner_levels(n_labels, config)
    n_leaves = max(1, math.ceil(n_labels / config.max_leaf_size))
    if config.balance == "full":
        n_leaves = min(n_labels, config.branching**depth)
    levels: list[NDArray[np.int64]] = []
    leaves_per_node = [n_leaves]
    for level in range(depth):
        # Each node splits into the number of children that, kept up, reaches single leaves at full depth.
        remaining = depth - level
        splits = [_split_evenly(n, math.ceil(round(n ** (1 / remaining), 9))) for n in leaves_per_node]
        levels.append(np.cumsum([0, *(len(parts) for parts in splits)], dtype=np.int64))
        leaves_per_node = [n for parts in splits for n in parts]
    levels.append(np.arange(n_leaves + 1, dtype=np.int64) * n_labels // n_leaves)
    return levels


def n_inner_levels(n_labels: int, config: TreeConfig) -> int:
    """Steps from the root to a leaf: the least that can hold all labels."""
    depth = 0
    while config.branching**depth * config.max_leaf_size < n_labels:
        depth += 1
    return depth


def _split_evenly(n: int, n_parts: int) -> list[int]:
    return [(i + 1) * n // n_parts - i * n // n_parts for i in range(n_parts)]


def build_label_tree(
    labels_by_features: SparseRows, config: TreeConfig, seed: int = 0, n_threads: int = 0
) -> LabelTree:
    """The tree of the labels whose unit feature rows are given."""
    n_labels = labels_by_features.n_rows
    if n_labels == 0:
        raise ConfigError("A label tree needs at least one label, got none.")
    child_starts = plan_tree(n_labels, config)
    if len(child_starts) == 1:
        return LabelTree(tuple(child_starts), np.arange(n_labels, dtype=np.int32))
    if config.balance == "free":
        return _free_tree(labels_by_features, config, seed, n_threads)
    row_starts = [child_starts[-1]]
    for upper in reversed(child_starts[1:-1]):
        row_starts.insert(0, row_starts[0][upper])
    order = _core.balanced_order(
        labels_by_features.indptr,
        labels_by_features.indices,
        labels_by_features.data,
        labels_by_features.n_columns,
        row_starts,
        child_starts[1:],
        config.max_sample,
        config.max_rounds,
        seed,
        n_threads,
    )
    return LabelTree(tuple(child_starts), order)


def _free_tree(labels_by_features: SparseRows, config: TreeConfig, seed: int, n_threads: int) -> LabelTree:
    order, child_starts = _core.free_tree(
        labels_by_features.indptr,
        labels_by_features.indices,
        labels_by_features.data,
        labels_by_features.n_columns,
        config.branching,
        config.max_leaf_size,
        n_inner_levels(labels_by_features.n_rows, config),
        config.max_sample,
        config.max_rounds,
        seed,
        n_threads,
    )
    return LabelTree(tuple(child_starts), order)
