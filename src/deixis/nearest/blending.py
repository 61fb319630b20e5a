"""Two rankings of the same labels made one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.native import _core
from deixis.nearest.core_rows import core_rows


def blended(
    first: sparse.csr_matrix, second: sparse.csr_matrix, first_shares: NDArray[np.float32], k: int, n_threads: int = 0
) -> sparse.csr_matrix:
    """The best `k` of each row by `share * first + (1 - share) * second`, best first; what one lacks has 0 there.

    Examples
    --------
    >>> first = sparse.csr_matrix(np.array([[0.9, 0.1, 0.0]], dtype=np.float32))
    >>> second = sparse.csr_matrix(np.array([[0.0, 0.5, 0.6]], dtype=np.float32))
    >>> blended(first, second, np.array([0.25], dtype=np.float32), k=2).indices.tolist()
    [2, 1]
    """
    if first.shape != second.shape or len(first_shares) != first.shape[0]:
        raise DataError(f"Rankings of {first.shape} and {second.shape} with {len(first_shares)} shares do not fit.")
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k}.")
    if len(first_shares) and not (first_shares.min() >= 0 and first_shares.max() <= 1):
        raise DataError(f"Shares must lie in 0..1, got {first_shares.min()}..{first_shares.max()}.")
    both = *core_rows(first, "first rankings"), *core_rows(second, "second rankings")
    shares = np.ascontiguousarray(first_shares, dtype=np.float32)
    indptr, labels, scores = _core.blend_rankings(*both, shares, min(k, first.shape[1] + 1), n_threads)
    return sparse.csr_matrix((scores, labels, indptr), shape=first.shape)
