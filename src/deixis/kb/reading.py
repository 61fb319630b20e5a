"""Files to columns, streaming; bad lines are errors, or skipped and reported."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deixis.errors import DataError
from deixis.kb.builder import ColumnsBuilder
from deixis.kb.columns import EntityColumns
from deixis.kb.formats import open_records
from deixis.kb.id_index import repeated_ids
from deixis.kb.records import BadRecord, RecordMapping
from deixis.progress import track

FilePath = str | os.PathLike[str]
_MAX_EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that was left out, and why."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.reason}"


@dataclass(slots=True)
class ReadReport:
    """What reading found: how each file was understood, how many entities came in, what was skipped.

    Examples
    --------
    >>> report = ReadReport()
    >>> report.skip("kb.jsonl", 3, "no 'title'")
    >>> report.n_skipped, str(report.skipped[0])
    (1, "kb.jsonl, line 3: no 'title'")
    """

    files: list[str] = field(default_factory=list)
    n_entities: int = 0
    n_skipped: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)

    def skip(self, path: object, line: int, reason: str) -> None:
        """Count a line that is left out; the first ones are kept as examples."""
        self.n_skipped += 1
        if len(self.skipped) < _MAX_EXAMPLES:
            self.skipped.append(SkippedLine(str(path), line, reason))


def read_columns(
    paths: FilePath | Iterable[FilePath], *, skip_bad: bool = False, format: str | None = None
) -> tuple[EntityColumns, ReadReport]:
    """The entities of one or several files, and the report."""
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    builder, report, origin = ColumnsBuilder(), ReadReport(), _Origin()
    for path in files:
        origin.begin(path, len(builder))
        _read_file(path, format, skip_bad, builder, report, origin)
    columns = _without_repeated_ids(builder.build(), skip_bad, report, origin)
    report.n_entities = len(columns)
    if report.n_entities == 0:
        reason = f"no entities; {report.n_skipped} lines were skipped" if report.n_skipped else "no entities"
        first = f" (line {report.skipped[0].line}: {report.skipped[0].reason})" if report.skipped else ""
        raise DataError(f"{reason}{first}", path=", ".join(map(str, files)) or None)
    return columns, report


def build_columns(records: Iterable[Mapping[str, Any]]) -> EntityColumns:
    """The columns of records that are in memory already; errors count records from 1."""
    builder, origin = ColumnsBuilder(), _Origin()
    origin.begin("records", 0)
    mapping: RecordMapping | None = None
    for number, record in enumerate(records, start=1):
        try:
            if not isinstance(record, Mapping):
                raise BadRecord("wrong_type", f"a record must be a dictionary or an Entity, got {record!r:.60}")
            mapping = mapping or RecordMapping.choose(record)
            builder.add(mapping.parse(record))
        except BadRecord as error:
            raise DataError(error.reason, path="records", line=number) from None
        origin.lines.append(number)
    return _without_repeated_ids(builder.build(), False, ReadReport(), origin)


class _Origin:
    """Which file and line each row came from: eight bytes a row."""

    def __init__(self) -> None:
        self.lines = array("q")
        self._paths: list[FilePath] = []
        self._first_rows: list[int] = []

    def begin(self, path: FilePath, row: int) -> None:
        self._paths.append(path)
        self._first_rows.append(row)

    def of(self, row: int) -> tuple[FilePath, int]:
        return self._paths[bisect_right(self._first_rows, row) - 1], self.lines[row]


def _read_file(
    path: FilePath, format: str | None, skip_bad: bool, builder: ColumnsBuilder, report: ReadReport, origin: _Origin
) -> None:
    format, records = open_records(path, format)
    mapping: RecordMapping | None = None
    keys: set[str] = set()
    for number, record in track(records, "reading entities"):
        try:
            if isinstance(record, BadRecord):
                raise record
            if mapping is None:
                mapping = RecordMapping.choose(record)
            builder.add(mapping.parse(record))
        except BadRecord as error:
            if not skip_bad:
                raise DataError(error.reason, path=path, line=number) from None
            report.skip(path, number, error.reason)
            continue
        origin.lines.append(number)
        keys.update(record)
    if mapping is not None:
        report.files.append(f"{path}: {format}, {mapping.describe(keys)}")


def _without_repeated_ids(columns: EntityColumns, skip_bad: bool, report: ReadReport, origin: _Origin) -> EntityColumns:
    repeated, first = repeated_ids(columns.ids)
    if len(repeated) == 0:
        return columns
    for row, first_row in zip(repeated.tolist(), first.tolist(), strict=True):
        path, line = origin.of(row)
        first_path, first_line = origin.of(first_row)
        where = f"line {first_line}" if first_path == path else f"{first_path}, line {first_line}"
        reason = f"the id {columns.ids[row]!r} was used before, in {where}; an id must be unique"
        if not skip_bad:
            raise DataError(reason, path=path, line=line)
        report.skip(path, line, reason)
    is_kept = np.ones(len(columns), dtype=bool)
    is_kept[repeated] = False
    return columns.take_rows(np.flatnonzero(is_kept))
