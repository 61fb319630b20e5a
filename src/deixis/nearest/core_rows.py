"""Sparse matrices as the compiled core takes them: three flat arrays of fixed types, checked before it trusts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.tables import FlatRows

CoreRows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]


def core_rows(matrix: FlatRows | sparse.csr_matrix, what: str, *, is_sorted: bool = False) -> CoreRows:
    """Row starts, columns and values, which lie inside and are finite; in order and each place once if `is_sorted`.

    Examples
    --------
    >>> [array.tolist() for array in core_rows(sparse.csr_matrix(np.array([[0, 3], [5, 0]])), "matrix")]
    [[0, 1, 2], [1, 0], [3.0, 5.0]]
    """
    if matrix.shape[1] > _core.MAX_COLUMNS:
        raise DataError(f"The {what} have {matrix.shape[1]} columns; {_core.MAX_COLUMNS} are the most.")
    rows = typed_rows(matrix)
    state = _core.check_rows(*rows, matrix.shape[1])
    if state == _core.RowsState.DAMAGED:
        raise DataError(f"The {what} are a damaged CSR matrix: row starts or column numbers lie outside of it.")
    if state == _core.RowsState.NOT_FINITE:
        raise DataError(f"The {what} have values that are not finite 32-bit numbers; replace NaN and infinity.")
    if state == _core.RowsState.UNSORTED and is_sorted:
        in_order = (matrix.matrix() if isinstance(matrix, FlatRows) else matrix).copy()
        in_order.sum_duplicates()
        return core_rows(in_order, what)
    return rows


def typed_rows(matrix: FlatRows | sparse.csr_matrix) -> CoreRows:
    """The same, not checked; those of rows that the core made, as most are, lie where they did."""
    indptr: NDArray[Any] = matrix.indptr
    indices: NDArray[Any] = matrix.indices
    data: NDArray[Any] = matrix.data
    if indptr.dtype == np.int64 and indices.dtype == np.int32 and data.dtype == np.float32 and data.flags.c_contiguous:
        return indptr, indices, data
    n_items = int(indptr[-1])  # SciPy allows longer arrays; what is beyond belongs to no row
    # A column that 32 bits cannot hold is outside, whatever its number.
    indices = indices[:n_items]
    if indices.itemsize > 4:
        indices = indices.clip(-1, _core.MAX_COLUMNS)
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite, and that is looked for
        data = np.ascontiguousarray(data[:n_items], dtype=np.float32)
    return np.ascontiguousarray(indptr, dtype=np.int64), np.ascontiguousarray(indices, dtype=np.int32), data
