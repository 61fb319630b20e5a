"""Which instances each parent's rankers learn from (XMRED, Eq. 7): its own, and those the matcher sends there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.scipy_sparse import sparse
from deixis.xmr.label_tree import LabelTree
from deixis.xmr.sparse_rows import SparseRows


def docs_by_nodes(docs_by_positions: SparseRows, tree: LabelTree, level: int) -> SparseRows:
    """Where a node of `level` holds labels of the instance, their largest value; below the last level are labels."""
    if level == tree.n_levels:
        return docs_by_positions
    nodes = tree.nodes_of_positions(level)[docs_by_positions.indices].astype(np.int32)
    is_first = np.ones(len(nodes), dtype=bool)
    # Places ascend within a row, and so do their nodes: repeats stand next to each other.
    is_first[1:] = nodes[1:] != nodes[:-1]
    row_starts = docs_by_positions.indptr[:-1]
    is_first[row_starts[row_starts < len(nodes)]] = True
    n_before = np.concatenate([[0], np.cumsum(is_first)])
    first_nodes = nodes[is_first]
    n_nodes = len(tree.child_starts[level]) - 1
    firsts = np.flatnonzero(is_first)
    values = np.maximum.reduceat(docs_by_positions.data, firsts) if len(firsts) else docs_by_positions.data
    return SparseRows(n_before[docs_by_positions.indptr], first_nodes, values, n_nodes)


def teacher_forcing(docs_by_parents: SparseRows) -> sparse.csc_matrix:
    """Each parent's instances (columns of the result): those with a label under it."""
    return docs_by_parents.matrix().tocsc()


def with_matched(
    docs_by_parents: SparseRows, matched_indptr: NDArray[np.int64], matched_parents: NDArray[np.int32]
) -> sparse.csc_matrix:
    """Teacher forcing, and besides the instances that the levels above send to a parent by mistake."""
    ones = np.ones(len(matched_parents), dtype=np.float32)
    shape = (docs_by_parents.n_rows, docs_by_parents.n_columns)
    matched = sparse.csr_matrix((ones, matched_parents, matched_indptr), shape=shape)
    return _sorted((docs_by_parents.matrix() + matched).tocsc())


def with_random(instances: sparse.csc_matrix, n_random: int, seed: int) -> sparse.csc_matrix:
    """Besides a parent's instances, `n_random` drawn from all of them; what is its own anyway counts once.

    A label that all instances of its parent have has no negatives there and would look right for anything; and the
    labels of a parent without instances would be left at a margin of 0, above those that have learned to say no.
    """
    n_docs, n_parents = instances.shape
    if n_random == 0 or n_parents == 1:  # the root has all instances
        return instances
    docs = np.random.default_rng(seed).integers(0, n_docs, size=n_parents * n_random, dtype=np.int32)
    indptr = np.arange(n_parents + 1, dtype=np.int64) * n_random
    ones = np.ones(len(docs), dtype=np.float32)
    drawn = sparse.csc_matrix((ones, docs, indptr), shape=instances.shape)
    drawn.sum_duplicates()
    return _sorted((instances + drawn).tocsc())


def _sorted(instances: sparse.csc_matrix) -> sparse.csc_matrix:
    instances.sort_indices()
    return instances
