"""A list that is edited again and again: each further change costs in proportion to itself, not to all before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from deixis.kb.edited import EditedKnowledgeBase, joined_columns
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.row_parts import RowParts
from deixis.store.strings import StringTable
from deixis.tables import EntityMask

MIN_RATIO = 8  # a part has at least so many times the entities of the one after it; else they become one
Entities = Mapping[str, str | None]
"""Entities that differ from the built list, in order: the id to the record as JSON, None for one that was removed."""


@dataclass(frozen=True, eq=False)
class RecordPart:
    """Entities that were added or edited together, and the records that they were made of."""

    kb: KnowledgeBase
    records: tuple[str, ...]

    @classmethod
    def of(cls, records: Sequence[str]) -> RecordPart:
        """The entities of these records."""
        return cls(KnowledgeBase.from_records(json.loads(record) for record in records), tuple(records))


@dataclass(frozen=True, eq=False)
class EditedList:
    """A built list and the entities that differ from it, in parts; `is_live` says which rows of all still count.

    A new change makes a small part; parts that are no longer small beside the one before are joined with it, so there
    are few. Which parts there are depends on the order of changes; which entities count, and their order, do not.

    Examples
    --------
    >>> built = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> edited = EditedList.of(built).updated({"Q84": '{"id": "Q84", "title": "London"}', "Q90": None})
    >>> [entity.title for entity in edited.kb.entities()], len(edited.updated({}).kb)
    (['London'], 1)
    """

    built: KnowledgeBase
    is_live: EntityMask
    parts: tuple[RecordPart, ...] = ()
    edited_rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Rows of built entities that were edited, rising."""
    new_rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """What these entities have become: the row of each."""
    kb: KnowledgeBase = field(init=False)

    def __post_init__(self) -> None:
        kb = self.built
        if self.is_live[len(kb) :].any() or not self.is_live[: len(kb)].all():
            kbs = [self.built, *(part.kb for part in self.parts)]
            kb = EditedKnowledgeBase.of_rows(kbs, self.is_live, self.edited_rows, self.new_rows)
        object.__setattr__(self, "kb", kb)

    @classmethod
    def of(cls, built: KnowledgeBase) -> EditedList:
        """A list without edits."""
        return cls(built, np.ones(len(built), dtype=bool))

    @property
    def row_parts(self) -> RowParts:
        """Where the rows of each part begin."""
        if isinstance(self.kb, EditedKnowledgeBase):
            return self.kb.row_parts
        return RowParts.of([len(self.built), *(len(part.kb) for part in self.parts)])

    @property
    def edits(self) -> EntityEdits:
        """What differs from the built list, all put together."""
        start, records = len(self.built), []
        for part in self.parts:
            own = np.flatnonzero(self.is_live[start : start + len(part.kb)])
            records += [part.records[row] for row in own.tolist()]
            start += len(part.kb)
        removed = np.setdiff1d(np.flatnonzero(~self.is_live[: len(self.built)]), self.edited_rows)
        return EntityEdits(
            StringTable.from_strings(records), StringTable.from_strings(sorted(self.built.ids.take(removed)))
        )

    def updated(self, entities: Entities, changed: Sequence[str] | None = None) -> EditedList:
        """The list in which these entities, and no others, differ from the built one.

        `changed` are the ids that are not as before, if somebody knows them: their records come after all others.
        """
        return self._replaced(entities) if changed is None else self._changed(entities, changed)

    def _changed(self, entities: Entities, changed: Sequence[str]) -> EditedList:
        is_live, built_rows = self.is_live.copy(), _own_rows(self.built, changed)
        start = len(self.built)
        for part in self.parts:
            own = _own_rows(part.kb, changed)
            is_live[start + own[own >= 0]] = False
            start += len(part.kb)
        is_touched = built_rows >= 0
        is_live[built_rows[is_touched]] = [
            each not in entities for each, row in zip(changed, built_rows, strict=True) if row >= 0
        ]
        records = [record for each in changed if (record := entities.get(each)) is not None]
        is_moved = np.array([entities.get(each) is not None for each in changed], dtype=bool)
        rows = np.full(len(changed), -1, dtype=np.int64)
        rows[is_moved] = len(is_live) + np.arange(len(records))
        stays = ~np.isin(self.edited_rows, built_rows[is_touched])
        is_new = is_touched & is_moved
        edited_rows = np.concatenate([self.edited_rows[stays], built_rows[is_new]])
        new_rows = np.concatenate([self.new_rows[stays], rows[is_new]])
        order = np.argsort(edited_rows)
        updated = replace_parts(self, is_live, self.parts, edited_rows[order], new_rows[order])
        return updated if not records else updated._with_part(RecordPart.of(records))

    def _replaced(self, entities: Entities) -> EditedList:
        """The same from any list of the same built entities: records that it has in this order stay where they are."""
        row_of = {record: row for row, record in enumerate(record for part in self.parts for record in part.records)}
        rows: list[int] = []
        further: list[str] = []
        for record in entities.values():
            if record is None:
                continue
            row = row_of.get(record, -1)
            if not further and row > (rows[-1] if rows else -1):
                rows.append(row)
            else:
                further.append(record)
        n_built = len(self.built)
        is_live = np.ones(len(self.is_live), dtype=bool)
        is_live[n_built:] = False
        is_live[n_built + np.array(rows, dtype=np.int64)] = True
        built_rows = _own_rows(self.built, entities)
        is_live[built_rows[built_rows >= 0]] = False
        updated = replace_parts(self, is_live, self.parts, self.edited_rows[:0], self.new_rows[:0])
        updated = updated._with_part(RecordPart.of(further)) if further else updated
        return updated._with_moved_rows()

    def _with_moved_rows(self) -> EditedList:
        """The same, with what built entities have become searched anew."""
        start, edited_rows, new_rows = len(self.built), [self.edited_rows[:0]], [self.new_rows[:0]]
        for part in self.parts:
            own = np.flatnonzero(self.is_live[start : start + len(part.kb)])
            rows = _own_rows(self.built, part.kb.ids.strings(own))
            edited_rows.append(rows[rows >= 0])
            new_rows.append(start + own[rows >= 0])
            start += len(part.kb)
        edited = np.concatenate(edited_rows)
        order = np.argsort(edited)
        return replace_parts(self, self.is_live, self.parts, edited[order], np.concatenate(new_rows)[order])

    def _with_part(self, part: RecordPart) -> EditedList:
        """The list with one part more, joined with those before that are not much larger."""
        is_live = np.concatenate([self.is_live, np.ones(len(part.kb), dtype=bool)])
        parts, n_joined = [*self.parts, part], 1
        n_entities = len(part.kb)
        while n_joined < len(parts) and n_entities * MIN_RATIO >= len(parts[-n_joined - 1].kb):
            n_entities += len(parts[-n_joined - 1].kb)
            n_joined += 1
        if n_joined == 1:
            return replace_parts(self, is_live, tuple(parts), self.edited_rows, self.new_rows)
        start = len(is_live) - n_entities
        own = np.flatnonzero(is_live[start:])
        rows_after = start + np.cumsum(is_live[start:]) - 1
        new_rows = self.new_rows.copy()
        is_moved = new_rows >= start
        new_rows[is_moved] = rows_after[new_rows[is_moved] - start]
        joined = tuple(parts[:-n_joined])
        if len(own):
            joined += (_joined(parts[-n_joined:], own),)
        is_live = np.concatenate([is_live[:start], np.ones(len(own), dtype=bool)])
        return replace_parts(self, is_live, joined, self.edited_rows, new_rows)


