"""What a process keeps of names for later batches, within bounds: their candidates, and names they are variants of."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 64 * 2**20
RECORD_BYTES = 800  # of Python objects, for each name besides its numbers
MAX_VARIANTS, MAX_VARIANT = 20_000, 200  # texts of mentions, and characters of each: at most 10 MB

Name = tuple[int, str, str | None]
"""The number of a model, and the text and language of mentions."""

Variant = tuple[int, str, str | None, bool]
"""The same, and whether the mention is written like a name of its own."""


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
        self._kb_names: dict[Variant, str] = {}
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

    def kb_name(self, variant: Variant) -> str | None:
        """The name of the list that mentions stand for, or their own text; None where it is not kept."""
        return self._kb_names.get(variant)

    def put_kb_name(self, variant: Variant, name: str) -> None:
        """Keeps the name that mentions stand for; all are dropped when there are too many."""
        if len(variant[1]) <= MAX_VARIANT:
            with self._lock:
                if len(self._kb_names) >= MAX_VARIANTS:
                    self._kb_names.clear()
                self._kb_names[variant] = name

    def clear(self) -> None:
        """Drops all."""
        with self._lock:
            self._candidates.clear()
            self._kb_names.clear()
            self.n_bytes = 0
