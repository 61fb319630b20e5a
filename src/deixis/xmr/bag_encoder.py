"""A frugal encoder: the weighted sum of a row's feature embeddings, one residual layer, unit length. NumPy only.

It is learned in `neural/` (with torch) and used here without it. The residual layer is that of Astec (Dahiya et al.,
2021, DeepXML); a constant is put at the end of each vector, so that classifiers on it have a bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError, StoreError
from deixis.store.checks import require
from deixis.xmr.sparse_rows import SparseRows

MIN_LENGTH = 1e-6  # a row without known features has no direction


@dataclass(frozen=True, eq=False)
class BagEncoder:
    """Sparse feature rows to dense vectors: z = E'x + e, v = z + R relu(z) + r, phi = [v / |v|, 1] * scale.

    Examples
    --------
    >>> zeros = np.zeros(2, np.float32)
    >>> encoder = BagEncoder(np.eye(3, 2, dtype=np.float32), zeros, np.zeros((2, 2), np.float32), zeros, scale=1.0)
    >>> encoder.encode(sparse.csr_matrix([[3.0, 4.0, 0.0], [0.0, 0.0, 9.0]]))
    array([[0.6, 0.8, 1. ],
           [0. , 0. , 1. ]], dtype=float32)
    """

    embeddings: NDArray[np.float32]  # features_by_dims
    shift: NDArray[np.float32]
    residual: NDArray[np.float32]  # dims_by_dims, as torch keeps it: R[out, in]
    residual_shift: NDArray[np.float32]
    scale: float

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return len(self.embeddings)

    @property
    def n_dims(self) -> int:
        """Length of a vector, the constant at its end included."""
        return len(self.shift) + 1

    def encode(self, X: Any) -> NDArray[np.float32]:  # noqa: ANN401, N803 - any sparse or dense matrix
        """docs_by_dims, float32."""
        rows = X if isinstance(X, SparseRows) else SparseRows.of(X, "feature matrix")
        if rows.n_columns != self.n_features:
            raise DataError(f"The rows have {rows.n_columns} features; the encoder was made for {self.n_features}.")
        matrix: sparse.csr_matrix = rows.matrix()
        first = np.asarray(matrix @ self.embeddings, dtype=np.float32) + self.shift
        vectors = first + np.maximum(first, 0) @ self.residual.T + self.residual_shift
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), MIN_LENGTH)
        ones = np.ones((len(vectors), 1), dtype=np.float32)
        scaled: NDArray[np.float32] = np.hstack([vectors / lengths, ones]) * np.float32(self.scale)
        return scaled

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""
        return {
            f"{prefix}.embeddings": self.embeddings,
            f"{prefix}.shift": self.shift,
            f"{prefix}.residual": self.residual,
            f"{prefix}.residual_shift": self.residual_shift,
            f"{prefix}.scale": np.array([self.scale], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> BagEncoder:
        """The encoder `to_arrays` gave, checked."""
        embeddings = require(arrays, f"{prefix}.embeddings", np.float32, ndim=2)
        shift = require(arrays, f"{prefix}.shift", np.float32)
        residual = require(arrays, f"{prefix}.residual", np.float32, ndim=2)
        residual_shift = require(arrays, f"{prefix}.residual_shift", np.float32)
        scale = require(arrays, f"{prefix}.scale", np.float64)
        n = len(shift)
        if embeddings.shape[1] != n or residual.shape != (n, n) or len(residual_shift) != n or len(scale) != 1:
            raise StoreError(f"The sizes of {prefix}.* do not fit each other: the model is damaged; build it again.")
        return cls(embeddings, shift, residual, residual_shift, float(scale[0]))
