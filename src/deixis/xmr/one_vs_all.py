"""Every label's classifier on every vector: exact, and slow when labels are many. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.native import _core
from deixis.store.part import Part, array, one_of
from deixis.xmr.bag_encoder import BagEncoder
from deixis.xmr.text_vectors import TextVectors

MAX_CELLS = 1 << 24  # scores held at one time


class VectorEncoder(Protocol):
    """Whatever turns documents into the vectors that classifiers see: rows of features, or texts."""

    @property
    def n_dims(self) -> int:
        """Length of a vector."""

    @property
    def n_features(self) -> int:
        """Columns of the rows of features, which it reads or which come with the texts."""

    def encode(self, X: Any, /) -> NDArray[np.float32]:  # noqa: ANN401, N803 - what it takes
        """docs_by_dims."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""


@dataclass(frozen=True, eq=False)
class OneVsAllRanker(Part):
    """An encoder and one classifier a label; scores are sigma(w.phi).

    Examples
    --------
    >>> zeros = np.zeros(2, np.float32)
    >>> encoder = BagEncoder(np.eye(2, dtype=np.float32), zeros, np.zeros((2, 2), np.float32), zeros, scale=1.0)
    >>> ranker = OneVsAllRanker(encoder, np.array([[2, 0, 0], [0, 2, 0], [1, 1, -5]], dtype=np.float32))
    >>> ranker.rank(sparse.csr_matrix([[0.0, 1.0]]), k=2).indices.tolist()
    [1, 0]
    """

    encoder: Annotated[VectorEncoder, one_of(bag=BagEncoder, text=TextVectors)]
    labels_by_dims: Annotated[NDArray[np.float32], array(ndim=2)]

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return len(self.labels_by_dims)

    def encode(self, X: Any) -> NDArray[np.float32]:  # noqa: ANN401, N803 - any sparse or dense matrix
        """docs_by_dims."""
        return self.encoder.encode(X)

    def rank(self, X: Any, k: int = 10, n_threads: int = 0) -> sparse.csr_matrix:  # noqa: ANN401, N803 - any matrix
        """docs_by_labels scores of the best `k` labels of each row, stored best first, the lower label among equals."""
        return rank_all(self.encode(X), self.labels_by_dims, k, n_threads)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Encoder and classifiers as arrays; that the encoder is a bag goes without saying, as in older models."""
        arrays = super().to_arrays(prefix)
        if isinstance(self.encoder, BagEncoder):
            del arrays[f"{prefix}.encoder.kind"]
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, **context: Any) -> Self:  # noqa: ANN401
        """What `to_arrays` gave, checked."""
        kind = f"{prefix}.encoder.kind"
        named = arrays if kind in arrays else {**arrays, kind: np.array("bag")}
        return super().from_arrays(named, prefix, **context)

    def check_parts(self, prefix: str) -> None:
        """There are labels, of as many dimensions as the encoder gives."""
        if self.labels_by_dims.shape[1] != self.encoder.n_dims or not len(self.labels_by_dims):
            raise StoreError(
                f"{prefix}.labels_by_dims has the shape {self.labels_by_dims.shape} and the encoder gives "
                f"{self.encoder.n_dims} dimensions: the model is damaged; build it again."
            )


def rank_all(
    vectors: NDArray[np.float32], labels_by_dims: NDArray[np.float32], k: int, n_threads: int = 0
) -> sparse.csr_matrix:
    """docs_by_labels of sigma(w.phi), the best `k` of each row, best first."""
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k}.")
    n_labels, n_dims = labels_by_dims.shape
    if vectors.ndim != 2 or vectors.shape[1] != n_dims:
        raise DataError(f"The vectors have the shape {vectors.shape}; the classifiers take {n_dims} dimensions.")
    k, n_rows = min(k, n_labels), len(vectors)
    labels, scores = np.empty(n_rows * k, np.int32), np.empty(n_rows * k, np.float32)
    step = max(1, MAX_CELLS // n_labels)
    for start in range(0, n_rows, step):
        dots = vectors[start : start + step] @ labels_by_dims.T
        _, best = _core.best_of_rows(np.arange(len(dots) + 1) * n_labels, dots.ravel(), k, n_threads)
        part = slice(start * k, start * k + len(best))
        labels[part], scores[part] = best % n_labels, dots.ravel()[best]
    indptr = np.arange(n_rows + 1, dtype=np.int64) * k
    return sparse.csr_matrix((sigmoid(scores), labels, indptr), shape=(n_rows, n_labels))


def sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 / (1 + exp(-values)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)), dtype=np.float32)
