"""Sparse matrices as the compiled core takes them: three flat arrays of fixed types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A matrix by rows: row i has `indices[indptr[i]:indptr[i+1]]`, ascending, and as many values in `data`."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.indptr) - 1

    @classmethod
    def of(cls, matrix: Any, what: str = "matrix") -> SparseRows:  # noqa: ANN401 - anything SciPy can make sparse
        """The rows of any SciPy sparse matrix or dense array, checked."""
        is_by_rows = sparse.issparse(matrix) and matrix.format == "csr"  # type: ignore[attr-defined]
        rows: Any = matrix if is_by_rows else sparse.csr_matrix(matrix)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        data = np.ascontiguousarray(rows.data, dtype=np.float32)
        if not np.isfinite(data).all():
            raise DataError(f"The {what} has values that are not finite numbers; replace NaN and infinity first.")
        return cls(
            np.ascontiguousarray(rows.indptr, dtype=np.int64),
            np.ascontiguousarray(rows.indices, dtype=np.int32),
            data,
            int(rows.shape[1]),
        )

    def matrix(self) -> sparse.csr_matrix:
        """The same rows as a SciPy matrix; no copy."""
        return sparse.csr_matrix((self.data, self.indices, self.indptr), shape=(self.n_rows, self.n_columns))
