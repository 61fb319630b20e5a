"""Rankings as sparse rows: each row's labels stored best first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.scipy_sparse import sparse


def kept_where(ranked: sparse.csr_matrix, is_kept: NDArray[np.bool_]) -> sparse.csr_matrix:
    """The ranking without some of its entries, the others in the same order.

    Examples
    --------
    >>> ranked = sparse.csr_matrix(([0.9, 0.2, 0.5], [4, 1, 0], [0, 2, 3]), shape=(2, 5))
    >>> kept = kept_where(ranked, ranked.data > 0.3)
    >>> kept.indptr.tolist(), kept.indices.tolist()
    ([0, 1, 2], [4, 0])
    """
    if is_kept.all():
        return ranked
    n_kept = np.concatenate([[0], np.cumsum(is_kept)])
    return sparse.csr_matrix((ranked.data[is_kept], ranked.indices[is_kept], n_kept[ranked.indptr]), shape=ranked.shape)


def without_labels(ranked: sparse.csr_matrix, filtered: sparse.csr_matrix, k: int) -> sparse.csr_matrix:
    """The best `k` of each row that `filtered`, a matrix of the same shape, does not store.

    Examples
    --------
    >>> ranked = sparse.csr_matrix(([0.9, 0.2, 0.5], [4, 1, 0], [0, 2, 3]), shape=(2, 5))
    >>> left = without_labels(ranked, sparse.csr_matrix(([1], [4], [0, 1, 1]), shape=(2, 5)), k=1)
    >>> left.indptr.tolist(), left.indices.tolist()
    ([0, 1, 2], [1, 0])
    """
    left = kept_where(ranked, ~np.isin(_keys(ranked), _keys(filtered)))
    positions = np.arange(left.nnz) - np.repeat(left.indptr[:-1], np.diff(left.indptr))
    return kept_where(left, positions < k)


def _keys(matrix: sparse.csr_matrix) -> NDArray[np.int64]:
    """A number for each stored cell, the same for the same row and column."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[1] + matrix.indices
