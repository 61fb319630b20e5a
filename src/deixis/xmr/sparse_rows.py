"""Sparse matrices as the compiled core takes them: three flat arrays of fixed types, checked before it trusts them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.part import Part, array, value


@dataclass(frozen=True, slots=True)
class SparseRows(Part):
    """A matrix by rows: row i has `indices[indptr[i]:indptr[i+1]]`, ascending, and as many values in `data`.

    Examples
    --------
    >>> rows = SparseRows.of([[0, 3], [5, 0]])
    >>> rows.indptr.tolist(), rows.indices.tolist(), rows.data.tolist()
    ([0, 1, 2], [1, 0], [3.0, 5.0])
    """

    indptr: Annotated[NDArray[np.int64], array(indptr_of="indices")]
    indices: Annotated[NDArray[np.int32], array(low=0, high="n_columns")]
    data: Annotated[NDArray[np.float32], array(like="indices")]
    n_columns: Annotated[int, value(low=0)]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.indptr) - 1

    @classmethod
    def of(cls, matrix: Any, what: str = "matrix") -> SparseRows:  # noqa: ANN401 - anything SciPy can make sparse
        """The rows of any SciPy sparse matrix or dense array, checked; repeated places are summed."""
        rows = _flat_arrays(_by_rows(matrix, what), what)
        state = rows._check(what)
        if state == _core.RowsState.UNSORTED:
            sorted_rows = rows.matrix().copy()
            sorted_rows.sum_duplicates()
            rows = _flat_arrays(sorted_rows, what)
            rows._check(what)
        return rows

    @classmethod
    def of_row(cls, columns: NDArray[np.int32], values: NDArray[np.float32], n_columns: int) -> SparseRows:
        """A single row, from its columns (ascending, each once) and their values; checked."""
        if len(columns) != len(values):
            raise DataError(f"The row has {len(columns)} columns and {len(values)} values; they must be as many.")
        row = cls(
            np.array((0, len(columns)), dtype=np.int64),
            np.ascontiguousarray(columns, dtype=np.int32),
            np.ascontiguousarray(values, dtype=np.float32),
            n_columns,
        )
        if row._check("row") == _core.RowsState.UNSORTED:
            raise DataError("The row's columns must ascend, each standing there once; sort them first.")
        return row

    @classmethod
    def targets(cls, matrix: Any) -> SparseRows:  # noqa: ANN401 - anything SciPy can make sparse
        """Soft labels: what is stored, but for zeros; refused outside of 0..1."""
        rows = matrix if isinstance(matrix, SparseRows) else cls.of(matrix, "label matrix")
        if len(rows.data) and not (rows.data.min() >= 0 and rows.data.max() <= 1):
            raise DataError(
                f"Soft labels are targets above 0 and at most 1; Y has values from {rows.data.min():g} to "
                f"{rows.data.max():g}. Scale them, or fit without is_soft."
            )
        return replace(rows.indicators(), data=rows.data[rows.data != 0])

    def _check(self, what: str) -> _core.RowsState:
        state = _core.check_rows(self.indptr, self.indices, self.data, self.n_columns)
        if state == _core.RowsState.DAMAGED:
            raise DataError(f"The {what} is a damaged CSR matrix: row starts or column numbers lie outside of it.")
        if state == _core.RowsState.NOT_FINITE:
            raise DataError(
                f"The {what} has values that are not finite 32-bit numbers; replace NaN and infinity, or scale it down."
            )
        return state

    def matrix(self) -> sparse.csr_matrix:
        """The same rows as a SciPy matrix; no copy."""
        return sparse.csr_matrix((self.data, self.indices, self.indptr), shape=(self.n_rows, self.n_columns))

    def indicators(self) -> SparseRows:
        """Ones where there is anything but zero; zeros that were stored are gone."""
        is_kept = self.data != 0
        n_before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_kept, dtype=np.int64)])
        ones = np.ones(int(n_before[-1]), dtype=np.float32)
        return SparseRows(n_before[self.indptr], self.indices[is_kept], ones, self.n_columns)


def _by_rows(matrix: Any, what: str) -> Any:  # noqa: ANN401 - as SciPy takes and gives them
    """A CSR matrix of numbers."""
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
        if matrix.dtype == np.float16:  # SciPy has none of these
            matrix = matrix.astype(np.float32)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise DataError(
            f"The {what} must have rows and columns of numbers, got {matrix.ndim} dimension(s) of {matrix.dtype}."
        )
    if matrix.shape[1] > _core.MAX_COLUMNS:
        raise DataError(f"The {what} has {matrix.shape[1]} columns; {_core.MAX_COLUMNS} are the most.")
    return matrix if getattr(matrix, "format", "dense") == "csr" else sparse.csr_matrix(matrix)


def _flat_arrays(rows: Any, what: str) -> SparseRows:  # noqa: ANN401 - a CSR matrix or array
    n_items = int(rows.indptr[-1])  # SciPy allows longer arrays; what is beyond belongs to no row
    indices = rows.indices[:n_items]
    if indices.dtype.itemsize > 4 and len(indices) and indices.max() > _core.MAX_COLUMNS:
        raise DataError(f"The {what} is a damaged CSR matrix: it names column {indices.max()} of {rows.shape[1]}.")
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite, and that is looked for
        data = np.ascontiguousarray(rows.data[:n_items], dtype=np.float32)
    return SparseRows(
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(indices, dtype=np.int32),
        data,
        int(rows.shape[1]),
    )
