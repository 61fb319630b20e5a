"""Dot products of chosen pairs of sparse rows, in the compiled core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.checks import is_sorted


def row_dots(
    lefts: sparse.csr_matrix[np.float32],
    starts: NDArray[Any],
    rights: sparse.csr_matrix[np.float32],
    partners: NDArray[Any],
    n_threads: int = 0,
) -> NDArray[np.float32]:
    """The dot product of each row of `lefts` with its partners: row `i` has `partners[starts[i]:starts[i + 1]]`.

    Examples
    --------
    >>> lefts = sparse.csr_matrix(np.array([[1, 2, 0], [0, 0, 3]], dtype=np.float32))
    >>> row_dots(lefts, np.array([0, 2, 3]), lefts, np.array([0, 1, 1])).tolist()
    [5.0, 0.0, 9.0]
    """
    if lefts.shape[1] != rights.shape[1]:
        raise DataError(f"The rows have {lefts.shape[1]} and {rights.shape[1]} columns; they must have as many.")
    _check_pairs(lefts.shape[0], starts, rights.shape[0], partners)
    dots: NDArray[np.float32] = _core.row_dots(
        *_core_arrays(lefts), starts.astype(np.int64), *_core_arrays(rights), partners.astype(np.int64), n_threads,
    )  # fmt: skip
    return dots


def _check_pairs(n_lefts: int, starts: NDArray[Any], n_rights: int, partners: NDArray[Any]) -> None:
    if len(starts) != n_lefts + 1 or starts[0] != 0 or starts[-1] != len(partners) or not is_sorted(starts):
        raise DataError(f"{n_lefts} rows with {len(partners)} partners need fitting starts, got {starts}.")
    if len(partners) and not 0 <= partners.min() <= partners.max() < n_rights:
        raise DataError(f"Partners must be rows from 0 to {n_rights - 1}.")


def _core_arrays(
    rows: sparse.csr_matrix[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    return rows.indptr.astype(np.int64), rows.indices, rows.data
