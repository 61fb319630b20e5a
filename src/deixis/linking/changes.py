"""What a wish to change a model comes to: the values that are replaced, checked against the list as it is now.

Nothing is written here; `deixis.live` writes them to the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from deixis.candidates.suggestions import near_ids, unknown_name
from deixis.documents.corrections import Correction
from deixis.errors import ConflictError, DataError, UnknownEntityError
from deixis.kb.digests import entity_digests
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrections import Corrections, resolved
from deixis.linking.model_state import (
    CORRECTION,
    ENTITY,
    ModelState,
    Record,
    correction_key,
    corrections_value,
    entity_record,
)
from deixis.store.change import ChangeItem

FIELDS = ("title", "aliases", "description", "descriptions", "types", "count", "url", "alt_ids")
"""The fields of an entity that can be edited."""
Items = tuple[ChangeItem, ...]
EntityRecord = Mapping[str, Any] | Entity


@dataclass(frozen=True)
class ModelView:
    """A model at one generation, for those who want to change it: its list, its state, and the list as it was built.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> view = ModelView(kb, ModelState(), kb)
    >>> [item.after["title"] for item in view.added([{"id": "Q84", "title": "London"}])]
    ['London']
    >>> view.edited("Q90", {"aliases": ["City of Light"]})[0].after
    {'id': 'Q90', 'title': 'Paris', 'aliases': ['City of Light']}
    """

    kb: KnowledgeBase
    state: ModelState
    built: KnowledgeBase

    def added(self, records: EntityRecord | Iterable[EntityRecord]) -> Items:
        """New entities; an id that there is already is an error."""
        several = [records] if isinstance(records, (Mapping, Entity)) else list(records)
        items = []
        for number, entity in enumerate(KnowledgeBase.from_records(several).entities(), start=1):
            own = self.kb.own_id(entity.id)
            if own is not None:
                title = self.kb.entity(own).title
                also = "" if own == entity.id else f" as another id of {own!r}"
                raise ConflictError(
                    f"record {number}: the id {entity.id!r} is in the list already{also} ({title!r}). Edit that entity "
                    "(deixis kb edit), or give the new one another id"
                )
            items.append(ChangeItem(ENTITY, entity.id, None, entity.to_record()))
        return tuple(items)

    def edited(self, identifier: str, changes: Mapping[str, Any]) -> Items:
        """An entity with fields replaced; None empties a field. Nothing if it is so already."""
        own = self._own_id(identifier)
        if changes.get("id", own) != own:
            raise DataError(f"the id of {own!r} cannot be changed. Add {changes['id']!r} and remove {own!r}")
        for name in changes:
            if name != "id" and name not in FIELDS:
                raise unknown_name("field of an entity", str(name), FIELDS)
        before = self._record(own)
        wished = before | dict(changes)
        entity = next(KnowledgeBase.from_records([{k: v for k, v in wished.items() if v is not None}]).entities())
        return self._replaced(own, before, entity.to_record())

    def removed(self, identifiers: str | Iterable[str]) -> Items:
        """Entities taken from the list, and corrections that name them."""
        several = [identifiers] if isinstance(identifiers, str) else list(identifiers)
        own_ids = list(dict.fromkeys(self._own_id(identifier) for identifier in several))
        items = [ChangeItem(ENTITY, own, self._record(own), None) for own in own_ids]
        return (*items, *self._without_corrections_of(set(own_ids)))

    def with_alias(self, identifier: str, alias: str | Mapping[str, Any]) -> Items:
        """An entity with one more name; nothing if it has that name already."""
        own = self._own_id(identifier)
        before = self._record(own)
        text = alias if isinstance(alias, str) else alias.get("text")
        if text == before["title"] or alias in before.get("aliases", []):
            return ()
        others = [each for each in before.get("aliases", []) if isinstance(alias, str) or _text(each) != text]
        return self.edited(own, {"aliases": [*others, alias if isinstance(alias, str) else dict(alias)]})

    def without_alias(self, identifier: str, alias: str) -> Items:
        """An entity without one of its aliases, in whatever language; one that it has not is an error."""
        own = self._own_id(identifier)
        aliases = self._record(own).get("aliases", [])
        remaining = [each for each in aliases if _text(each) != alias]
        if len(remaining) == len(aliases):
            known = ", ".join(repr(_text(each)) for each in aliases[:10]) or "none"
            hint = " That is its title: edit the title" if alias == self._record(own)["title"] else ""
            raise DataError(f"the entity {own!r} has no alias {alias!r}. Its aliases: {known}.{hint}")
        return self.edited(own, {"aliases": remaining})

    def corrected(self, corrections: Iterable[Correction]) -> Items:
        """What is said about spans after these corrections; nothing of those that were known."""
        several = resolved(self.kb, corrections)
        keys = {correction_key(each): each.key for each in several}
        known = {key: self.state.key_to_corrections.get(key, ()) for key in keys}
        merged = Corrections(tuple(one for own in known.values() for one in own)).merged(several).corrections
        return self._respoken({key: merged.by_key[span] for key, span in keys.items()})

    def without_corrections(self, corrections: Iterable[Correction]) -> Items:
        """What is said about spans without these corrections; those that there are not are passed over."""
        dropped: dict[str, set[tuple[str, str | None]]] = {}
        for each in resolved(self.kb, corrections):
            dropped.setdefault(correction_key(each), set()).add((each.verdict, each.entity))
        return self._respoken(
            {
                key: tuple(
                    one
                    for one in self.state.key_to_corrections.get(key, ())
                    if (one.verdict, one.entity) not in verdicts
                )
                for key, verdicts in dropped.items()
            }
        )

    def synced(self, source: KnowledgeBase, as_before: Mapping[str, Record | None]) -> Items:
        """What the source changed since it was last read: added, changed, removed.

        `as_before` has the records of the source, then, of entities that people changed since; all others are as they
        are in the model. What people changed and the source did not stays.
        """
        items: list[ChangeItem] = []
        touched = self.state.entities.keys() | as_before.keys()
        for row in _changed_rows(source, self.built, touched):
            now = source.entity(row).to_record()
            current = entity_record(self.kb, now["id"])
            if now != as_before.get(now["id"], current):
                items += self._replaced(now["id"], current, now)
        removed = {
            identifier
            for identifier in (*_missing_ids(self.built, source), *touched)
            if as_before.get(identifier, identifier) is not None
            and entity_record(source, identifier) is None
            and entity_record(self.kb, identifier) is not None
        }
        items += [ChangeItem(ENTITY, each, self._record(each), None) for each in sorted(removed)]
        return (*items, *self._without_corrections_of(removed))

    def _respoken(self, key_to_corrections: Mapping[str, Sequence[Correction]]) -> Items:
        items = []
        for key, after in key_to_corrections.items():
            before = self.state.key_to_corrections.get(key, ())
            if tuple(after) != before:
                items.append(ChangeItem(CORRECTION, key, corrections_value(before), corrections_value(after)))
        return tuple(items)

    def _without_corrections_of(self, removed: set[str]) -> Items:
        without = {
            key: [one for one in own if one.entity not in removed]
            for key, own in self.state.key_to_corrections.items()
            if any(one.entity in removed for one in own)
        }
        return self._respoken(without)

    def _replaced(self, identifier: str, before: Record | None, after: Record | None) -> Items:
        return () if before == after else (ChangeItem(ENTITY, identifier, before, after),)

    def _own_id(self, identifier: str) -> str:
        own = self.kb.own_id(identifier) if isinstance(identifier, str) else None
        if own is None:
            near = near_ids(self.kb, identifier) if isinstance(identifier, str) else []
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise UnknownEntityError(f"the list has no entity with the id {identifier!r}.{hint}")
        return own

    def _record(self, identifier: str) -> Record:
        record = entity_record(self.kb, identifier)
        if record is None:
            raise DataError(f"the list has no entity with the id {identifier!r}")
        return record


def _text(alias: object) -> object:
    return alias.get("text") if isinstance(alias, dict) else alias


def _changed_rows(source: KnowledgeBase, built: KnowledgeBase, touched: Set[str]) -> list[int]:
    """The rows of the source that differ from the built list, or whose entities were touched since."""
    rows = built.rows_of(source.ids)
    is_same = rows >= 0
    is_same[is_same] = entity_digests(source)[is_same] == entity_digests(built)[rows[is_same]]
    is_same[[row for row in map(source.row_of, touched) if row is not None]] = False
    changed: list[int] = np.flatnonzero(~is_same).tolist()
    return changed


def _missing_ids(built: KnowledgeBase, source: KnowledgeBase) -> list[str]:
    """The ids of the built list that are no entity's own in the source."""
    rows = source.rows_of(built.ids)
    return [own for own, row in zip(built.ids, rows.tolist(), strict=True) if row < 0 or source.ids[row] != own]
