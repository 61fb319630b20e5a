"""Tables to records: CSV of any delimiter, TSV, and Annif's headless `<uri>`, tab, `label`.

CSV fields may be quoted. TSV fields may not (that is what TSV means): a title that begins with a quote stays whole.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.formats.table_shape import TableShape, check_columns
from deixis.kb.header_words import field_of
from deixis.kb.list_lines import LineDecoder
from deixis.kb.long_rows import LongRow
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
_LABEL_IN = "label_"  # and a language
_MAX_FIELD = 1 << 30
_N_HEAD = 100
_ONCE = ("id", "title")  # fields that one column alone can be


def read_csv(
    lines: Iterator[tuple[int, bytes]],
    path: object,
    *,
    options: ReadOptions | None = None,
    shape: TableShape | None = None,
    decoder: LineDecoder | None = None,
) -> Records:
    """The records of a table whose fields may be quoted; its shape is guessed unless it is given."""
    options, decoder = options or ReadOptions(), decoder or LineDecoder()
    if shape is None:
        shape, lines = _with_shape(lines, options)
    if shape.delimiter == "\t":
        yield from _read_unquoted(lines, path, options, shape, decoder)
        return
    text_lines = _TextLines(lines, decoder)
    table = _Table(shape, options, path)
    # A process-wide setting of the csv module, only ever raised: descriptions may be longer than its 128 KB.
    csv.field_size_limit(max(csv.field_size_limit(), min(options.max_line, _MAX_FIELD)))
    rows = csv.reader(text_lines, delimiter=shape.delimiter, strict=True)
    is_open = True
    while is_open:
        number = text_lines.number + 1
        try:
            for row in rows:
                if any(row) or text_lines.problem is not None:
                    record = table.record(number, row, text_lines.problem)
                    if record is not None:
                        yield number, record
                    text_lines.problem = None
                number = text_lines.number + 1
            is_open = False
        except csv.Error as error:
            higher = f" A higher limit: --limits line={2 * options.max_line}" if "limit" in str(error) else ""
            problem = BadRecord("bad_row", f"not a CSV row: {error}; is a quote left open?{higher}")
            text_lines.problem = None
            record = table.record(number, [""], problem)
            if record is not None:
                yield number, record


def read_tsv(
    lines: Iterator[tuple[int, bytes]],
    path: object,
    *,
    options: ReadOptions | None = None,
    shape: TableShape | None = None,
    decoder: LineDecoder | None = None,
) -> Records:
    """The records of a table with tabs between its columns."""
    if shape is None:
        shape, lines = _with_shape(lines, options, "\t")
    return read_csv(lines, path, options=options, shape=shape, decoder=decoder)


def read_annif_tsv(lines: Iterator[tuple[int, bytes]], path: object, *, decoder: LineDecoder | None = None) -> Records:
    """The records of Annif's vocabulary format: `<uri>`, a tab, the label; further columns (notation) are ignored."""
    text_lines = _TextLines(lines, decoder or LineDecoder())
    for line in text_lines:
        problem, text_lines.problem = text_lines.problem, None
        uri, tab, rest = line.rstrip("\n").partition("\t")
        if problem is not None:
            yield text_lines.number, problem
        elif not line.strip():
            continue
        elif not tab or not (uri.startswith("<") and uri.endswith(">")):
            yield text_lines.number, BadRecord("bad_row", f"not '<uri>', a tab and a label: {line[:60]!a}")
        else:
            yield text_lines.number, {"uri": uri[1:-1], "label": rest.partition("\t")[0]}


def _with_shape(
    lines: Iterator[tuple[int, bytes]], options: ReadOptions | None, delimiter: str | None = None
) -> tuple[TableShape, Iterator[tuple[int, bytes]]]:
    """The shape that the first lines of a table have, and all lines from the beginning."""
    head = list(itertools.islice(lines, _N_HEAD))
    shape = TableShape.of([raw.decode("utf-8", "replace") for _, raw in head], options, delimiter)
    return shape, itertools.chain(head, lines)


def _read_unquoted(
    lines: Iterator[tuple[int, bytes]], path: object, options: ReadOptions, shape: TableShape, decoder: LineDecoder
) -> Records:
    table = _Table(shape, options, path)
    text_lines = _TextLines(lines, decoder)
    for line in text_lines:
        problem, text_lines.problem = text_lines.problem, None
        if problem is not None or line.strip():
            record = table.record(text_lines.number, line[:-1].split("\t"), problem)
            if record is not None:
                yield text_lines.number, record


