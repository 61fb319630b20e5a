"""A block index of a few rows over very many columns: only the columns that the rows have are stored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig


class CompressedIndex:
    """The same as a `BlockIndex` of the rows, made in no time however many columns there are; it is not stored.

    Examples
    --------
    >>> rows = sparse.csr_matrix((np.ones(2, np.float32), ([0, 1], [7, 999_999])), shape=(2, 1_000_000))
    >>> CompressedIndex.build(rows, np.arange(2), BlockIndexConfig(), 2).search(rows[1], k=2).indices.tolist()
    [1]
    """

    def __init__(self, columns: NDArray[np.integer], index: BlockIndex, n_columns: int) -> None:
        self.columns = columns
        self.index = index
        self.n_columns = n_columns

    @classmethod
    def build(
        cls, rows: sparse.csr_matrix, groups: NDArray[np.integer], config: BlockIndexConfig, n_groups: int
    ) -> CompressedIndex:
        """The index of `rows`; `groups[i]` is what row `i` stands for."""
        columns, indices = np.unique(rows.indices, return_inverse=True)
        own = sparse.csr_matrix((rows.data, indices.astype(np.int32), rows.indptr), shape=(rows.shape[0], len(columns)))
        return cls(columns, BlockIndex.build(own, groups, config, n_groups), rows.shape[1])

    def search(
        self,
        queries: sparse.csr_matrix,
        k: int,
        n_threads: int = 0,
        max_blocks: int | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> sparse.csr_matrix:
        """queries_by_groups: the best `k` groups of each query, as `BlockIndex.search` gives them."""
        if not len(self.columns):
            nothing = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32), np.zeros_like(queries.indptr)
            return sparse.csr_matrix(nothing, shape=(queries.shape[0], self.index.n_groups))
        positions = np.minimum(np.searchsorted(self.columns, queries.indices), len(self.columns) - 1)
        is_held = self.columns[positions] == queries.indices
        n_before = np.concatenate([[0], np.cumsum(is_held)])
        own = sparse.csr_matrix(
            (queries.data[is_held], positions[is_held].astype(np.int32), n_before[queries.indptr]),
            shape=(queries.shape[0], len(self.columns)),
        )
        return self.index.search(own, k, n_threads, max_blocks, mask)


def first_columns(rows: sparse.csr_matrix, n_columns: int) -> sparse.csr_matrix:
    """The rows without the columns from `n_columns` on.

    Examples
    --------
    >>> first_columns(sparse.csr_matrix(np.array([[1.0, 2.0, 3.0]])), 2).toarray().tolist()
    [[1.0, 2.0]]
    """
    if rows.shape[1] <= n_columns:
        return rows
    is_held = rows.indices < n_columns
    if is_held.all():
        return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns))
    n_before = np.concatenate([[0], np.cumsum(is_held)])
    return sparse.csr_matrix(
        (rows.data[is_held], rows.indices[is_held], n_before[rows.indptr]), shape=(rows.shape[0], n_columns)
    )
