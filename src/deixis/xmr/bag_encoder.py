"""A frugal encoder: the weighted sum of a row's feature embeddings, one residual layer, unit length. NumPy only.

It is learned in `neural/` (with torch) and used here without it. The residual layer is that of Astec (Dahiya et al.,
2021, DeepXML); a constant is put at the end of each vector, so that classifiers on it have a bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError, StoreError
from deixis.store.part import Part, array
from deixis.xmr.sparse_rows import SparseRows

MIN_LENGTH = 1e-6  # a row without known features has no direction


@dataclass(frozen=True, eq=False)
class BagEncoder(Part):
    """Sparse feature rows to dense vectors: z = E'x + e, v = z + R relu(z) + r, phi = [v / |v|, 1] * scale.

    Examples
    --------
    >>> zeros = np.zeros(2, np.float32)
    >>> encoder = BagEncoder(np.eye(3, 2, dtype=np.float32), zeros, np.zeros((2, 2), np.float32), zeros, scale=1.0)
    >>> encoder.encode(sparse.csr_matrix([[3.0, 4.0, 0.0], [0.0, 0.0, 9.0]]))
    array([[0.6, 0.8, 1. ],
           [0. , 0. , 1. ]], dtype=float32)
    """

    embeddings: Annotated[NDArray[np.float32], array(ndim=2)]
    shift: NDArray[np.float32]
    residual: Annotated[NDArray[np.float32], array(ndim=2, like="shift")]
    residual_shift: Annotated[NDArray[np.float32], array(like="shift")]
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

    def check_parts(self, prefix: str) -> None:
        """Embeddings and residual are as wide as the shift."""
        n = len(self.shift)
        if self.embeddings.shape[1] != n or self.residual.shape[1] != n:
            raise StoreError(f"The sizes of {prefix}.* do not fit each other: the model is damaged; build it again.")
