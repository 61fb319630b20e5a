"""A block index of a few rows over very many columns: only the columns that the rows have are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.native import _core
from deixis.nearest.core_rows import core_rows
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.scipy_sparse import sparse
from deixis.tables import FlatRows

MAX_BLOCKS = 32  # opened for one query, at most: half of what it takes among a whole list
N_MORE = 16  # groups searched for besides, so that the nearly equal last ones are told apart by exact scores


class CompressedIndex:
    """The same as a `BlockIndex` of the rows, made in no time however many columns there are; it is not stored.

    Scores are exact, so the same rows get the same ones in an index of few and of many others.

    Examples
    --------
    >>> rows = sparse.csr_matrix((np.ones(2, np.float32), ([0, 1], [7, 999_999])), shape=(2, 1_000_000))
    >>> CompressedIndex.build(rows, np.arange(2), BlockIndexConfig(), 2).search(rows[1], k=2).indices.tolist()
    [1]
    """

    def __init__(
        self,
        columns: NDArray[np.integer],
        index: BlockIndex,
        rows: sparse.csr_matrix,
        starts: NDArray[np.int64],
        n_columns: int,
    ) -> None:
        self.columns = columns
        self.index = index
        self.rows = rows  # over `columns`
        self.starts = starts  # of the rows of each group
        self.n_columns = n_columns
        self._core_rows = core_rows(rows, "rows")

    @classmethod
    def build(
        cls, rows: sparse.csr_matrix, groups: NDArray[np.integer], config: BlockIndexConfig, n_groups: int
    ) -> CompressedIndex:
        """The index of `rows`; `groups[i]` is what row `i` stands for, and never falls."""
        columns, indices = np.unique(rows.indices, return_inverse=True)
        own = sparse.csr_matrix((rows.data, indices.astype(np.int32), rows.indptr), shape=(rows.shape[0], len(columns)))
        starts = np.searchsorted(groups, np.arange(n_groups + 1)).astype(np.int64)
        return cls(columns, BlockIndex.build(own, groups, config, n_groups), own, starts, rows.shape[1])

    def search(
        self,
        queries: FlatRows | sparse.csr_matrix,
        k: int,
        n_threads: int = 0,
        max_blocks: int | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> FlatRows:
        """queries_by_groups: the best `k` groups of each query, stored best first, each with its best row's score."""
        if not len(self.columns):
            return FlatRows.empty(queries.shape[0], self.index.n_groups)
        positions = np.minimum(np.searchsorted(self.columns, queries.indices), len(self.columns) - 1)
        is_held = self.columns[positions] == queries.indices
        n_before = np.concatenate([[0], np.cumsum(is_held)])
        shape = queries.shape[0], len(self.columns)
        own = FlatRows(n_before[queries.indptr], positions[is_held].astype(np.int32), queries.data[is_held], shape)
        ranking = self.index.search(own, k + N_MORE, n_threads, max_blocks or MAX_BLOCKS, mask)
        return self._exact(own, ranking, k, n_threads)

    def all_rows(self) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """The rows, over all columns, and the group of each."""
        shape = (self.rows.shape[0], self.n_columns)
        rows = sparse.csr_matrix((self.rows.data, self.columns[self.rows.indices], self.rows.indptr), shape=shape)
        return rows, np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def _exact(self, queries: FlatRows, ranking: FlatRows, k: int, n_threads: int) -> FlatRows:
        """The best `k` of the groups of a ranking, with exact scores."""
        if not ranking.nnz:
            return ranking
        groups = ranking.indices.astype(np.int64)
        n_rows = self.starts[groups + 1] - self.starts[groups]
        firsts = np.cumsum(n_rows) - n_rows
        rows = np.arange(n_rows.sum()) + np.repeat(self.starts[groups] - firsts, n_rows)
        pair_starts = np.append(firsts, len(rows))[ranking.indptr]
        dots = _core.row_dots(
            *core_rows(queries, "queries"), pair_starts.astype(np.int64), *self._core_rows, rows, n_threads
        )
        scores = np.maximum.reduceat(dots, firsts)
        return best_first(ranking.with_data(scores), k)


def best_first(rows: FlatRows, k: int, ties: NDArray[Any] | None = None) -> FlatRows:
    """The largest `k` entries of each row, stored best first; of equals those with smaller `ties`, then columns.

    Examples
    --------
    >>> best_first(FlatRows.of(sparse.csr_matrix(np.array([[1.0, 3.0, 2.0]]))), 2).indices.tolist()
    [1, 2]
    """
    lengths = np.diff(rows.indptr)
    numbers = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((rows.indices, *(() if ties is None else (ties,)), -rows.data, numbers))
    order = order[np.arange(len(order)) - rows.indptr[numbers] < k]
    indptr = np.concatenate([[0], np.cumsum(np.minimum(lengths, k))])
    return FlatRows(indptr, rows.indices[order], rows.data[order], rows.shape)


def first_columns(rows: FlatRows, n_columns: int) -> FlatRows:
    """The rows without the columns from `n_columns` on.

    Examples
    --------
    >>> first_columns(FlatRows.of(sparse.csr_matrix(np.array([[1.0, 2.0, 3.0]]))), 2).toarray().tolist()
    [[1.0, 2.0]]
    """
    if rows.shape[1] <= n_columns:
        return rows
    first = rows.kept_where(rows.indices < n_columns)
    return FlatRows(first.indptr, first.indices, first.data, (rows.shape[0], n_columns))
