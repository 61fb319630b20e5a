"""Nearest vectors by walking a graph of neighbours (HNSW: Malkov and Yashunin, 2018), in usearch.

Quicker than comparing all, and it may miss some. The graph is one array of bytes that is used where it lies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from deixis.nearest.approximate import (
    BLOCK,
    CONNECTIVITY,
    EXPANSION_ADD,
    EXPANSION_SEARCH,
    ApproximateIndex,
    check_graph,
)
from deixis.nearest.vector_index import Floats, VectorIndex


class GraphIndex(ApproximateIndex):
    """An exact index and a usearch graph through its vectors.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> index = GraphIndex.build([vectors], groups=np.array([0, 0, 1]))
    >>> index.search(np.array([[0, 1]], dtype=np.float32), k=2).indices.tolist()
    [0, 1]
    """

    def __init__(self, exact: VectorIndex, stored: NDArray[np.uint8]) -> None:
        super().__init__(exact, stored)
        self._graph = _empty_graph(exact.n_dims)
        self._graph.view(stored.data)
        check_graph(len(self._graph), self._graph.ndim, exact)

    @classmethod
    def graph_bytes(cls, exact: VectorIndex) -> NDArray[np.uint8]:
        """The graph of all vectors, added one after the other, so that it is the same each time."""
        graph = _empty_graph(exact.n_dims)
        for low in range(0, len(exact), BLOCK):
            high = min(low + BLOCK, len(exact))
            graph.add(np.arange(low, high, dtype=np.uint64), exact.vectors(slice(low, high)), threads=1)
        return np.frombuffer(bytes(graph.save() or b""), dtype=np.uint8)

    def near(self, queries: Floats, n: int) -> NDArray[np.int64]:
        """queries_by_places: what a walk from each query finds."""
        places = np.full((len(queries), n), -1, dtype=np.int64)
        for row, query in enumerate(queries):
            keys = self._graph.search(query, n, threads=1).keys
            places[row, : len(keys)] = keys
        return places


def _empty_graph(n_dims: int) -> Index:
    return Index(
        ndim=n_dims, metric="ip", dtype="i8", connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )  # fmt: skip
