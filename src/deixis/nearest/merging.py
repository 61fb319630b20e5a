"""Two rankings of the same labels, of which the better score counts."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from deixis.errors import DataError


def best_of_both(first: sparse.csr_matrix, second: sparse.csr_matrix, k: int) -> sparse.csr_matrix:
    """The best `k` of each row by the greater of the two scores, best first, the smaller label first among equals.

    Examples
    --------
    >>> first = sparse.csr_matrix(np.array([[0.9, 0.1, 0.0]], dtype=np.float32))
    >>> second = sparse.csr_matrix(np.array([[0.3, 0.5, 0.6]], dtype=np.float32))
    >>> best_of_both(first, second, k=2).indices.tolist()
    [0, 2]
    """
    if first.shape != second.shape:
        raise DataError(f"Rankings of {first.shape} and {second.shape} do not fit.")
    n_rows = first.shape[0]
    rows = np.concatenate([np.repeat(np.arange(n_rows), np.diff(ranking.indptr)) for ranking in (first, second)])
    labels = np.concatenate([first.indices, second.indices])
    scores = np.concatenate([first.data, second.data])
    order = np.lexsort((labels, -scores, rows))
    pairs = (rows * first.shape[1] + labels)[order]
    _, best = np.unique(pairs, return_index=True)  # of equal labels the first in order, which has the greater score
    order = order[np.sort(best)]
    starts = np.searchsorted(rows[order], np.arange(n_rows + 1))
    order = order[np.arange(len(order)) - starts[rows[order]] < k]
    indptr = np.searchsorted(rows[order], np.arange(n_rows + 1))
    return sparse.csr_matrix((scores[order], labels[order], indptr), shape=first.shape)
