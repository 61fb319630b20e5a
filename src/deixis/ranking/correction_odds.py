"""What corrections say of names and entities: which names they have answers for, which pairs they call wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deixis.features.name_set import NameSet, folded
from deixis.store.string_hashes import hash_string
from deixis.tables import CandidateTable

STRENGTH = 3.0  # log odds per doubling of how often a pair was corrected, if it was wrong each time
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # rows of one name must not fall together with those of another

Pair = tuple[str, int]
"""A name, and the row of an entity."""


@dataclass(frozen=True, eq=False)
class CorrectedPairs:
    """Names that were seen to mean something, and how much less likely a name means what it was said not to.

    Examples
    --------
    >>> pairs = CorrectedPairs.of(right=[("Paris", 1)], wrong=[("Paris", 0), ("Troy", 0), ("Troy", 0)])
    >>> table = CandidateTable(np.array([0, 2, 3]), np.array([0, 1, 0]), {})
    >>> pairs.log_odds(["PARIS", "Troy"], table).round(1).tolist(), pairs.seen.holds(["Paris", "Troy"]).tolist()
    ([-3.0, 0.0, -4.8], [True, False])
    """

    seen: NameSet = field(default_factory=NameSet)
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    values: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, right: Iterable[Pair], wrong: Iterable[Pair]) -> CorrectedPairs:
        """The log odds of pairs: one that is right as often as wrong is a little less likely than an unknown one."""
        n_right = Counter((folded(name), row) for name, row in right)
        n_wrong = Counter((folded(name), row) for name, row in wrong)
        seen = NameSet.of(name for name, _ in n_right)
        names, rows = [name for name, _ in n_wrong], [row for _, row in n_wrong]
        counts = np.array([(n_right[pair], n) for pair, n in n_wrong.items()], dtype=np.float64).reshape(-1, 2)
        values = STRENGTH * np.log2((counts[:, 0] + 1) / (counts.sum(axis=1) + 1))
        keys, first = np.unique(_keys(_hashes(names), np.array(rows, dtype=np.int64)), return_index=True)
        return cls(seen, keys, values[first])

    def log_odds(self, names: Sequence[str], table: CandidateTable) -> NDArray[np.float64]:
        """What to add to the log odds of each proposal; `names` are those of the mentions."""
        if not len(self.keys):
            return np.zeros(len(table.rows))
        pair_keys = _keys(_hashes(map(folded, names))[table.mention_numbers], table.rows)
        positions = np.minimum(np.searchsorted(self.keys, pair_keys), len(self.keys) - 1)
        return np.where(self.keys[positions] == pair_keys, self.values[positions], 0.0)


def _hashes(names: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([hash_string(name) for name in names], dtype=np.uint64)


def _keys(names: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys: NDArray[np.uint64] = names ^ (rows.astype(np.uint64) + np.uint64(1)) * _SPREAD
    return keys
