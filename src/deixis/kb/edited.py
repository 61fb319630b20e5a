"""A knowledge base with edits: the built entities, those added or edited since, and which rows are still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb.columns import EntityColumns
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.row_parts import JoinedStrings, RowParts
from deixis.store.strings import StringTable
from deixis.tables import EntityMask

N_SAMPLED = 2000  # entities of which a short one is taken
MAX_MASKS = 16  # of filters that are kept for the next call
_RAGGED = {"alias": ("aliases", "alias_langs", "alias_counts"), "description": ("descriptions", "description_langs"),
           "type": ("type_codes",), "alt_id": ("alt_ids",)}  # fmt: skip


class EditedKnowledgeBase(KnowledgeBase):
    """Entities by row: those of the built list first, then those added or edited. A removed or edited row stays.

    `parts` are knowledge bases one after the other; `is_live` says which rows still count. Single entities are read
    where they lie; whole columns, which few things need, are joined when they are first used.

    Examples
    --------
    >>> built = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> added = KnowledgeBase.from_records([{"id": "Q22647", "title": "Ilium"}])
    >>> kb = EditedKnowledgeBase([built, added], removed=[])
    >>> kb.row_of("Q22647"), kb.title(2), kb.is_live.tolist(), kb.n_entities
    (2, 'Ilium', [True, False, True], 2)
    """

    def __init__(self, parts: Sequence[KnowledgeBase], removed: Iterable[str]) -> None:
        row_parts = RowParts.of(map(len, parts))
        is_live = np.ones(row_parts.n_rows, dtype=bool)
        edited = parts[0].rows_of(identifier for part in parts[1:] for identifier in part.ids)
        new_rows = len(parts[0]) + np.flatnonzero(edited >= 0)
        edited = edited[edited >= 0]
        gone = parts[0].rows_of(removed)
        is_live[edited] = is_live[gone[gone >= 0]] = False
        is_live.setflags(write=False)
        order = np.argsort(edited)
        self._set(parts, is_live, edited[order], new_rows[order])

    @classmethod
    def of_rows(
        cls,
        parts: Sequence[KnowledgeBase],
        is_live: EntityMask,
        edited_rows: NDArray[np.int64],
        new_rows: NDArray[np.int64],
    ) -> EditedKnowledgeBase:
        """The same, where it is known which rows count and what edited entities have become."""
        kb = cls.__new__(cls)
        kb._set(parts, is_live, edited_rows, new_rows)
        return kb

    def _set(
        self,
        parts: Sequence[KnowledgeBase],
        is_live: EntityMask,
        edited_rows: NDArray[np.int64],
        new_rows: NDArray[np.int64],
    ) -> None:
        row_parts = RowParts.of(map(len, parts), _shortest_row(parts[0]))
        values = {"parts": tuple(parts), "row_parts": row_parts, "is_live": is_live,
                  "edited_rows": edited_rows, "new_rows": new_rows,
                  "ids": JoinedStrings([part.ids for part in parts]),
                  "titles": JoinedStrings([part.titles for part in parts])}  # fmt: skip
        for name, each in values.items():
            object.__setattr__(self, name, each)

    parts: tuple[KnowledgeBase, ...]
    row_parts: RowParts
    is_live: EntityMask
    edited_rows: NDArray[np.int64]
    """Rows of built entities that were edited, rising."""
    new_rows: NDArray[np.int64]
    """What these entities have become: the row of each."""

    @cached_property
    def _columns(self) -> EntityColumns:
        return joined_columns(self.parts)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any column
        if name.startswith("_") or name not in EntityColumns.__dataclass_fields__:
            raise AttributeError(name)
        return getattr(self._columns, name)

    def __len__(self) -> int:
        return self.row_parts.n_rows

    @property
    def live(self) -> EntityMask | None:
        """Which rows count; None: all."""
        return self.is_live if self.n_entities < len(self) else None

    @cached_property
    def n_entities(self) -> int:
        """How many entities there are."""
        return int(self.is_live.sum())

    def part_masks(self, mask: EntityMask | None, has_edited: bool = False) -> list[EntityMask | None]:
        """The mask of each part, of rows that count and pass `mask`; None where all do. Read-only, the last are kept.

        With `has_edited`, rows of built entities that were edited pass if what they have become does.
        """
        key = (id(mask), has_edited)
        if key not in self._kept_masks:
            passes = self.is_live if mask is None else self.is_live & mask
            if has_edited and len(self.edited_rows):
                passes = passes.copy()
                passes[self.edited_rows] = passes[self.new_rows]
            masks: list[EntityMask | None] = []
            for start, end in pairwise(self.row_parts.starts.tolist()):
                own = passes[start:end]
                own.setflags(write=False)
                masks.append(None if own.all() else own)
            for oldest in list(self._kept_masks)[: max(0, len(self._kept_masks) - MAX_MASKS + 1)]:
                self._kept_masks.pop(oldest, None)
            self._kept_masks[key] = (mask, masks)
        return self._kept_masks[key][1]

    @cached_property
    def _kept_masks(self) -> dict[tuple[int, bool], tuple[EntityMask | None, list[EntityMask | None]]]:
        return {}  # each with the mask it was made of, so that no other array has its number meanwhile

    def current_rows(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows, those of built entities that were edited replaced by what they have become."""
        if not len(self.edited_rows) or not len(rows):
            return rows
        positions = np.minimum(np.searchsorted(self.edited_rows, rows), len(self.edited_rows) - 1)
        return np.where(self.edited_rows[positions] == rows, self.new_rows[positions], rows)

    def built_row(self, row: int) -> int | None:
        """The row that an entity had before it was edited, among the built ones; None if it was added."""
        if row < len(self.parts[0]):
            return row
        positions = np.flatnonzero(self.new_rows == row)
        return int(self.edited_rows[positions[0]]) if len(positions) else None

    def row_of(self, identifier: str) -> int | None:
        """The row of the entity with this id or equivalent id, or None."""
        for number in reversed(range(len(self.parts))):
            own = self.parts[number].row_of(identifier)
            if own is not None and self.is_live[int(self.row_parts.starts[number]) + own]:
                return int(self.row_parts.starts[number]) + own
        return None

    def rows_of(self, identifiers: Iterable[str]) -> NDArray[np.int64]:
        """The row of each id; -1 where there is none."""
        names = list(identifiers)
        rows = np.full(len(names), -1, dtype=np.int64)
        for number in reversed(range(len(self.parts))):
            missing = np.flatnonzero(rows < 0)
            own = self.parts[number].rows_of([names[position] for position in missing.tolist()])
            in_all = own + self.row_parts.starts[number]
            is_there = (own >= 0) & self.is_live[np.where(own >= 0, in_all, 0)]
            rows[missing[is_there]] = in_all[is_there]
        return rows

    def take(self, rows: Iterable[int] | NDArray[np.integer]) -> KnowledgeBase:
        """A knowledge base of only these rows, in this order."""
        return KnowledgeBase.from_columns(self._columns).take(rows)

    def merged(self) -> KnowledgeBase:
        """The entities that still count, as an ordinary knowledge base."""
        return self.take(np.flatnonzero(self.is_live))

    def entity(self, row_or_id: int | str) -> Entity:
        """Everything about one entity."""
        row = self.row_of(row_or_id) if isinstance(row_or_id, str) else int(row_or_id)
        if row is None:
            raise DataError(f"no entity has the id {row_or_id!r}")
        if not 0 <= row < len(self):
            raise DataError(f"no entity in row {row}; the knowledge base has {len(self)}")
        number, own = self.row_parts.locate(row)
        return self.parts[number].entity(own)

    def types(self, row: int) -> tuple[str, ...]:
        """The names of the types of the entity in a row."""
        number, own = self.row_parts.locate(row)
        return self.parts[number].types(own)

    def names_of(self, row: int) -> list[str]:
        """The title and the aliases of the entity in a row."""
        number, own = self.row_parts.locate(row)
        return self.parts[number].names_of(own)

    def entities(self) -> Iterator[Entity]:
        """Every entity that still counts, one at a time."""
        return (self.entity(row) for row in np.flatnonzero(self.is_live).tolist())

    def names(self) -> tuple[StringTable, NDArray[np.int32]]:
        """All titles, then all aliases, no name twice for one entity; and the row each belongs to: live ones only."""
        names, rows = super().names()
        is_kept = np.flatnonzero(self.is_live[rows])
        return (names, rows) if len(is_kept) == len(rows) else (names.take(is_kept), rows[is_kept])

    def description_texts(self, rows: NDArray[np.integer] | None = None) -> StringTable:
        """One text per entity, or per entity in `rows`: its descriptions, joined by a space."""
        if rows is None:
            return super().description_texts()
        joined, order = StringTable.from_strings([]), np.zeros(len(rows), dtype=np.int64)
        for number, positions, own in self.row_parts.split(np.asarray(rows)):
            order[positions] = len(joined) + np.arange(len(positions))
            joined = joined.joined(self.parts[number].description_texts(own))
        return joined.take(order)

    @property
    def described_fraction(self) -> float:
        """The share of the built entities that have a description."""
        return self.parts[0].described_fraction


