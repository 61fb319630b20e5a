"""Nearest vectors by walking a graph of neighbours (HNSW: Malkov and Yashunin, 2018), in usearch.

The graph proposes vectors, the exact index scores them. So both give the same scores, and the graph can only miss
something. With a mask all open vectors are compared: a walk could end among closed ones. The graph is one array of
bytes that is used where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from deixis.errors import StoreError
from deixis.nearest.vector_index import Floats, Mask, VectorIndex
from deixis.store.checks import require
from deixis.tables import FlatRows

CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 256
BLOCK = 65536  # vectors added at a time
_SPARE = 4  # vectors searched per group, at first: names of one entity lie together


class GraphIndex:
    """An exact index and a graph through its vectors, which is kept as one array of bytes.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> index = GraphIndex.build([vectors], groups=np.array([0, 0, 1]))
    >>> index.search(np.array([[0, 1]], dtype=np.float32), k=2).indices.tolist()
    [0, 1]
    """

    def __init__(self, exact: VectorIndex, stored: NDArray[np.uint8]) -> None:
        self.exact = exact
        self.stored = stored
        self.graph, shape = self.opened(exact, stored)
        if shape != (len(exact), exact.n_dims):
            raise ValueError(f"it has {shape[0]} vectors of {shape[1]} numbers, not {len(exact)} of {exact.n_dims}")

    @classmethod
    def opened(cls, exact: VectorIndex, stored: NDArray[np.uint8]) -> tuple[Any, tuple[int, int]]:
        """The graph, and how many vectors of how many numbers it has."""
        graph = _empty_graph(exact.n_dims)
        graph.view(stored.data)
        return graph, (len(graph), graph.ndim)

    @classmethod
    def graph_bytes(cls, exact: VectorIndex) -> NDArray[np.uint8]:
        """The graph of all vectors, added one after the other, so that it is the same each time."""
        graph = _empty_graph(exact.n_dims)
        for low in range(0, len(exact), BLOCK):
            high = min(low + BLOCK, len(exact))
            graph.add(np.arange(low, high, dtype=np.uint64), exact.vectors(slice(low, high)), threads=1)
        return np.frombuffer(bytes(graph.save() or b""), dtype=np.uint8)

    def near(self, queries: Floats, n: int) -> NDArray[np.int64]:
        """queries_by_positions: the `n` vectors most similar to each query, by the graph; -1 where it ends."""
        positions = np.full((len(queries), n), -1, dtype=np.int64)
        for row, query in enumerate(queries):
            keys = self.graph.search(query, n, threads=1).keys
            positions[row, : len(keys)] = keys
        return positions

    @property
    def groups(self) -> NDArray[np.int32]:
        """What each vector stands for."""
        return self.exact.groups

    @classmethod
    def build(cls, blocks: Iterable[Floats], groups: NDArray[np.integer], n_groups: int | None = None) -> Self:
        """The index of the rows of all `blocks`; `groups` are those of `VectorIndex.build`."""
        return cls.over(VectorIndex.build(blocks, groups, n_groups))

    @classmethod
    def over(cls, exact: VectorIndex) -> Self:
        """The index of the vectors of an exact one."""
        return cls(exact, cls.graph_bytes(exact))

    def search(self, queries: Floats, k: int, is_open: Mask | None = None) -> FlatRows:
        """queries_by_groups: nearly always the best `k` groups of each query, stored best first, as `VectorIndex` does.

        Exact where there is a mask, where there are few vectors, and for queries whose walk found too few groups.
        """
        self.exact.check_search(queries, k, is_open)
        n_vectors = min(_SPARE * k, len(self.exact))
        if is_open is not None or not n_vectors or n_vectors * _SPARE > len(self.exact) or not len(queries):
            return self.exact.search(queries, k, is_open)
        positions = self.near(queries, n_vectors)
        rows = np.repeat(np.arange(len(queries)), n_vectors)
        is_vector = positions.ravel() >= 0
        best = self.exact.best(queries, rows[is_vector], positions.ravel()[is_vector], k)
        lacks = np.diff(best.indptr) < min(k, self.exact.n_groups)
        return best if not lacks.any() else self._filled(best, queries, lacks, k)

    def _filled(self, best: FlatRows, queries: Floats, lacks: Mask, k: int) -> FlatRows:
        """The same, with the rows that lack groups found exactly."""
        exact = self.exact.search(queries[lacks], k)
        order = np.where(lacks, len(queries) + np.cumsum(lacks) - 1, np.arange(len(queries)))
        return FlatRows.stacked([best, exact])[order]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vectors, groups and graph under names that begin with `prefix`."""
        return self.exact.to_arrays(prefix) | {f"{prefix}.graph": self.stored}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_groups: int) -> Self:
        """The index `to_arrays` gave."""
        exact = VectorIndex.from_arrays(arrays, prefix, n_groups=n_groups)
        stored = require(arrays, f"{prefix}.graph", np.uint8)
        try:
            return cls(exact, stored)
        except (RuntimeError, ValueError) as error:
            raise StoreError(f"The array '{prefix}.graph' is damaged: {error}. Build the model again.") from error


def _empty_graph(n_dims: int) -> Index:
    return Index(
        ndim=n_dims, metric="ip", dtype="i8", connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )  # fmt: skip