def replace_parts(
    edited: EditedList,
    is_live: EntityMask,
    parts: tuple[RecordPart, ...],
    edited_rows: NDArray[np.int64],
    new_rows: NDArray[np.int64],
) -> EditedList:
    """The list with other parts, of which these rows count."""
    is_live.setflags(write=False)
    return replace(edited, is_live=is_live, parts=parts, edited_rows=edited_rows, new_rows=new_rows)


def _joined(parts: Sequence[RecordPart], rows: NDArray[np.int64]) -> RecordPart:
    """These rows of several parts as one."""
    records = [record for part in parts for record in part.records]
    kb = KnowledgeBase.from_columns(joined_columns([part.kb for part in parts])).take(rows)
    return RecordPart(kb, tuple(records[row] for row in rows.tolist()))


def _own_rows(kb: KnowledgeBase, identifiers: Iterable[str]) -> NDArray[np.int64]:
    """The row of the entity that has each id itself, not as an equivalent one; -1 where there is none."""
    names = list(identifiers)
    rows = kb.rows_of(names)
    positions = np.flatnonzero(rows >= 0)
    own_ids = kb.ids.strings(rows[positions])
    is_other = [names[position] != own for position, own in zip(positions.tolist(), own_ids, strict=True)]
    rows[positions[is_other]] = -1
    return rows
