"""How a table is written: what stands between its columns, and whether its first row names them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deixis.errors import DataError
from deixis.kb.header_words import field_of, is_header
from deixis.kb.read_options import ReadOptions

DELIMITERS = (",", ";", "\t", "|")
NONE = "\x1f"
"""Stands between the columns of a table that has one."""
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"\s*\d+\s*")


@dataclass(frozen=True, slots=True)
class TableShape:
    """What a table's reader must know.

    Examples
    --------
    >>> print(TableShape.of(["SKU;Name", "A-1;Pump, blue"]))
    semicolons between columns
    >>> print(TableShape.of(["Q90|Paris", "Q62|San Francisco"]))
    bars between columns, no header
    """

    delimiter: str
    has_header: bool
    n_skipped: int = 0
    """Lines before the table: `sep=;` of spreadsheets."""

    @classmethod
    def of(cls, lines: Sequence[str], options: ReadOptions | None = None, delimiter: str | None = None) -> TableShape:
        """The shape of the table that begins with these lines."""
        options = options or ReadOptions()
        first = _SEP_LINE.fullmatch(lines[0]) if lines else None
        n_skipped = int(first is not None)
        delimiter = options.delimiter or (first[1] if first else None) or delimiter
        lines = [line for line in lines[n_skipped:] if line.strip()]
        if delimiter is None:
            delimiter = guess_delimiter(lines, options.has_header)
        rows = _rows(lines, delimiter)
        has_header = options.has_header if options.has_header is not None else _has_header(rows)
        return cls(delimiter, has_header, n_skipped)

    def __str__(self) -> str:
        words = (
            [] if self.delimiter == NONE else [f"{_NAMES.get(self.delimiter, repr(self.delimiter))} between columns"]
        )
        return ", ".join(words + ([] if self.has_header else ["no header"])) or "one column"


def check_columns(n_columns: int, options: ReadOptions, path: object, line: int | None = None) -> None:
    """Raises where a table has more columns than are read."""
    if n_columns > options.max_columns:
        limit = f"at most {options.max_columns:,} are read"
        reason = f"{n_columns:,} columns; {limit}. Is this a list? A higher limit: --limits columns={n_columns}"
        raise DataError(reason, path=path, line=line)


def guess_delimiter(lines: Sequence[str], has_header: bool | None = None) -> str:
    """The delimiter by which most headers are known words, else by which most rows have the same number of fields."""
    best, best_score = NONE, (0, 0.0, 0)
    for delimiter in DELIMITERS:
        rows = _rows(lines, delimiter)
        if not rows:
            continue
        sizes = Counter(map(len, rows))
        n_columns, n_rows = max(sizes.items(), key=lambda size: (size[1], size[0]))
        header = rows[0] if has_header is not False else []
        n_known = sum(field_of(cell) is not None for cell in header) if len(header) > 1 and is_header(header) else 0
        if n_known == 0 and (n_columns < 2 or n_rows < 0.8 * len(rows) or _is_named(lines)):
            continue
        score = (n_known, n_rows / len(rows), n_columns)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _is_named(lines: Sequence[str]) -> bool:
    """Whether the first line is the name of the only column."""
    return len(lines) > 0 and is_header([lines[0].strip().strip('"')])


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The rows of the first lines; the last may be cut short and is left out if there are others."""
    if delimiter == "\t":
        return [line.split("\t") for line in lines]
    try:
        rows = [row for row in csv.reader((line + "\n" for line in lines), delimiter=delimiter) if row]
    except csv.Error:
        return [line.split(delimiter) for line in lines]
    return rows


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: by its words, or as the only row without a number in some column."""
    if not rows:
        return True
    first, others = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if is_header(first):
        return True
    if len(others) < 2 or len(first) < 2 or any(not cell.strip() or _WHOLE_NUMBER.fullmatch(cell) for cell in first):
        return False
    return any(all(_WHOLE_NUMBER.fullmatch(row[column]) for row in others) for column in range(len(first)))
