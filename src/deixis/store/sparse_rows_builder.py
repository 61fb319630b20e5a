"""Sparse rows that come in chunks, put together in arrays that are never held twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from deixis.scipy_sparse import sparse
from deixis.store.scratch import GrowingArray

ROWS_AT_ONCE = 1 << 15


def row_chunks(n_rows: int, n_at_once: int = ROWS_AT_ONCE) -> Iterator[range]:
    """The numbers of all rows, in runs of a few.

    Examples
    --------
    >>> list(row_chunks(5, 2))
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    return (range(start, min(start + n_at_once, n_rows)) for start in range(0, n_rows, n_at_once))


class SparseRowsBuilder:
    """Collects chunks of rows of 32-bit numbers.

    Examples
    --------
    >>> builder = SparseRowsBuilder(n_columns=2)
    >>> for chunk in (np.eye(2), np.array([[0, 7]])):
    ...     builder.add(sparse.csr_matrix(chunk))
    >>> builder.build().toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 7.0]]
    """

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self._indices, self._data = GrowingArray(np.int32), GrowingArray(np.float32)
        self._indptr = GrowingArray(np.int64)
        self._indptr.extend(np.zeros(1, np.int64))

    def add(self, rows: sparse.csr_matrix) -> None:
        """Add rows, whose entries stay in their order; those that have more columns than before widen all."""
        self.n_columns = max(self.n_columns, rows.shape[1])
        n_before, n_items = len(self._indices), int(rows.indptr[-1])
        self._indptr.extend(rows.indptr[1:].astype(np.int64) + n_before)
        self._indices.extend(rows.indices[:n_items])
        self._data.extend(rows.data[:n_items])

    def build(self) -> sparse.csr_matrix:
        """All rows; nothing can be added after it."""
        indptr: NDArray[np.integer] = self._indptr.build()
        if len(self._indices) < 2**31:  # SciPy is quicker when both index arrays have one type
            indptr = indptr.astype(np.int32)
        shape = (len(indptr) - 1, self.n_columns)
        rows = sparse.csr_matrix((self._data.build(), self._indices.build(), indptr), shape=shape)
        return rows
