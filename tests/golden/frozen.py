"""Frozen records: written so that a person can read them, compared so that a person sees what differs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_SHOWN = 12


def rounded(value: Any, digits: int) -> Any:  # noqa: ANN401 - any JSON
    """The same with fewer digits, tuples as lists: what JSON gives back."""
    if isinstance(value, float):
        return round(value, digits) + 0.0
    if isinstance(value, (list, tuple)):
        return [rounded(each, digits) for each in value]
    if isinstance(value, dict):
        return {str(key): rounded(each, digits) for key, each in value.items()}
    return value


def write(path: Path, reason: str, cells: dict[str, Any]) -> None:
    """One line for the name of each cell, and one for each of the records in it; complete or not at all."""
    parts = [f'"reason": {_line(reason)}']
    for name, records in cells.items():
        if isinstance(records, list) and records:
            lines = ",\n".join(f"  {_line(record)}" for record in records)
            parts.append(f"{_line(name)}: [\n{lines}\n]")
        else:
            parts.append(f"{_line(name)}: {_line(records)}")
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    draft.replace(path)


def read(path: Path) -> dict[str, Any]:
    """The cells by name, without the reason."""
    cells: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del cells["reason"]
    return cells


def difference(now: Any, then: Any, tolerance: float) -> str:  # noqa: ANN401 - any JSON
    """What differs, a line each; empty if nothing does."""
    lines = list(_differences(now, then, tolerance, ""))
    more = [f"... and {len(lines) - MAX_SHOWN} more"] if len(lines) > MAX_SHOWN else []
    return "\n".join(lines[:MAX_SHOWN] + more)


def _differences(now: Any, then: Any, tolerance: float, place: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(now, dict) and isinstance(then, dict) and now.keys() == then.keys():
        for key in then:
            yield from _differences(now[key], then[key], tolerance, f"{place}.{key}")
    elif isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        for number, pair in enumerate(zip(now, then, strict=True)):
            yield from _differences(*pair, tolerance, f"{place}[{number}{_label(pair[1])}]")
    elif not _is_same(now, then, tolerance):
        yield f"{place}\n  frozen: {_line(then)}\n  now:    {_line(now)}"


def _label(record: Any) -> str:  # noqa: ANN401 - any JSON
    """Of a mention its words, of a candidate its id: a number alone says little."""
    words = [each for each in record if isinstance(each, str)] if isinstance(record, list) else []
    return f" {words[0]!r}" if words else ""


def _is_same(now: Any, then: Any, tolerance: float) -> bool:  # noqa: ANN401 - any JSON
    if type(now) is float and type(then) is float:
        # The frozen number was rounded: half a unit more may lie between the two.
        return math.isclose(now, then, rel_tol=0, abs_tol=1.5 * tolerance)
    return type(now) is type(then) and bool(now == then)


def _line(value: Any) -> str:  # noqa: ANN401 - any JSON
    return json.dumps(value, ensure_ascii=False)
