"""From an entity's id to its row: sorted hashes, memory-mapped, no dictionary to fill when a model is loaded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.store.checks import check_length
from deixis.store.numbers import narrowed
from deixis.store.part import GIVEN, Part, array
from deixis.store.string_hashes import equal_strings, hash_string, hash_strings
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class IdIndex(Part):
    """Finds ids, and equivalent ids (`alt_ids`) when no entity has the id itself.

    Examples
    --------
    >>> names = StringTable.from_strings(["Q90", "Q167646"])
    >>> index = IdIndex.build(names, StringTable.from_strings(["paris-fr"]), np.array([0, 1, 1]))
    >>> index.row_of("Q167646"), index.row_of("paris-fr"), index.row_of("Q1")
    (1, 0, None)
    """

    ids: Annotated[StringTable, GIVEN]
    alt_ids: Annotated[StringTable, GIVEN]
    alt_id_indptr: Annotated[NDArray[np.int64], GIVEN]
    hashes: Annotated[NDArray[np.uint64], array(rising="or equal")]
    entries: Annotated[NDArray[np.uint32], array(low=0, high="hashes", like="hashes")]

    @classmethod
    def build(cls, ids: StringTable, alt_ids: StringTable, alt_id_indptr: NDArray[np.int64]) -> IdIndex:
        """An index of all ids, then all equivalent ids: of equal ones the first is found."""
        hashes = np.concatenate([hash_strings(ids), hash_strings(alt_ids)])
        entries = np.argsort(hashes, kind="stable")
        return cls(ids, alt_ids, alt_id_indptr, hashes[entries], narrowed(entries, "ids"))

    def row_of(self, identifier: str) -> int | None:
        """The row of the entity with this id, or None."""
        try:
            key = np.uint64(hash_string(identifier))
        except UnicodeEncodeError:  # a lone surrogate: no id has one
            return None
        position = int(np.searchsorted(self.hashes, key))
        while position < len(self.hashes) and self.hashes[position] == key:
            entry = int(self.entries[position])
            if entry < len(self.ids):
                if self.ids[entry] == identifier:
                    return entry
            elif self.alt_ids[entry - len(self.ids)] == identifier:
                return int(np.searchsorted(self.alt_id_indptr, entry - len(self.ids), side="right")) - 1
            position += 1
        return None

    def rows_of(self, identifiers: Iterable[str]) -> NDArray[np.int64]:
        """The row of each id; -1 where there is none."""
        keys = list(identifiers)
        rows = np.full(len(keys), -1, dtype=np.int64)
        if len(self.ids) == 0:
            return rows
        hashes = hash_strings(StringTable.from_strings(keys))
        positions = np.minimum(np.searchsorted(self.hashes, hashes), len(self.entries) - 1)
        possible = np.flatnonzero(self.hashes[positions] == hashes)  # no other id is there
        entries = self.entries[positions[possible]].astype(np.int64)
        known_ids = self.ids.strings(np.minimum(entries, len(self.ids) - 1))
        for position, entry, known_id in zip(possible.tolist(), entries.tolist(), known_ids, strict=True):
            identifier = keys[position]
            if entry < len(self.ids) and known_id == identifier:
                rows[position] = entry
            else:  # an equivalent id, another string with the same hash, or none at all
                row = self.row_of(identifier)
                rows[position] = -1 if row is None else row
        return rows

    def check_parts(self, prefix: str) -> None:
        """There is an entry for each id."""
        check_length(f"{prefix}.hashes", self.hashes, len(self.ids) + len(self.alt_ids))


def repeated_ids(ids: StringTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every row whose id an earlier row has, in order, and the first row with that id."""
    hashes = hash_strings(ids)
    hashes.sort()
    shared = hashes[1:][hashes[1:] == hashes[:-1]]
    if len(shared) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    hashes = hash_strings(ids)
    rows = np.flatnonzero(np.isin(hashes, shared))
    order = rows[np.argsort(hashes[rows], kind="stable")]
    starts_group = np.ones(len(order), dtype=bool)
    starts_group[1:] = hashes[order[1:]] != hashes[order[:-1]]
    first = order[np.maximum.accumulate(np.where(starts_group, np.arange(len(order)), 0))]
    later, first = order[~starts_group], first[~starts_group]
    is_repeated = equal_strings(ids, later, first)
    later, first = later[is_repeated], first[is_repeated]
    in_order = np.argsort(later)
    return later[in_order], first[in_order]
