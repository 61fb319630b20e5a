"""A level of rankers in runs of its parents: each run is learned by itself, and together they are the level.

What a parent learns depends on its own instances and its number only. So runs are what an interrupted build keeps, and
what several processes or machines share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deixis.scipy_sparse import sparse
from deixis.store.build_folder import PART, Arrays, build_folder, saved_part
from deixis.xmr.label_tree import LabelTree
from deixis.xmr.linear_rankers import RankerConfig, RankerLevel, joined_levels, train_level
from deixis.xmr.sparse_rows import SparseRows

LevelRun = tuple[int, int, int, int]
"""The number of a tree, a level of it, the first parent of a run and the one after the last."""
RUN_INSTANCES = 1 << 18
"""Instances of the parents of a run; a parent that has more is a run by itself, since its children learn together."""


def runs_of(n_instances: NDArray[np.integer], most: int) -> list[range]:
    """The parents in runs with about `most` instances; they depend on the data only, not on who learns them.

    Examples
    --------
    >>> runs_of(np.array([3, 3, 9, 1, 1]), most=6)
    [range(0, 2), range(2, 3), range(3, 5)]
    """
    runs, first, total = [], 0, 0
    for parent, n in enumerate(n_instances.tolist()):
        if parent > first and total + n > most:
            runs.append(range(first, parent))
            first, total = parent, 0
        total += n
    return [*runs, range(first, len(n_instances))]


def in_tree_order(docs_by_labels: SparseRows, tree: LabelTree) -> SparseRows:
    """The same matrix with columns in the tree's order, ascending within rows."""
    matrix = sparse.csr_matrix(
        (docs_by_labels.data, tree.positions()[docs_by_labels.indices], docs_by_labels.indptr),
        shape=(docs_by_labels.n_rows, docs_by_labels.n_columns),
    )
    matrix.sort_indices()
    return SparseRows.of(matrix)


def train_in_runs(
    name: str,
    docs_by_features: SparseRows,
    docs_by_children: SparseRows,
    instances: sparse.csc_matrix,
    child_starts: NDArray[np.int64],
    config: RankerConfig,
    seed: int = 0,
    n_threads: int = 0,
    *,
    is_soft: bool = False,
    runs: Sequence[range] | None = None,
) -> RankerLevel:
    """The rankers of a level; a build that keeps its parts keeps each run under `name` and its first parent.

    With `runs`, only those, for the process that was given them; the others are empty.
    """
    if build_folder() is None:
        return train_level(
            docs_by_features, docs_by_children, instances, child_starts, config, seed, n_threads, is_soft=is_soft
        )

    def trained(run: range) -> RankerLevel:
        own = sparse.csc_matrix(instances[:, run.start : run.stop])
        own.sort_indices()
        starts = child_starts[run.start : run.stop + 1]
        return train_level(
            docs_by_features, docs_by_children, own, starts, config, seed, n_threads,
            is_soft=is_soft, first_parent=run.start,
        )  # fmt: skip

    def read(run: range, arrays: Arrays) -> RankerLevel:
        starts = child_starts[run.start : run.stop + 1]
        level = RankerLevel.from_arrays(arrays, PART, starts - starts[0], docs_by_features.n_columns)
        return replace(level, child_starts=starts)

    chosen = runs_of(np.diff(instances.indptr), RUN_INSTANCES) if runs is None else runs
    levels = [saved_part(f"{name}.{run.start}", partial(trained, run), partial(read, run)) for run in chosen]
    return joined_levels(levels)
