"""Result files: one per suite, `<suite>.json`, with the newest row per (metric, system).

A slash in a suite's name is a folder: the rows of `wordnet/dev` are in `wordnet/dev.json`, those of `wordnet` in
`wordnet.json`. Older rows are in the history of the repository.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.evaluation.rows import ResultRow

Row = dict[str, Any]

_SUITE = re.compile(r"[\w+@-][\w+@.-]*(/[\w+@-][\w+@.-]*)*", re.ASCII)


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


def suite_file(folder: Path, suite: str) -> Path:
    """The file of a suite's rows below a folder of results.

    Examples
    --------
    >>> suite_file(Path("results"), "wordnet/dev").as_posix()
    'results/wordnet/dev.json'
    """
    if not _SUITE.fullmatch(suite):
        raise DataError(
            f"A suite cannot be named {suite!r}: it becomes a file, so its name is made of ASCII letters, digits and "
            "_ + @ . - with single slashes between its parts, none of which begins with a dot."
        )
    return folder / f"{suite}.json"


def read_rows(path: Path) -> list[Row]:
    """The rows of a result file; none if there is no such file."""
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return rows


def read_results(folder: Path) -> list[Row]:
    """The rows of all suites below a folder, sorted by suite, metric and system."""
    return sorted((row for path in folder.rglob("*.json") for row in read_rows(path)), key=row_key)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """One row a line, so that a change of one figure is a change of one line; whole or not at all."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    os.replace(temporary, path)


def check_recordable(commit: str, folder: Path) -> None:
    """Raises DataError if results of this commit may not be recorded in the folder.

    A folder inside a git repository takes results of committed code only, so that each can be measured again. Any
    other folder takes all.
    """
    is_in_repository = any((parent / ".git").exists() for parent in folder.absolute().parents)
    if not is_in_repository or (commit and not commit.endswith("+")):
        return
    state = f"has uncommitted changes (it is at {commit})" if commit else "is not a git repository"
    raise DataError(
        f"Nothing is recorded in {folder}: the source tree that is measured {state}. Results must name the commit "
        "they were measured at: commit first (`git status` lists the changes), or run without recording."
    )


def record(rows: Iterable[ResultRow], folder: Path) -> list[Path]:
    """Put a run's rows in place of older ones in the files of their suites; gives these files."""
    by_path: dict[Path, list[Row]] = {}
    for row in rows:
        check_recordable(row.commit, folder)
        by_path.setdefault(suite_file(folder, row.suite), []).append(row.to_dict())
    if not by_path:
        raise ValueError("A run without rows has nothing to record.")
    for path, records in by_path.items():
        write_rows(path, merge_rows(read_rows(path), records))
    return list(by_path)