class _TextLines:
    """Decoded lines with their line ends; a line that cannot be decoded leaves its `problem` and passes on damaged."""

    def __init__(self, lines: Iterator[tuple[int, bytes]], decoder: LineDecoder) -> None:
        self._lines = lines
        self._decode = decoder.decode
        self.number = 0
        self.problem: BadRecord | None = None

    def __iter__(self) -> Iterator[str]:
        for number, raw in self._lines:
            self.number = number
            if raw.isascii():
                yield raw.decode("ascii") + "\n"
                continue
            try:
                line = self._decode(raw, number)
            except BadRecord as problem:
                self.problem = problem
                line = raw.decode("utf-8", "replace")
            yield line + "\n"


class _Table:
    """Rows to records; the first row has the names of the columns, or tells how many there are."""

    def __init__(self, shape: TableShape, options: ReadOptions, path: object) -> None:
        self._shape, self._options, self._path = shape, options, path
        self._n_skipped = shape.n_skipped
        self._columns: list[str] | None = None
        self._is_by_language = self._has_nameless = False

    def record(self, number: int, row: list[str], problem: BadRecord | None) -> dict[str, Any] | BadRecord | None:
        """The record of a row, what is wrong with it, or None for a header."""
        if self._columns is not None:
            return problem or self._record(self._columns, row)
        if self._n_skipped:
            self._n_skipped -= 1
            return None
        if problem is not None:
            raise DataError(problem.reason, path=self._path, line=number)
        self._columns = self._names(row, number)
        self._is_by_language = _has_labels_by_language(self._columns)
        self._has_nameless = "" in self._columns
        return None if self._shape.has_header else self._record(self._columns, row)

    def _names(self, row: list[str], number: int) -> list[str]:
        """The names of the columns, or an error about the header: without it no line can be read."""
        check_columns(len(row), self._options, self._path, number)
        if not self._shape.has_header:
            return [f"column {number_of_column}" for number_of_column in range(1, len(row) + 1)]
        names: list[str] = []
        seen: set[str] = set()
        for name in (cell.strip() for cell in row):
            known = field_of(name)
            if name in seen and known is not None and known[0] in _ONCE and name not in self._options.columns.values():
                raise DataError(f"the header names a column twice: {name}", path=self._path, line=number)
            unique, n_same = name, 1
            while name and unique in seen:
                n_same += 1
                unique = f"{name} ({n_same})"
            seen.add(unique)
            names.append(unique)
        return names

    def _record(self, columns: list[str], row: list[str]) -> dict[str, Any] | BadRecord:
        if len(row) != len(columns) and (len(row) < len(columns) or any(row[len(columns) :])):
            than = f"where the {'header' if self._shape.has_header else 'first line'} has {len(columns)}"
            reason = f"{len(row)} fields {than}"
            is_long = len(row) > len(columns) and self._shape.delimiter == "\t" and not self._shape.has_header
            return LongRow(columns, row, reason) if is_long else BadRecord("bad_row", reason)
        record: dict[str, Any] = dict(zip(columns, map(str.strip, row)))  # noqa: B905 - costs a third more if it is said
        if not all(record.values()):
            record = {name: text or None for name, text in record.items()}
        if self._has_nameless:
            record.pop("", None)
        return _with_one_label(record) if self._is_by_language else record


def _has_labels_by_language(columns: list[str]) -> bool:
    """Whether the table is one of Annif's, with a column of labels per language: `uri,label_en,label_fi`."""
    names = [name.lower() for name in columns]
    return "uri" in names and "label" not in names and any(name.startswith(_LABEL_IN) for name in names)


def _with_one_label(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the first label there is; all of them are aliases, and the notation is an equivalent id."""
    fields = {key.lower(): value for key, value in record.items()}
    labels = [(key.removeprefix(_LABEL_IN), text) for key, text in fields.items() if key.startswith(_LABEL_IN) and text]
    fields = {key: value for key, value in fields.items() if not key.startswith(_LABEL_IN)}
    others = fields.get("aliases")
    fields["label"] = labels[0][1] if labels else None
    fields["aliases"] = [{"text": text, "lang": lang} for lang, text in labels] + (others.split("|") if others else [])
    if fields.get("notation") and "alt_ids" not in fields:
        fields["alt_ids"] = [fields["notation"]]
    return fields
