"""Rows of a journal's tables as values, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from deixis.store.change import Change, ChangeItem, Position, StateEntry
from deixis.store.journal_file import damaged


def item_rows(generation: int, items: Sequence[ChangeItem]) -> Iterable[tuple[Any, ...]]:
    """The rows of a change's items."""
    for number, item in enumerate(items):
        positions = *(item.before_position or (None, None)), *(item.after_position or (None, None))
        yield generation, number, item.kind, item.key, as_json(item.before), as_json(item.after), *positions


def change_in(row: Sequence[Any], items: tuple[ChangeItem, ...]) -> Change:
    """The change of a row."""
    verb, author, reason, first, last, generation, when = row
    return Change(verb, items, author, reason, None if first is None else (first, last), generation, when)


def entry_in(row: Sequence[Any]) -> StateEntry:
    """The state of a key, of a row."""
    return StateEntry(row[0], row[1], row[2], position_in(row[3:5]), row[5])


def position_in(pair: Sequence[Any]) -> Position | None:
    """A position of its two columns."""
    return None if pair[0] is None else (pair[0], pair[1])


def as_json(value: object) -> str | None:
    """A value as it is kept: JSON, or NULL."""
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)


def value_in(text: str | None, path: Path) -> Any:  # noqa: ANN401 - any JSON
    """A value that was kept as JSON."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise damaged(path, "a value is no JSON") from None


def item_in(row: Sequence[Any], path: Path) -> ChangeItem:
    """The item of a row of the table of items, without its numbers."""
    values = value_in(row[2], path), value_in(row[3], path)
    return ChangeItem(row[0], row[1], *values, position_in(row[4:6]), position_in(row[6:8]))
