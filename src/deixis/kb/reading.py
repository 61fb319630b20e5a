"""Files to columns, streaming; bad lines are errors, or skipped and reported."""

from __future__ import annotations

import itertools
import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb.builder import ColumnsBuilder
from deixis.kb.columns import EntityColumns
from deixis.kb.formats import open_table
from deixis.kb.id_index import repeated_ids
from deixis.kb.list_batch import ListBatch, in_batches
from deixis.kb.list_reader import FilePath, ListReader, source_names
from deixis.kb.list_report import ReadReport
from deixis.kb.mapping_guess import N_SAMPLED, guess_mapping
from deixis.kb.read_options import ReadOptions
from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord
from deixis.progress import steps
from deixis.store.numbers import NumbersBuilder

if TYPE_CHECKING:
    from deixis.kb.formats.arrow import ArrowTable


def read_columns(
    paths: FilePath | Iterable[FilePath],
    options: ReadOptions | None = None,
    *,
    skip_bad: bool = False,
    **changes: Any,  # noqa: ANN401 - the fields of ReadOptions
) -> tuple[EntityColumns, ReadReport]:
    """The entities of one or several lists, and the report; of several, each entity has the type `source:LIST`."""
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    own = ReadOptions.of(options, **changes)
    builder, report, origin = ColumnsBuilder(), ReadReport(), _Origin()
    for path, source in zip(files, source_names(files) if len(files) > 1 else [""] * len(files), strict=True):
        reader = ListReader(path, own, source)
        origin.begin(path, len(builder))
        _read_list(reader, skip_bad, builder, report, origin)
        origin.has_ids.append(reader.mapping is not None and reader.mapping.id is not None)
        if reader.mapping is not None:
            report.lists.append(reader.report())
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
    stream = iter(records)
    head = list(itertools.islice(stream, N_SAMPLED))
    mapping = _mapping_of([record for record in head if isinstance(record, Mapping)])
    numbered = ((number, _record(record)) for number, record in enumerate(itertools.chain(head, stream), start=1))
    for lines, part in in_batches(numbered):
        batch = ListBatch.of(lines, part, mapping)
        for row, problem in batch.problems.items():
            raise DataError(problem.reason, path="records", line=lines[row])
        builder.add(batch.entities)
        origin.extend(lines)
    origin.has_ids.append(isinstance(mapping, BadRecord) or mapping.id is not None)
    return _without_repeated_ids(builder.build(), False, ReadReport(), origin)


def table_columns(table: ArrowTable) -> EntityColumns:
    """The columns of the rows of a table in memory."""
    return build_columns(open_table(table))


def _mapping_of(records: list[Mapping[str, Any]]) -> RecordMapping | BadRecord:
    try:
        return guess_mapping(records)
    except BadRecord as problem:
        return problem.with_traceback(None)  # which would keep all callers' variables until they are collected


def _record(record: object) -> Mapping[str, Any] | BadRecord:
    if isinstance(record, Mapping):
        return record
    return BadRecord("wrong_type", f"a record must be a dictionary or an Entity, got {record!r:.60}")


class _Origin:
    """Which file and line each row came from; rows of lines that follow each other take no memory."""

    def __init__(self) -> None:
        self._paths: list[FilePath] = []
        self._first_rows: list[int] = []
        self._first_lines: list[int] = []
        self._gaps = NumbersBuilder(np.int64)  # lines between a row and the one before it in its list
        self._last_line = 0
        self._sums: NDArray[np.int64] | None = None
        self.has_ids: list[bool] = []
        """Whether each list has ids; a name that is an id may come again."""

    def begin(self, path: FilePath, row: int) -> None:
        """Go on with the rows of another list."""
        self._paths.append(path)
        self._first_rows.append(row)

    def extend(self, lines: list[int]) -> None:
        """Note the lines of the next rows."""
        if not lines:
            return
        if len(self._first_lines) < len(self._paths):
            self._first_lines += [lines[0]] * (len(self._paths) - len(self._first_lines))
            self._last_line = lines[0] - 1
        if lines == list(range(self._last_line + 1, self._last_line + 1 + len(lines))):
            self._gaps.extend_zeros(len(lines))
        else:
            self._gaps.extend(np.diff(np.array([self._last_line, *lines])) - 1)
        self._last_line = lines[-1]

    def of(self, row: int) -> tuple[FilePath, int, bool]:
        """File and line of a row, and whether its list has ids."""
        if self._sums is None:
            self._sums = self._gaps.build_sums()
        number = bisect_right(self._first_rows, row) - 1
        first = self._first_rows[number]
        line = self._first_lines[number] + row - first + int(self._sums[row] - self._sums[first])
        return self._paths[number], line, self.has_ids[number]


def _read_list(
    reader: ListReader, skip_bad: bool, builder: ColumnsBuilder, report: ReadReport, origin: _Origin
) -> None:
    with steps("reading entities", None) as advance:
        for batch in reader.batches():
            for row, problem in batch.problems.items():
                path, line = problem.path or reader.path, batch.lines[row]
                if not skip_bad:
                    raise DataError(problem.reason, path=path, line=line)
                report.skip(path, line, problem.reason)
            builder.add(batch.entities)
            origin.extend(batch.entity_lines)
            advance(len(batch.lines), "")


def _without_repeated_ids(columns: EntityColumns, skip_bad: bool, report: ReadReport, origin: _Origin) -> EntityColumns:
    repeated, first = repeated_ids(columns.ids)
    if len(repeated) == 0:
        return columns
    for row, first_row in zip(repeated.tolist(), first.tolist(), strict=True):
        path, line, has_ids = origin.of(row)
        first_path, first_line, _ = origin.of(first_row)
        where = f"line {first_line}" if first_path == path else f"{first_path}, line {first_line}"
        if has_ids or first_path != path:
            reason = f"the id {columns.ids[row]!r} was used before, in {where}; an id must be unique"
            reason += "" if first_path == path else ". Tell the lists apart with --prefix: ids become LIST:ID"
            if not skip_bad:
                raise DataError(reason, path=path, line=line)
        else:
            reason = f"the name {columns.ids[row]!r} came before, in {where}; without ids, equal names are one entity"
        report.skip(path, line, reason)
    is_kept = np.ones(len(columns), dtype=bool)
    is_kept[repeated] = False
    return columns.take_rows(np.flatnonzero(is_kept))