def _shortest_row(kb: KnowledgeBase) -> int:
    """An entity, of the first ones, whose descriptions are short: its words are read quickly."""
    starts = kb.descriptions.offsets[kb.description_indptr[:N_SAMPLED]]
    return int(np.argmin(np.diff(starts))) if len(starts) > 1 else 0


def joined_columns(parts: Sequence[EntityColumns]) -> EntityColumns:
    """The columns of all parts, one after the other, with one numbering of languages and types."""
    langs = tuple(dict.fromkeys(lang for part in parts for lang in part.langs))
    types = list(dict.fromkeys(name for part in parts for name in part.type_names))
    columns: dict[str, Any] = {"langs": langs, "type_names": StringTable.from_strings(types)}
    for name in ("ids", "titles", "urls", "counts"):
        columns[name] = _joined([getattr(part, name) for part in parts])
    for ragged, items in _RAGGED.items():
        starts = [getattr(part, f"{ragged}_indptr") for part in parts]
        shifts = np.cumsum([0, *(indptr[-1] for indptr in starts)])
        shifted = [indptr[min(1, number) :] + shift for number, (indptr, shift) in enumerate(zip(starts, shifts))]  # noqa: B905
        columns[f"{ragged}_indptr"] = np.concatenate(shifted)
        for name in items:
            values = [getattr(part, name) for part in parts]
            if name.endswith("_langs"):
                values = [_renumbered(own, part.langs, langs) for own, part in zip(values, parts, strict=True)]
            elif name == "type_codes":
                values = [
                    _renumbered(own, list(part.type_names), types) for own, part in zip(values, parts, strict=True)
                ]
            columns[name] = _joined(values)
    return EntityColumns(**columns)


def _joined(values: Sequence[Any]) -> Any:  # noqa: ANN401 - arrays, or tables of strings
    return JoinedStrings(values) if isinstance(values[0], StringTable) else np.concatenate(values)


def _renumbered(codes: NDArray[Any], names: Sequence[str], all_names: Sequence[str]) -> NDArray[Any]:
    """Codes of names (-1: none) as positions in a longer list of names."""
    position_of = {name: position for position, name in enumerate(all_names)}
    positions = np.array([*(position_of[name] for name in names), -1], dtype=codes.dtype)
    renumbered: NDArray[Any] = positions[codes]
    return renumbered
