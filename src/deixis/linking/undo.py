"""Taking changes back: what they replaced is put where it was, unless a later change needs what they put."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from deixis.errors import ConflictError
from deixis.linking.model_state import CORRECTION, ENTITY, ModelState, Record, correction_key
from deixis.store.change import Change, ChangeItem, StateEntry

UNDO, SYNC = "undo", "sync"
Entry = Callable[[str, str], StateEntry | None]
"""What a journal has for a kind and a key."""


def in_force(changes: Iterable[Change]) -> list[Change]:
    """Of changes, the newest first, those that no other one took back.

    Examples
    --------
    >>> undo = Change("undo", (), undoes=(1, 1), generation=3)
    >>> changes = [undo, Change("edit", (), generation=2), Change("add", (), generation=1)]
    >>> [each.generation for each in in_force(changes)]
    [3, 2]
    """
    undone: set[int] = set()
    remaining = []
    for change in changes:
        if change.generation in undone:
            continue
        if change.undoes is not None:
            undone.update(range(change.undoes[0], change.undoes[1] + 1))
        remaining.append(change)
    return remaining


def last_undoable(changes: Iterable[Change]) -> int | None:
    """The newest change in force that is not itself an undo; None if there is none."""
    return next((each.generation for each in in_force(changes) if each.undoes is None), None)


def undone(
    changes: Sequence[Change], entry_of: Entry, state: ModelState, has_entity: Callable[[str], bool]
) -> list[ChangeItem]:
    """What takes back these changes, the newest first; a `ConflictError` if a later one built on them."""
    first, last = changes[-1].generation, changes[0].generation
    which = f"change {first}" if first == last else f"the changes {first} to {last}"
    key_to_newest: dict[tuple[str, str], ChangeItem] = {}
    key_to_oldest: dict[tuple[str, str], ChangeItem] = {}
    for change in changes:
        for item in change.items:
            key_to_newest.setdefault((item.kind, item.key), item)
            key_to_oldest[item.kind, item.key] = item
    items = []
    for key, newest in key_to_newest.items():
        entry, oldest = entry_of(*key), key_to_oldest[key]
        if entry is None or (entry.value, entry.position) != (newest.after, newest.after_position):
            later = "" if entry is None else f" {entry.generation}"
            raise ConflictError(
                f"{which} cannot be undone: the later change{later} touched {_shown(newest)}, too. Undo that one "
                f"first, or all from {first} on"
            )
        items.append(ChangeItem(*key, newest.after, oldest.before, after_position=oldest.before_position))
    _check_corrections(items, state, has_entity, which, entry_of)
    return items


def source_records(changes: Sequence[Change]) -> dict[str, Record | None]:
    """The records that the source of a list had when it was last read, of entities that a change touched.

    `changes` are all of a model, the newest first.
    """
    alive = {change.generation for change in in_force(changes)}
    records: dict[str, Record | None] = {}
    for change in reversed(changes):
        for item in change.items:
            if item.kind == ENTITY:
                records.setdefault(item.key, item.before)
                if change.verb == SYNC and change.generation in alive:
                    records[item.key] = item.after
    return records


def _check_corrections(
    items: Sequence[ChangeItem], state: ModelState, has_entity: Callable[[str], bool], which: str, entry_of: Entry
) -> None:
    """Raises if a correction would name an entity that there is not any more."""
    records: Mapping[str, object] = {item.key: item.after for item in items if item.kind == ENTITY}
    touched = {item.key: item for item in items if item.kind == CORRECTION}
    for key, own in state.key_to_corrections.items():
        for one in () if key in touched else own:
            if one.entity is not None and records.get(one.entity, one) is None:
                entry = entry_of(CORRECTION, correction_key(one))
                later = "a correction" if entry is None else f"the later change {entry.generation}"
                raise ConflictError(
                    f"{which} cannot be undone: {later} links {one.surface!r} to {one.entity!r}. Undo that first"
                )
    for item in touched.values():
        for record in item.after or ():
            entity = record.get("gold", record.get("wrong"))
            is_there = records[entity] is not None if entity in records else entity is None or has_entity(entity)
            if not is_there:
                raise ConflictError(
                    f"{which} cannot be undone: a correction names {entity!r}, which was removed since. Undo that first"
                )


def _shown(item: ChangeItem) -> str:
    if item.kind == ENTITY:
        return f"the entity {item.key!r}"
    said = (item.after or item.before or [{}])[0]
    return f"the correction of {said.get('surface', '')!r}"
