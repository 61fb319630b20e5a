"""From a key to the rows it was given with: sorted 64-bit hashes over ragged entries, memory-mapped as they are.

Keys themselves are not kept. Two different keys among a million share a hash with probability 3 in 100 million, and a
key that the table does not hold is taken for one of them with 1 in 20 million millions; the worst that follows is one
wrong row under one name. Nothing is read when a table is opened: what a search meets is checked when it meets it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.native import _core
from deixis.store.checks import check_length
from deixis.store.numbers import narrowed
from deixis.store.part import Part, array, value
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class KeyEntries:
    """Entries one after the other: the key (or query) each belongs to, its row, and what is known of the pair.

    Entries of one key and row may differ in `kinds` and `spellings`, which are for the user of the table to say;
    `weights` and `counts` are two numbers of at least 0.
    """

    keys: NDArray[np.int64]
    rows: NDArray[np.int32]
    kinds: NDArray[np.int16]
    spellings: NDArray[np.uint32]
    weights: NDArray[np.float32]
    counts: NDArray[np.float32]

    def take(self, chosen: NDArray[Any]) -> KeyEntries:
        """Only these entries, by place or by mask."""
        return KeyEntries(*(column[chosen] for column in self._columns()))

    @staticmethod
    def joined(parts: list[KeyEntries]) -> KeyEntries:
        """The entries of all parts, in order."""
        columns = zip(*(part._columns() for part in parts), strict=True)
        return KeyEntries(*(np.concatenate(column) for column in columns))

    def merged(self) -> KeyEntries:
        """One entry for each key, kind, row and spelling, in that order, the numbers added up."""
        order = np.lexsort((self.spellings, self.rows, self.kinds, self.keys))
        first = np.flatnonzero(_begins_group([column[order] for column in self._columns()[:4]]))
        # Added up in 64 bits: in 32 a large sum stops growing.
        sums = [
            np.add.reduceat(column[order].astype(np.float64), first).astype(np.float32) if len(first) else column
            for column in (self.weights, self.counts)
        ]
        return KeyEntries(*(column[order[first]] for column in self._columns()[:4]), *sums)

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.keys, self.rows, self.kinds, self.spellings, self.weights, self.counts

    def shares(
        self, spellings: NDArray[np.uint32], weight_strength: float, close_share: float = 0.0
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Where the rows of each key begin, the rows, which rise, and the share of each in its key.

        That is of counts, and of weights as if counted `weight_strength` times in all. `spellings` are those of the
        keys: entries that have the lower 16 bits of its own, then all, decide `close_share` of it alone, if there are
        any.
        """
        starts, rows, priors = _core.key_priors(
            self.keys, self.rows, self.spellings, self.weights, self.counts, spellings, weight_strength, close_share
        )
        return starts, rows, priors


@dataclass(frozen=True, eq=False)
class KeyTable(Part):
    """Finds the entries of keys.

    Examples
    --------
    >>> names = StringTable.from_strings(["paris", "troy", "paris"])
    >>> columns = (np.array([7, 8, 9], dtype) for dtype in ("i4", "i2", "u4", "f4", "f4"))
    >>> entries = KeyEntries(np.arange(3), *columns)
    >>> found = KeyTable.build(names, entries, n_rows=10).find(StringTable.from_strings(["rome", "paris"]))
    >>> found.keys.tolist(), found.rows.tolist()
    ([1, 1], [7, 9])
    """

    hashes: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    rows: NDArray[np.int32]
    kinds: Annotated[NDArray[np.int16], array(like="rows")]
    spellings: Annotated[NDArray[np.uint32], array(like="rows")]
    weights: Annotated[NDArray[np.float32], array(like="rows")]
    counts: Annotated[NDArray[np.float32], array(like="rows")]
    n_rows: Annotated[int, value(equals="n_entities")]

    @classmethod
    def build(cls, keys: StringTable, entries: KeyEntries, n_rows: int, max_rows: int = 0) -> KeyTable:
        """A table of these entries, whose `keys` are places in `keys`; empty keys are left out.

        With `max_rows`, only so many rows of each key and kind are kept: those with the largest counts, then weights.
        """
        entries = entries.take(np.diff(keys.offsets)[entries.keys] > 0)
        hashes, numbers = np.unique(hash_strings(keys)[entries.keys], return_inverse=True)
        merged = replace(entries, keys=numbers.astype(np.int64)).merged()
        if max_rows:
            merged = merged.take(_largest(merged, max_rows))
        starts = narrowed(np.searchsorted(merged.keys, np.arange(len(hashes) + 1)), "names")
        columns = (merged.rows, merged.kinds, merged.spellings, merged.weights, merged.counts)
        return cls(hashes, starts, *columns, n_rows)

    def __len__(self) -> int:
        return len(self.hashes)

    def find(self, keys: StringTable) -> KeyEntries:
        """The entries of each key in order; `keys` of the result are positions in `keys`."""
        try:
            columns = _core.key_entries(
                self.hashes, self.starts, self.rows, self.kinds, self.spellings, self.weights, self.counts,
                self.n_rows, keys.data, keys.offsets,
            )  # fmt: skip
        except ValueError as error:  # what was read from a file may be anything
            raise StoreError(
                f"In the table of keys {error}. The model is damaged; run 'deixis doctor' or build it again."
            ) from error
        return KeyEntries(*columns)

    def check_parts(self, prefix: str) -> None:
        """Each key has a beginning and an end; what the rows are is not read."""
        check_length(f"{prefix}.starts", self.starts, len(self.hashes) + 1)


def _largest(entries: KeyEntries, max_rows: int) -> NDArray[np.bool_]:
    """Which of the merged entries belong to the `max_rows` best rows of their key and kind."""
    pairs = np.cumsum(_begins_group([entries.keys, entries.kinds, entries.rows])) - 1  # one number per key, kind, row
    firsts = np.flatnonzero(np.diff(pairs, prepend=-1))
    keys, kinds = entries.keys[firsts], entries.kinds[firsts]
    weights, counts = (np.bincount(pairs, weights=numbers) for numbers in (entries.weights, entries.counts))
    order = np.lexsort((entries.rows[firsts], -weights, -counts, kinds, keys))
    ranks = np.arange(len(order))
    begins = np.where(_begins_group([keys[order], kinds[order]]), ranks, 0)
    is_kept = np.zeros(len(order), dtype=bool)
    is_kept[order] = ranks - np.maximum.accumulate(begins) < max_rows
    is_kept_pair: NDArray[np.bool_] = is_kept[pairs]
    return is_kept_pair


def _begins_group(columns: list[NDArray[Any]]) -> NDArray[np.bool_]:
    """Whether each place differs from the one before it in some column."""
    begins = np.ones(len(columns[0]), dtype=bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return begins
