"""What a model's journal adds up to at one generation: the entities and the corrections that differ from its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from deixis.documents.corrections import VERDICTS, Correction
from deixis.errors import StoreError, ToolkitError
from deixis.kb.edited_list import EditedList
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrections import Corrections
from deixis.store.change import Position, Snapshot, StateEntry
from deixis.store.strings import StringTable

ENTITY, CORRECTION = "entity", "correction"
"""The kinds of values that a journal of a linker has."""
Record = dict[str, Any]
"""An entity as its native record."""


@dataclass(frozen=True, slots=True)
class EditedEntity:
    """An entity that differs from the built list: its record as JSON, None if it was removed, and its position."""

    record: str | None
    position: Position


@dataclass(frozen=True)
class ModelState:
    """The state of a model at one generation: entities that differ from the built list, and all corrections.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> entry = StateEntry("entity", "Q84", '{"id": "Q84", "title": "London"}', (1, 0), 1)
    >>> state = ModelState().after(Snapshot(1, (entry,)), kb)
    >>> state.generation, [entity.title for entity in state.edits.applied(kb).entities()]
    (1, ['Paris', 'London'])
    """

    generation: int = 0
    entities: Mapping[str, EditedEntity] = field(default_factory=dict)
    key_to_corrections: Mapping[str, tuple[Correction, ...]] = field(default_factory=dict)
    changed: tuple[str, ...] | None = None
    """The entities that differ from the state before, if all of them come after those that do not."""

    def n_entities(self, built: KnowledgeBase) -> int:
        """How many entities there are, of a list that was built with these."""
        n_removed = sum(each.record is None for each in self.entities.values())
        n_added = sum(entity_record(built, identifier) is None for identifier in self.entities)
        return len(built) + n_added - n_removed

    @classmethod
    def of_folder(cls, generation: int, edits: EntityEdits | None, corrections: Corrections) -> ModelState:
        """The state that a model folder includes."""
        entities: dict[str, EditedEntity] = {}
        if edits is not None:
            for number, identifier in enumerate(edits.removed):
                entities[identifier] = EditedEntity(None, (0, number))
            for number, record in enumerate(edits.records):
                entities[json.loads(record)["id"]] = EditedEntity(record, (0, len(edits.removed) + number))
        named = {correction_key(each[0]): each for each in corrections.by_key.values()}
        return cls(generation, entities, named)

    def after(self, snapshot: Snapshot, built: KnowledgeBase) -> ModelState:
        """The state with what a journal says; `built` is the list that the folder was built from.

        An entity that is as it was built is no edit.
        """
        entities, corrections = dict(self.entities), dict(self.key_to_corrections)
        last = next(reversed(entities.values())).position if entities else (0, 0)
        is_sorted = True
        is_built = _are_built(built, [entry for entry in snapshot.entries if entry.kind == ENTITY])
        changed = tuple(entry.key for entry in snapshot.entries if entry.kind == ENTITY)
        for entry in snapshot.entries:
            if entry.kind == CORRECTION:
                corrections.pop(entry.key, None)
                if entry.text is not None:
                    corrections[entry.key] = _corrections_in(entry.value)
                continue
            before = entities.pop(entry.key, None)
            if is_built[entry.key]:
                continue
            position = entry.position or (before.position if before else (0, 0))
            is_sorted, last = is_sorted and position >= last, position
            entities[entry.key] = EditedEntity(entry.text, position)
        if not is_sorted:
            entities = dict(sorted(entities.items(), key=lambda item: item[1].position))
        return ModelState(snapshot.generation, entities, corrections, changed if is_sorted else None)

    @cached_property
    def edits(self) -> EntityEdits:
        """The entities that differ, in the order that they were put."""
        records = (each.record for each in self.entities.values() if each.record is not None)
        removed = sorted(identifier for identifier, each in self.entities.items() if each.record is None)
        return EntityEdits(StringTable.from_strings(records), StringTable.from_strings(removed))

    def list_after(self, before: EditedList) -> EditedList:
        """The list at this state; `before` is the one at the state that it was made from."""
        ids = self.entities if self.changed is None else [each for each in self.changed if each in self.entities]
        return before.updated({each: self.entities[each].record for each in ids}, self.changed)

    @cached_property
    def corrections(self) -> Corrections:
        """All corrections."""
        each = (one for own in self.key_to_corrections.values() for one in own)
        return Corrections(tuple(sorted(each, key=lambda one: (*one.key, one.entity or ""))))


def correction_key(correction: Correction) -> str:
    """The key under which a journal has what was said about a span."""
    digest = hashlib.sha256(correction.text.encode()).hexdigest()[:32]
    return f"{digest}:{correction.start}:{correction.end}"


def corrections_value(corrections: Iterable[Correction]) -> list[Record] | None:
    """The corrections of a span as JSON; None if there are none."""
    return [each.to_dict() for each in corrections] or None


def entity_record(kb: KnowledgeBase, identifier: str) -> Record | None:
    """The native record of the entity with exactly this id; None if there is none."""
    row = kb.row_of(identifier)
    return kb.entity(row).to_record() if row is not None and kb.ids[row] == identifier else None


def _are_built(built: KnowledgeBase, entries: Sequence[StateEntry]) -> dict[str, bool]:
    """Whether each entity is as it was built, or was not and is not there."""
    rows = built.rows_of(entry.key for entry in entries).tolist()
    return {
        entry.key: entry.text is None
        if row < 0 or built.ids[row] != entry.key
        else entry.text is not None and entry.value == built.entity(row).to_record()
        for entry, row in zip(entries, rows, strict=True)
    }


def _corrections_in(value: object) -> tuple[Correction, ...]:
    try:
        if not isinstance(value, list):
            raise TypeError("not a list")
        return tuple(_correction(record) for record in value)
    except (ToolkitError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"A correction in the journal cannot be ({error!r:.200}). Restore the journal.") from error


def _correction(record: Mapping[str, Any]) -> Correction:
    verdict = next((each for each in VERDICTS if each in record), VERDICTS[-1])
    entity = None if verdict == "not_an_entity" else record[verdict]
    return Correction(record["text"], record["start"], record["end"], verdict, entity, record.get("lang"))
