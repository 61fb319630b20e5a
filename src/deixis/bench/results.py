"""Result files: one per run, and `latest.json`, the newest row per (suite, metric, system)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deixis.evaluation.rows import ResultRow, machine_name, source_commit

LATEST = "latest.json"

Row = dict[str, Any]


def row_key(row: Row) -> tuple[str, str, str]:
    """What makes a row a measurement of the same thing as another.

    Examples
    --------
    >>> row_key({"suite": "demo/dev", "metric": "recall@1", "system": "exact", "value": 0.5})
    ('demo/dev', 'recall@1', 'exact')
    """
    return row["suite"], row["metric"], row["system"]


def merge_rows(old: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """The newest row of each key, sorted by key; of two with one date, the one of `new`."""
    newest: dict[tuple[str, str, str], Row] = {}
    for row in (*old, *new):
        kept = newest.get(row_key(row))
        if kept is None or row["date"] >= kept["date"]:
            newest[row_key(row)] = row
    return [newest[key] for key in sorted(newest)]


def read_rows(path: Path) -> list[Row]:
    """The rows of a result file; none if there is no such file."""
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """One row a line, so that a change of one figure is a change of one line; whole or not at all."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    os.replace(temporary, path)


def file_name(date: str, commit: str, machine: str) -> str:
    """`<date>-<commit>-<machine>.json`, with nothing in it that a file system minds."""
    parts = (re.sub(r"[^a-z0-9+]+", "-", part.lower()).strip("-") for part in (date[:16], commit or "none", machine))
    return "-".join(parts) + ".json"


def record(rows: Iterable[ResultRow], folder: Path) -> Path:
    """Write a run's rows to a file of their own and merge them into `latest.json`; gives the file."""
    records = [row.to_dict() for row in rows]
    if not records:
        raise ValueError("A run without rows has nothing to record.")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(max(row["date"] for row in records), source_commit(), machine_name())
    write_rows(path, merge_rows(read_rows(path), records))
    write_rows(folder / LATEST, merge_rows(read_rows(folder / LATEST), records))
    return path
