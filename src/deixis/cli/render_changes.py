"""Changes of a model for people: what was added, removed and changed, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deixis.cli.output import printable
from deixis.linking.model_state import ENTITY
from deixis.store.change import Change, ChangeItem

MAX_ITEMS = 10
MAX_VALUE = 60
SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def change_lines(change: Change, max_items: int = MAX_ITEMS) -> Iterator[str]:
    """What a change comes to, then examples of each kind."""
    yield change_summary(change)
    yield from item_lines(change.items, max_items)


def change_summary(change: Change) -> str:
    """A change in one line: `change 3 (remove by eve): 1 entity removed`."""
    by = f" by {printable(change.author)}" if change.author else ""
    undoes = "" if change.undoes is None else f" of {_range(change.undoes)}"
    which = "" if change.generation is None else f"change {change.generation} ({change.verb}{undoes}{by}): "
    counts = ", ".join(
        f"{n:,} {_plural(kind, n)} {deed}"
        for kind in ("entity", "correction")
        for deed in SIGNS
        if (n := sum(each.kind == kind and _deed(each) == deed for each in change.items))
    )
    return f"{which}{counts or 'nothing to change'}"


def log_line(change: Change) -> str:
    """A change in one line, with its time and reason."""
    reason = f"  # {printable(change.reason)}" if change.reason else ""
    return f"{change.time[:19].replace('T', ' ')}  {change_summary(change)}{reason}"


def item_lines(items: Sequence[ChangeItem], max_items: int) -> Iterator[str]:
    """Examples of what was added, removed and changed, and how many more there are."""
    for deed, sign in SIGNS.items():
        own = [each for each in items if _deed(each) == deed]
        for item in own[:max_items]:
            yield f"  {sign} {printable(_words(item))}"
        if len(own) > max_items:
            yield f"  {sign} and {len(own) - max_items:,} more {deed}"


def _deed(item: ChangeItem) -> str:
    return "added" if item.before is None else "removed" if item.after is None else "changed"


def _words(item: ChangeItem) -> str:
    if item.kind != ENTITY:
        spans = item.after or item.before or []
        return "; ".join(_correction_words(each) for each in spans)
    if item.before is None or item.after is None:
        return f"{item.key}  {(item.after or item.before)['title']}"
    fields = [name for name in {**item.before, **item.after} if item.before.get(name) != item.after.get(name)]
    edits = (f"{name} {_short(item.before.get(name))} -> {_short(item.after.get(name))}" for name in fields)
    return f"{item.key}  {item.before['title']}: {', '.join(edits)}"


def _correction_words(record: Mapping[str, Any]) -> str:
    if "gold" in record:
        return f"{record['surface']!r} means {record['gold']} in {_short(record['text'])}"
    if "wrong" in record:
        return f"{record['surface']!r} does not mean {record['wrong']} in {_short(record['text'])}"
    return f"{record['surface']!r} is not an entity in {_short(record['text'])}"


def _short(value: object) -> str:
    if value is None:
        return "none"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}..."


def _plural(kind: str, n: int) -> str:
    return kind if n == 1 else {"entity": "entities"}.get(kind, f"{kind}s")


def _range(pair: tuple[int, int]) -> str:
    return f"{pair[0]}" if pair[0] == pair[1] else f"{pair[0]}-{pair[1]}"
