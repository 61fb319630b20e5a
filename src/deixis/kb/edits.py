"""How a list differs from the one that a model was built from: entities added, edited and removed since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from deixis.errors import DataError
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.part import Part, nested
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class EntityEdits(Part):
    """Entities added or edited, each once and in the order they came, and the ids of built ones that were removed.

    An entity whose id the built list has takes the place of the built one. Nothing is said of all other entities.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> edits = EntityEdits.of([{"id": "Q84", "title": "London"}], removed=["Q22647"])
    >>> [entity.title for entity in edits.applied(kb).entities()]
    ['Paris', 'London']
    """

    records: StringTable
    """The entities as JSON."""
    removed: Annotated[StringTable, nested()]

    @classmethod
    def of(cls, entities: Iterable[Mapping[str, Any] | Entity] = (), removed: Iterable[str] = ()) -> EntityEdits:
        """These entities, or records of them, checked as those of any list; a repeated id is an error."""
        own, gone = list(entities), sorted(set(removed))
        if not own:
            return cls(StringTable.from_strings([]), StringTable.from_strings(gone))
        kb = KnowledgeBase.from_records(own)
        both = [identifier for identifier in gone if kb.row_of(identifier) is not None]
        if both:
            raise DataError(f"The entity {both[0]!r} cannot be removed and added at once; do one after the other.")
        records = (json.dumps(each.to_record(), ensure_ascii=False) for each in kb.entities())
        return cls(StringTable.from_strings(records), StringTable.from_strings(gone))

    def __len__(self) -> int:
        return len(self.records) + len(self.removed)

    @cached_property
    def kb(self) -> KnowledgeBase:
        """The entities added or edited, as a knowledge base of their own."""
        return KnowledgeBase.from_records(json.loads(record) for record in self.records)

    def by_id(self) -> dict[str, str | None]:
        """The record of each entity by its id, None for removed ones."""
        gone: dict[str, str | None] = dict.fromkeys(self.removed)
        return gone | dict(zip(self.kb.ids, self.records, strict=True))

    def applied(self, kb: KnowledgeBase) -> KnowledgeBase:
        """The whole list: the built entities that are neither edited nor removed, then those added or edited."""
        gone = {*self.kb.ids, *self.removed}
        unchanged = (entity for entity in kb.entities() if entity.id not in gone)
        return KnowledgeBase.from_records([*unchanged, *self.kb.entities()])
