"""Tables to records: CSV and TSV with named columns, and Annif's headless `<uri>`, tab, `label`.

CSV fields may be quoted. TSV fields may not (that is what TSV means): a title that begins with a quote stays whole.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.records import BadRecord, RecordMapping
from deixis.store.files import decode_line

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
_LIST_COLUMNS = {"aliases", "types", "type", "entity_type", "alt_ids"}
_SEPARATOR = "|"
_LABEL_IN = "label_"  # and a language
_MAX_FIELD = 1 << 30


def read_csv(lines: Iterator[tuple[int, bytes]], path: object) -> Records:
    """The records of a CSV file; the delimiter is `;` when the header has no comma."""
    text_lines = _TextLines(lines)
    header = _header(text_lines, path)
    delimiter = ";" if "," not in header and ";" in header else ","
    # A process-wide setting of the csv module, only ever raised: descriptions may be longer than its 128 KB.
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_FIELD))
    columns = _columns(next(csv.reader([header], delimiter=delimiter), []), path, text_lines.number)
    rows = csv.reader(text_lines, delimiter=delimiter, strict=True)
    while True:
        number = text_lines.number + 1
        text_lines.problem = None
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, BadRecord("bad_row", f"not a CSV row: {error}; is a quote left open?")
            continue
        if text_lines.problem is not None:
            yield number, text_lines.problem
        elif row:
            yield number, _record(columns, row)


def read_tsv(lines: Iterator[tuple[int, bytes]], path: object) -> Records:
    """The records of a TSV file with a header."""
    text_lines = _TextLines(lines)
    header = _header(text_lines, path)
    columns = _columns(header.rstrip("\n").split("\t"), path, text_lines.number)
    for line in text_lines:
        problem, text_lines.problem = text_lines.problem, None
        if problem is not None:
            yield text_lines.number, problem
        elif line.strip():
            yield text_lines.number, _record(columns, line.rstrip("\n").split("\t"))


def read_annif_tsv(lines: Iterator[tuple[int, bytes]], path: object) -> Records:
    """The records of Annif's vocabulary format: `<uri>`, a tab, the label; further columns (notation) are ignored."""
    text_lines = _TextLines(lines)
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


class _TextLines:
    """Decoded lines with their line ends; a line that is not UTF-8 leaves its `problem` and passes on damaged."""

    def __init__(self, lines: Iterator[tuple[int, bytes]]) -> None:
        self._lines = lines
        self.number = 0
        self.problem: BadRecord | None = None

    def __iter__(self) -> _TextLines:
        return self

    def __next__(self) -> str:
        self.number, raw = next(self._lines)
        try:
            return decode_line(raw, None, self.number) + "\n"
        except DataError as error:
            self.problem = BadRecord("encoding", error.reason)
            return raw.decode("utf-8", "replace") + "\n"


def _header(text_lines: _TextLines, path: object) -> str:
    """The first line that is not blank."""
    header = next((line for line in text_lines if line.strip()), "")
    if text_lines.problem is not None:
        raise DataError(text_lines.problem.reason, path=path, line=text_lines.number)
    return header


def _columns(header: list[str], path: object, line: int) -> list[str]:
    """The names of the columns, or an error about the header: without it no line can be read."""
    columns = [name.strip().lower() for name in header]
    repeated = sorted({name for name in columns if name and columns.count(name) > 1})
    if repeated:
        raise DataError(f"the header names a column twice: {', '.join(repeated)}", path=path, line=line)
    try:
        RecordMapping.choose([*columns, "label"] if _has_labels_by_language(columns) else columns)
    except BadRecord as error:
        raise DataError(f"the first line must name the columns; {error.reason}", path=path, line=line) from error
    return columns


def _record(columns: list[str], row: list[str]) -> dict[str, Any] | BadRecord:
    if len(row) != len(columns):
        return BadRecord("bad_row", f"{len(row)} fields where the header has {len(columns)}")
    record: dict[str, Any] = {}
    for name, value in zip(columns, row, strict=True):
        if name:
            value = value.strip()
            is_list = value and name in _LIST_COLUMNS
            record[name] = value.split(_SEPARATOR) if is_list else value or None
    return _with_one_label(record) if _has_labels_by_language(columns) else record


def _has_labels_by_language(columns: list[str]) -> bool:
    """Whether the table is one of Annif's, with a column of labels per language: `uri,label_en,label_fi`."""
    return "uri" in columns and "label" not in columns and any(name.startswith(_LABEL_IN) for name in columns)


def _with_one_label(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the first label there is; all of them are aliases, and the notation is an equivalent id."""
    labels = [(key.removeprefix(_LABEL_IN), text) for key, text in record.items() if key.startswith(_LABEL_IN) and text]
    fields = {key: value for key, value in record.items() if not key.startswith(_LABEL_IN)}
    fields["label"] = labels[0][1] if labels else None
    fields["aliases"] = [{"text": text, "lang": lang} for lang, text in labels] + (record.get("aliases") or [])
    if fields.get("notation") and "alt_ids" not in fields:
        fields["alt_ids"] = [fields["notation"]]
    return fields
