"""Changes of a model as values: what each of them replaced, and what holds after all of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from deixis.errors import StoreError

Position = tuple[int, int]
"""The generation and the number of the item that put a value where it is."""


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One value that a change replaced: `before` and `after` are JSON values, None where there is none.

    Positions are None for values that the model was built with.
    """

    kind: str
    key: str
    before: Any
    after: Any
    before_position: Position | None = None
    after_position: Position | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a model; one that was not written has no generation.

    `undoes` are the first and the last change that it took back.

    Examples
    --------
    >>> Change("remove", (ChangeItem("entity", "Q90", {"id": "Q90"}, None),), author="eve").to_dict()["items"]
    [{'kind': 'entity', 'key': 'Q90', 'before': {'id': 'Q90'}, 'after': None}]
    """

    verb: str
    items: tuple[ChangeItem, ...]
    author: str = ""
    reason: str = ""
    undoes: tuple[int, int] | None = None
    generation: int | None = None
    time: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON."""
        items = [
            {"kind": each.kind, "key": each.key, "before": each.before, "after": each.after} for each in self.items
        ]
        undoes = None if self.undoes is None else list(self.undoes)
        facts = {"generation": self.generation, "time": self.time, "author": self.author, "reason": self.reason}
        return facts | {"verb": self.verb, "undoes": undoes, "items": items}


@dataclass(frozen=True, slots=True)
class StateEntry:
    """What holds for a key now, as JSON, since which generation, and its position among others."""

    kind: str
    key: str
    text: str | None
    position: Position | None
    generation: int

    @property
    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """What holds, read; None if there is nothing."""
        try:
            return None if self.text is None else json.loads(self.text)
        except (ValueError, TypeError, RecursionError):
            raise StoreError(f"The journal's value of {self.key!r} is no JSON. Restore the journal.") from None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What holds at one generation, or what changed since another one."""

    generation: int
    entries: tuple[StateEntry, ...]


@dataclass(frozen=True, slots=True)
class JournalHead:
    """What a journal says of itself: the model that it belongs to, its last change, how many it has and since when."""

    model_id: str
    generation: int
    n_changes: int
    since: str
