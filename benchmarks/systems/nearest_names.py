"""Exact nearest neighbours among names: an entity is as near as the nearest of its names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.systems.candidate_lists import best_first

CHUNK = 32  # queries multiplied at once: each may touch most of the names


class NearestNames:
    """Names as rows of length one; finds the entities with the greatest cosine.

    Examples
    --------
    >>> names = sparse.csr_matrix(np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32))
    >>> nearest = NearestNames(names, np.array([7, 8, 7]))
    >>> [row for row, _ in next(nearest.search(sparse.csr_matrix([[0.0, 1.0]]), k=2))]
    [8, 7]
    """

    def __init__(self, names_by_features: sparse.csr_matrix, rows: NDArray[np.integer]) -> None:
        self.features_by_names = names_by_features.T.tocsr()
        self.rows = np.asarray(rows)

    def search(self, queries: sparse.csr_matrix, k: int) -> Iterator[list[tuple[int, float]]]:
        """For each query up to `k` entities (row, cosine), best first, the earlier name first among equals."""
        for begin in range(0, queries.shape[0], CHUNK):
            cosines = (queries[begin : begin + CHUNK] @ self.features_by_names).tocsr()
            for start, end in zip(cosines.indptr[:-1], cosines.indptr[1:], strict=True):
                yield self.best(cosines.indices[start:end], cosines.data[start:end], k)

    def best(self, names: NDArray[np.integer], cosines: NDArray[np.floating], k: int) -> list[tuple[int, float]]:
        """Up to `k` entities (row, cosine) of some names with their cosines, best first."""
        depth = 4 * k
        while True:
            order = best_first(cosines, depth, ties=names)
            rows = self.rows[names[order]]
            _, first = np.unique(rows, return_index=True)
            if len(first) >= k or len(order) == len(names):
                first = np.sort(first)[:k]
                return list(zip(rows[first].tolist(), cosines[order[first]].tolist(), strict=True))
            depth *= 4
