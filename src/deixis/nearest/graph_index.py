"""Nearest vectors by walking a graph of neighbours (HNSW: Malkov and Yashunin, 2018), in usearch.

Quicker than comparing all, and it may miss some. The graph only proposes: what it finds is scored by the exact index,
on which it is built, so both give the same scores. The graph is one array of bytes that is used where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from usearch.index import Index

from deixis.errors import StoreError
from deixis.nearest.vector_index import Floats, Mask, VectorIndex
from deixis.store.checks import require

CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 256
_SPARE = 4  # vectors asked for per group wanted, at first: names of one entity lie together
_BLOCK = 65536


class GraphIndex:
    """An exact index and a graph through its vectors.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> index = GraphIndex.build([vectors], groups=np.array([0, 0, 1]))
    >>> index.search(np.array([[0, 1]], dtype=np.float32), k=2).indices.tolist()
    [0, 1]
    """

    def __init__(self, exact: VectorIndex, graph: Index, stored: NDArray[np.uint8]) -> None:
        self.exact = exact
        self._graph = graph
        self._stored = stored  # what the graph looks into

    @property
    def groups(self) -> NDArray[np.int32]:
        """What each vector stands for."""
        return self.exact.groups

    @classmethod
    def build(
        cls,
        blocks: Iterable[Floats],
        groups: NDArray[np.integer],
        n_groups: int | None = None,
        expansion: int = EXPANSION_SEARCH,
    ) -> GraphIndex:
        """The graph of all vectors, added one after the other, so that it is the same each time."""
        exact = VectorIndex.build(blocks, groups, n_groups)
        graph = _empty_graph(exact.n_dims, expansion)
        for low in range(0, len(exact), _BLOCK):
            high = min(low + _BLOCK, len(exact))
            graph.add(np.arange(low, high, dtype=np.uint64), exact.vectors(slice(low, high)), threads=1)
        stored = np.frombuffer(bytes(graph.save() or b""), dtype=np.uint8)
        return cls._opened(exact, stored, expansion)

    def search(self, queries: Floats, k: int, is_open: Mask | None = None) -> sparse.csr_matrix:
        """queries_by_groups: nearly always the best `k` groups of each query, stored best first, as `VectorIndex` does.

        With a mask, all open vectors are compared, and the answer is exact: a walk could end among closed ones.
        """
        self.exact.check_search(queries, k, is_open)
        n_wanted = min(_SPARE * k, len(self.exact))
        if is_open is not None or not n_wanted or n_wanted * _SPARE > len(self.exact):
            return self.exact.search(queries, k, is_open)
        found = np.concatenate([self._near(query, n_wanted) for query in queries]) if len(queries) else np.zeros((0, 2))
        rows = np.repeat(np.arange(len(queries)), n_wanted)
        best = self.exact.best(queries, rows, found.astype(np.int64).ravel(), k)
        lacks = np.diff(best.indptr) < min(k, self.exact.n_groups)
        return best if not lacks.any() else self._filled(best, queries, lacks, k)

    def _near(self, query: Floats, n: int) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = self._graph.search(query, n, threads=1).keys
        # A graph that is cut in two may give fewer: the first again changes nothing.
        return np.concatenate([keys, np.full(n - len(keys), keys[0] if len(keys) else 0, dtype=np.uint64)])

    def _filled(self, best: sparse.csr_matrix, queries: Floats, lacks: Mask, k: int) -> sparse.csr_matrix:
        """The same, with the rows that lack groups found exactly."""
        exact = self.exact.search(queries[lacks], k)
        places = np.where(lacks, len(queries) + np.cumsum(lacks) - 1, np.arange(len(queries)))
        return sparse.csr_matrix(sparse.vstack([best, exact], format="csr")[places])

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vectors, groups and graph under names that begin with `prefix`."""
        return self.exact.to_arrays(prefix) | {f"{prefix}.graph": self._stored}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_groups: int, expansion: int = EXPANSION_SEARCH
    ) -> GraphIndex:
        """The index `to_arrays` gave, used where the arrays lie."""
        exact = VectorIndex.from_arrays(arrays, prefix, n_groups)
        stored = require(arrays, f"{prefix}.graph", np.uint8)
        try:
            return cls._opened(exact, stored, expansion)
        except (RuntimeError, ValueError) as error:
            raise StoreError(f"The array '{prefix}.graph' is damaged: {error}. Build the model again.") from error

    @classmethod
    def _opened(cls, exact: VectorIndex, stored: NDArray[np.uint8], expansion: int) -> GraphIndex:
        graph = _empty_graph(exact.n_dims, expansion)
        graph.view(stored.data)
        if len(graph) != len(exact):
            raise ValueError(f"it has {len(graph)} vectors, not {len(exact)}")
        return cls(exact, graph, stored)


def _empty_graph(n_dims: int, expansion: int) -> Index:
    return Index(
        ndim=n_dims, metric="ip", dtype="i8", connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
        expansion_search=expansion,
    )  # fmt: skip
