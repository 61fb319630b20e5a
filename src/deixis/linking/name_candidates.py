"""Candidates of mentions, searched once for each name, and kept for later batches of the process.

What is kept depends on nothing but a name, its language and the model. A changed model is another one, so its
candidates are searched anew, and those of the model before it are the first to go.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.ranking.ranker import FeatureRanker
from deixis.tables import CandidateTable, EntityMask
from deixis.types import MentionInContext

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
            candidates = {name: own for name in names if (own := self._candidates.get(name)) is not None}
            for name in candidates:
                self._candidates.move_to_end(name)
            return candidates

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


class JoinedScores(Mapping[str, NDArray[np.float32]]):
    """The scores of sources for the candidates of several mentions, put together when they are read."""

    def __init__(self, sources: Sequence[str], candidates: Sequence[NameCandidates]) -> None:
        self._numbers = {name: number for number, name in enumerate(sources)}
        self._candidates = candidates

    def __getitem__(self, source: str) -> NDArray[np.float32]:
        number = self._numbers[source]
        return np.concatenate([np.zeros(0, np.float32), *(own.scores[number] for own in self._candidates)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


CACHE = NameCache()
"""The candidates that this process keeps."""

_numbers = itertools.count()
_number_of: WeakKeyDictionary[CandidateSources, WeakKeyDictionary[FeatureRanker, int]] = WeakKeyDictionary()


def candidates_by_name(
    sources: CandidateSources,
    ranker: FeatureRanker,
    mentions: Sequence[MentionInContext],
    mask: EntityMask | None = None,
) -> tuple[CandidateTable, NDArray[np.float64]]:
    """The candidates of mentions, and for each of them the sum of the features that do not read the context.

    Under a filter nothing is kept; where a source reads the context, each mention is searched for itself.
    """
    if sources.read_context:
        table = sources.propose(mentions, mask)
        return table, ranker.name_sums(mentions, table)
    number = _model_number(sources, ranker)
    names: list[Name] = [(number, mention.text, mention.lang) for mention in mentions]
    first: dict[Name, MentionInContext] = {}
    for name, mention in zip(names, mentions, strict=True):
        first.setdefault(name, mention)
    candidates = CACHE.get(first) if mask is None else {}
    new = [name for name in first if name not in candidates]
    if new:
        searched = _searched(sources, ranker, [first[name] for name in new], mask)
        new_candidates = dict(zip(new, searched, strict=True))
        if mask is None:
            CACHE.put(new_candidates)
        candidates |= new_candidates
    return _joined(sources.columns, [candidates[name] for name in names])


def _model_number(sources: CandidateSources, ranker: FeatureRanker) -> int:
    return _number_of.setdefault(sources, WeakKeyDictionary()).setdefault(ranker, next(_numbers))


def _searched(
    sources: CandidateSources, ranker: FeatureRanker, mentions: Sequence[MentionInContext], mask: EntityMask | None
) -> Iterator[NameCandidates]:
    """The candidates of each mention, as they are kept."""
    table = sources.propose(mentions, mask)
    sums, rows = ranker.name_sums(mentions, table), table.rows.astype(np.int32)
    scores = np.array([table.column(source) for source in sources.columns], dtype=np.float32)
    for start, end in pairwise(table.starts.tolist()):
        yield NameCandidates(rows[start:end].copy(), scores[:, start:end].copy(), sums[start:end].copy())


def _joined(sources: Sequence[str], candidates: Sequence[NameCandidates]) -> tuple[CandidateTable, NDArray[np.float64]]:
    starts = np.cumsum([0, *(len(own.rows) for own in candidates)], dtype=np.int64)
    rows = np.concatenate([np.zeros(0, np.int64), *(own.rows for own in candidates)])
    sums = np.concatenate([np.zeros(0), *(own.sums for own in candidates)])
    return CandidateTable(starts, rows, JoinedScores(sources, candidates)), sums
