"""Candidates of names that a process keeps for later batches, up to a size in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 64 * 2**20
RECORD_BYTES = 800  # of Python objects, for each name besides its numbers

Name = tuple[int, str, str | None]
"""The number of a model, and the text and language of mentions."""


@dataclass(frozen=True, eq=False, slots=True)
class NameCandidates:
    """The candidates of a name: rows, [sources, rows] scores, and the sums of the features that are the name's own."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    sums: NDArray[np.float64]

    @property
    def n_bytes(self) -> int:
        """What it takes in memory."""
        return self.rows.nbytes + self.scores.nbytes + self.sums.nbytes + RECORD_BYTES


class NameCache:
    """The candidates of the names that were used last, up to a size in bytes; for any number of threads.

    Examples
    --------
    >>> empty = NameCandidates(np.zeros(0, np.int32), np.zeros((1, 0), np.float32), np.zeros(0))
    >>> cache = NameCache(2 * empty.n_bytes)
    >>> for name in ("Paris", "Troy", "Rome"):
    ...     cache.put({(1, name, None): empty})
    >>> [name for _, name, _ in cache.get([(1, "Paris", None), (1, "Troy", None)])]
    ['Troy']
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self._candidates: OrderedDict[Name, NameCandidates] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, names: Iterable[Name]) -> dict[Name, NameCandidates]:
        """The candidates of those names that are there."""
        with self._lock:
            known = {name: own for name in names if (own := self._candidates.get(name)) is not None}
            for name in known:
                self._candidates.move_to_end(name)
            return known

    def put(self, candidates: Mapping[Name, NameCandidates]) -> None:
        """Keeps the candidates of names, and drops those of the names that were not used for longest."""
        with self._lock:
            for name, own in candidates.items():
                before = self._candidates.pop(name, None)
                self.n_bytes += own.n_bytes - (0 if before is None else before.n_bytes)
                self._candidates[name] = own
            while self.n_bytes > self.max_bytes:
                self.n_bytes -= self._candidates.popitem(last=False)[1].n_bytes

    def clear(self) -> None:
        """Drops all."""
        with self._lock:
            self._candidates.clear()
            self.n_bytes = 0
