"""Dense vectors and the groups they stand for: the groups with the vectors most like a query, found exactly.

Every vector is compared, block by block. What is chosen is then scored again, each pair by itself in 64 bits, so that
scores do not depend on the other queries of a call. Of each number one byte is kept and of each vector a
scale: a quarter of the room of 32-bit numbers, scores off by about half a thousandth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError, DataError
from deixis.store.checks import is_sorted
from deixis.store.part import GIVEN, Part, array
from deixis.tables import FlatRows

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_BLOCK_VECTORS, _BLOCK_QUERIES = 8192, 256
_MAX_CODE = 127
_SLACK = 1e-4  # what 32-bit products may be off by, and more
_LEAST = 1e-6  # a similarity that is not above this counts as none


@dataclass(frozen=True, eq=False)
class VectorIndex(Part):
    """All vectors, in the order of their groups.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> index = VectorIndex.build([vectors], groups=np.array([0, 0, 1]))
    >>> found = index.search(np.array([[0, 1]], dtype=np.float32), k=2)
    >>> found.indices.tolist(), [round(float(score), 2) for score in found.data]
    ([0, 1], [1.0, 0.8])
    """

    codes: Annotated[NDArray[np.int8], array(ndim=2)]
    scales: Annotated[Floats, array(low=0, high=2, like="codes")]
    groups: Annotated[NDArray[np.int32], array(low=0, high="n_groups", like="codes", rising="or equal")]
    n_groups: Annotated[int, GIVEN]

    def __len__(self) -> int:
        return len(self.groups)

    @classmethod
    def build(cls, blocks: Iterable[Floats], groups: NDArray[np.integer], n_groups: int | None = None) -> VectorIndex:
        """The index of the rows of all `blocks`, each of length one; `groups[i]`, which never falls, has row `i`."""
        if n_groups is None:
            n_groups = int(groups.max()) + 1 if len(groups) else 0
        if len(groups) and not (is_sorted(groups) and 0 <= groups[0] and groups[-1] < n_groups):
            raise DataError(f"Groups must lie in 0..{n_groups - 1} and never fall.")
        parts = [_quantized(block) for block in blocks]
        codes = np.concatenate([codes for codes, _ in parts]) if parts else np.zeros((0, 0), dtype=np.int8)
        if len(codes) != len(groups):
            raise DataError(f"{len(codes)} vectors need a group each, got {len(groups)} groups.")
        scales = np.concatenate([np.zeros(0, dtype=np.float32), *(scales for _, scales in parts)])
        return cls(codes, scales, groups.astype(np.int32), n_groups)

    @property
    def n_dims(self) -> int:
        """Numbers in a vector."""
        return int(self.codes.shape[1])

    def vectors(self, positions: slice | NDArray[np.int64]) -> Floats:
        """The vectors at these places, as they are kept."""
        return self.codes[positions].astype(np.float32) * self.scales[positions, None]

    def search(self, queries: Floats, k: int, is_open: Mask | None = None) -> FlatRows:
        """queries_by_groups: the best `k` groups of each query, stored best first, each with its best vector's score.

        Only vectors that are open are compared. Groups of which no vector has a score above 0 are not found.
        """
        self.check_search(queries, k, is_open)
        blocks = [
            self._candidates(queries[start : start + _BLOCK_QUERIES], k, is_open)
            for start in range(0, len(queries), _BLOCK_QUERIES)
        ]
        rows = [rows + number * _BLOCK_QUERIES for number, (rows, _) in enumerate(blocks)]
        positions = [positions for _, positions in blocks]
        empty = np.zeros(0, dtype=np.int64)
        return self.best(queries, np.concatenate([empty, *rows]), np.concatenate([empty, *positions]), k)

    def check_search(self, queries: Floats, k: int, is_open: Mask | None) -> None:
        """An error unless these can be searched for."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        if queries.ndim != 2 or queries.shape[1] != self.n_dims:
            raise DataError(f"Queries of shape {queries.shape} do not fit vectors of {self.n_dims} numbers.")
        if is_open is not None and (is_open.dtype != np.bool_ or is_open.shape != (len(self),)):
            raise DataError(f"Which vectors are open needs {len(self)} booleans, got {is_open.dtype} {is_open.shape}.")

    def best(self, queries: Floats, rows: NDArray[np.int64], positions: NDArray[np.int64], k: int) -> FlatRows:
        """The best `k` groups among the vectors at `positions`, where `rows` has the query of each; scored again."""
        scores = self._dots(queries, rows, positions)
        groups = self.groups[positions]
        is_like = scores > _LEAST
        rows, groups, scores = rows[is_like], groups[is_like], np.minimum(scores[is_like], 1)
        order = np.lexsort((-scores, groups, rows))
        rows, groups, scores = rows[order], groups[order], scores[order]
        is_first = np.ones(len(rows), dtype=bool)  # the best vector of its group
        is_first[1:] = (rows[1:] != rows[:-1]) | (groups[1:] != groups[:-1])
        rows, groups, scores = rows[is_first], groups[is_first], scores[is_first]
        order = np.lexsort((groups, -scores, rows))
        starts = np.searchsorted(rows, np.arange(len(queries) + 1))
        order = order[np.arange(len(rows)) - starts[rows] < k]
        indptr = np.concatenate([[0], np.cumsum(np.minimum(np.diff(starts), k))])
        return FlatRows(indptr, groups[order], scores[order], (len(queries), self.n_groups))

    def scores(self, queries: Floats, starts: NDArray[np.int64], groups: NDArray[np.integer]) -> Floats:
        """The score of the best vector of each of `groups[starts[i]:starts[i + 1]]` for query `i`; 0 if not similar.

        Examples
        --------
        >>> index = VectorIndex.build([np.array([[1, 0], [0, 1]], dtype=np.float32)], groups=np.array([0, 2]))
        >>> index.scores(np.array([[0, 1]], dtype=np.float32), np.array([0, 3]), np.array([0, 1, 2])).tolist()
        [0.0, 0.0, 1.0]
        """
        self.check_search(queries, 1, None)
        low, high = (np.searchsorted(self.groups, groups, side) for side in ("left", "right"))
        lengths = high - low
        firsts = np.cumsum(lengths) - lengths
        positions = np.repeat(low - firsts, lengths) + np.arange(lengths.sum())
        rows = np.repeat(np.repeat(np.arange(len(queries)), np.diff(starts)), lengths)
        best = np.zeros(len(groups), dtype=np.float32)
        if len(positions):
            has_vectors = lengths > 0
            best[has_vectors] = np.maximum.reduceat(self._dots(queries, rows, positions), firsts[has_vectors])
        return np.where(best > _LEAST, np.minimum(best, 1), np.float32(0))

    def joined(self, other: VectorIndex) -> VectorIndex:
        """The vectors of both, those of the other after this one's own of the same group."""
        if len(self) and len(other) and self.n_dims != other.n_dims:
            raise DataError(f"Vectors of {self.n_dims} and of {other.n_dims} numbers cannot be in one index.")
        groups = np.concatenate([self.groups, other.groups])
        order = np.argsort(groups, kind="stable")
        codes = np.concatenate([each.codes for each in (self, other) if len(each)] or [self.codes])
        scales = np.concatenate([self.scales, other.scales])
        return VectorIndex(codes[order], scales[order], groups[order], max(self.n_groups, other.n_groups))

    def _dots(self, queries: Floats, rows: NDArray[np.int64], positions: NDArray[np.int64]) -> Floats:
        """The dot product of each pair of a query and a vector, the same whatever pairs stand around it."""
        scores = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _BLOCK_VECTORS):
            part = slice(start, start + _BLOCK_VECTORS)
            products = queries[rows[part]].astype(np.float64) * self.vectors(positions[part])
            scores[part] = products.sum(axis=1)
        return scores

    def _candidates(self, queries: Floats, k: int, is_open: Mask | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of queries and places of vectors: all that may belong to the best `k` groups."""
        best = np.full((len(queries), k), _LEAST, dtype=np.float32)  # scores of the best groups until now
        chunks = []
        for positions in self._blocks(is_open):
            scores = queries @ self.codes[positions].astype(np.float32).T
            scores *= self.scales[positions]
            groups = self.groups[positions]
            starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
            pool = np.concatenate([best, np.maximum.reduceat(scores, starts, axis=1)], axis=1)
            best = np.partition(pool, -k, axis=1)[:, -k:]
            rows, columns = np.nonzero(scores > best.min(axis=1, keepdims=True) - _SLACK)
            chunks.append((rows, _chosen(positions, columns), scores[rows, columns]))
        if not chunks:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        of_query, candidates, similarities = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
        is_good = similarities > (best.min(axis=1) - _SLACK)[of_query]
        return of_query[is_good], candidates[is_good]

    def _blocks(self, is_open: Mask | None) -> Iterator[slice | NDArray[np.int64]]:
        """The places of all open vectors, some thousands at a time; those of one group stay together."""
        opened = None if is_open is None else np.flatnonzero(is_open)
        groups = self.groups if opened is None else self.groups[opened]
        low = 0
        while low < len(groups):
            last = groups[min(low + _BLOCK_VECTORS, len(groups)) - 1]
            high = int(np.searchsorted(groups, last, side="right"))
            yield slice(low, high) if opened is None else opened[low:high]
            low = high

    @property
    def exact(self) -> VectorIndex:
        """The index itself: every index has an exact one."""
        return self

    @classmethod
    def over(cls, exact: VectorIndex) -> VectorIndex:
        """The index of the vectors of an exact one."""
        return exact


def _chosen(positions: slice | NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    return columns + positions.start if isinstance(positions, slice) else positions[columns]


def _quantized(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    """One byte per number, and per vector what a step of it is worth."""
    scales = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / np.float32(_MAX_CODE)
    return np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8), scales
