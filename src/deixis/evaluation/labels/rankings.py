"""Labels of documents as arrays: those that are true, and those that were ranked. The metrics are in `extreme`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, csr_matrix

from deixis.errors import DataError


def ranked_labels(docs_by_scores: csr_matrix | csr_array, k: int) -> NDArray[np.int64]:
    """[n_documents, k]: the labels of the best stored scores, best first, the lower label first among equals; -1 fills.

    Examples
    --------
    >>> ranked_labels(csr_matrix([[0.1, 0.9, 0.9], [0.0, 0.0, -2.0]]), k=2)
    array([[ 1,  2],
           [ 2, -1]])
    """
    scores = csr_matrix(docs_by_scores, copy=True)
    scores.sum_duplicates()
    if np.isnan(scores.data).any():
        raise DataError("A score is NaN; labels cannot be ranked by it.")
    rows = _row_numbers(scores)
    order = np.lexsort([scores.indices, -scores.data, rows])
    positions = np.arange(scores.nnz) - np.repeat(scores.indptr[:-1], np.diff(scores.indptr))
    is_kept = positions < k
    ranked = np.full((scores.shape[0], k), -1, dtype=np.int64)
    ranked[rows[is_kept], positions[is_kept]] = scores.indices[order][is_kept]
    return ranked


def checked_ranking(ranked: ArrayLike, n_documents: int, n_labels: int) -> NDArray[np.int64]:
    """The ranking as an array, one row of labels per document, -1 where there is none.

    Examples
    --------
    >>> checked_ranking([[2, 0, -1]], n_documents=1, n_labels=3)
    array([[ 2,  0, -1]])
    """
    labels = np.asarray(ranked)
    if labels.ndim != 2 or len(labels) != n_documents or not np.issubdtype(labels.dtype, np.integer):
        raise DataError(
            f"The truth has {n_documents} documents; the ranking has the shape {labels.shape} of "
            f"{labels.dtype} and not a row of label numbers for each."
        )
    is_outside = (labels < -1) | (labels >= n_labels)
    if is_outside.any():
        wrong = labels[is_outside][0]
        raise DataError(f"Label {wrong} was ranked; labels lie in 0..{n_labels - 1}, and -1 stands for none.")
    in_order = np.sort(labels, axis=1)
    is_twice = ((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)).any(axis=1)
    if is_twice.any():
        raise DataError(f"Document {np.argmax(is_twice)} has a label ranked twice; each can stand there once.")
    return labels.astype(np.int64)


@dataclass(frozen=True)
class TrueLabels:
    """True labels as pairs of a document and a label; within a document, those that weigh most come first.

    Examples
    --------
    >>> truth = TrueLabels.of(csr_matrix([[1, 0, 1], [0, 1, 0]]), weights=np.array([1.0, 1.0, 5.0]))
    >>> truth.documents.tolist(), truth.labels.tolist()
    ([0, 0, 1], [2, 0, 1])
    >>> truth.holds(np.array([[1, 2], [1, -1]]))
    array([[False,  True],
           [ True, False]])
    """

    documents: NDArray[np.int64]
    labels: NDArray[np.int64]
    n_documents: int
    n_labels: int

    @classmethod
    def of(cls, docs_by_labels: csr_matrix | csr_array, weights: NDArray[np.float64] | None) -> TrueLabels:
        """From CSR; stored zeros are no labels. Without weights the order within a document is that of the labels."""
        matrix = csr_matrix(docs_by_labels, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        documents, labels = _row_numbers(matrix), matrix.indices.astype(np.int64)
        order = np.lexsort([np.zeros(len(labels)) if weights is None else -weights[labels], documents])
        return cls(documents[order], labels[order], *matrix.shape)

    def only(self, is_selected: NDArray[np.bool_]) -> TrueLabels:
        """These documents, with those of their labels that are wanted."""
        keep = is_selected[self.labels]
        return TrueLabels(self.documents[keep], self.labels[keep], self.n_documents, self.n_labels)

    def holds(self, ranked: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[n_documents, k]: whether the ranked label is true of its document."""
        keys = np.sort(self.documents * self.n_labels + self.labels)
        ranked_keys = np.arange(self.n_documents)[:, None] * self.n_labels + ranked
        if len(keys) == 0:
            return np.zeros(ranked.shape, dtype=np.bool_)
        is_true: NDArray[np.bool_] = keys[np.minimum(np.searchsorted(keys, ranked_keys), len(keys) - 1)] == ranked_keys
        return is_true & (ranked >= 0)

    def best_weights(self, weights: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """[n_documents, k]: the weights of the true labels in the best order, 0 after the last."""
        n_true = np.bincount(self.documents, minlength=self.n_documents)
        positions = np.arange(len(self.documents)) - (np.cumsum(n_true) - n_true)[self.documents]
        best = np.zeros((self.n_documents, k))
        keep = positions < k
        best[self.documents[keep], positions[keep]] = weights[self.labels[keep]]
        return best


def _row_numbers(matrix: csr_matrix) -> NDArray[np.int64]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
