"""Nearest vectors by faiss: a graph of neighbours over bytes, and a flat index to check others against.

`HNSW,SQ8` (Malkov and Yashunin, 2018; a byte per number) is kept as one array of bytes, which is read into memory when
the index is opened. All of it runs on one thread: faiss adds vectors in another order on several.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from deixis.nearest.graph_index import BLOCK, CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH, GraphIndex
from deixis.nearest.vector_index import Floats, VectorIndex

_N_TRAINED = 100_000  # vectors from which the range of each number is learned


class FaissIndex(GraphIndex):
    """An exact index and a faiss graph through its vectors.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> index = FaissIndex.build([vectors], groups=np.array([0, 0, 1]))
    >>> index.search(np.array([[0, 1]], dtype=np.float32), k=2).indices.tolist()
    [0, 1]
    """

    @classmethod
    def opened(cls, exact: VectorIndex, stored: NDArray[np.uint8]) -> tuple[Any, tuple[int, int]]:
        """The graph, and how many vectors of how many numbers it has."""
        graph = faiss.deserialize_index(stored)
        if not isinstance(graph, faiss.IndexHNSWSQ):  # a flat or other index would be read as well
            raise ValueError("it is no HNSW,SQ8 index")
        graph.hnsw.efSearch = EXPANSION_SEARCH
        return graph, (graph.ntotal, graph.d)

    @classmethod
    def graph_bytes(cls, exact: VectorIndex) -> NDArray[np.uint8]:
        """The graph of all vectors, added one after the other, so that it is the same each time."""
        graph: Any = faiss.index_factory(exact.n_dims, f"HNSW{CONNECTIVITY},SQ8", faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = EXPANSION_ADD
        with one_thread():
            if len(exact):
                step = -(-len(exact) // _N_TRAINED)
                graph.train(exact.vectors(slice(None, None, step)))
            for low in range(0, len(exact), BLOCK):
                graph.add(exact.vectors(slice(low, low + BLOCK)))
        stored: NDArray[np.uint8] = faiss.serialize_index(graph)
        return stored

    def near(self, queries: Floats, n: int) -> NDArray[np.int64]:
        """queries_by_places: what a walk from each query finds."""
        with one_thread():
            places: NDArray[np.int64] = self.graph.search(np.ascontiguousarray(queries, dtype=np.float32), n)[1]
        return places


def flat_search(vectors: Floats, queries: Floats, k: int) -> tuple[Floats, NDArray[np.int64]]:
    """Scores and places of the `k` vectors with the largest dot products, by faiss comparing all (`IndexFlatIP`).

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0.6, 0.8]], dtype=np.float32)
    >>> flat_search(vectors, np.array([[0, 1]], dtype=np.float32), k=1)[1].tolist()
    [[1]]
    """
    flat = faiss.IndexFlatIP(vectors.shape[1])
    with one_thread():
        flat.add(np.ascontiguousarray(vectors))
        scores, places = flat.search(np.ascontiguousarray(queries), k)
    return scores, places


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, faiss uses one thread; how many it uses is a setting of the whole process, which is put back."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
