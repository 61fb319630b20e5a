"""Rows of tables that are no text (spreadsheets, databases, Arrow), as the CSV files they would be saved as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from deixis.kb.formats.csv import read_csv
from deixis.kb.formats.table_shape import TableShape
from deixis.kb.list_lines import LineDecoder
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
Row = Iterable[object]


TABLE = TableShape(",", has_header=True)
"""The shape of a table whose columns have names."""


def read_rows(
    rows: Iterable[tuple[int, Row]], path: object, shape: TableShape | None = None, options: ReadOptions | None = None
) -> Records:
    r"""The records of numbered rows: a cell means what it would in CSV. Whether there is a header is guessed.

    Examples
    --------
    >>> rows = [(1, ["id", "title", "aliases"]), (2, [7.0, 'Troy, "Ilion"', "Troja|Ilium"])]
    >>> list(read_rows(rows, "places.xlsx"))
    [(2, {'id': '7', 'title': 'Troy, "Ilion"', 'aliases': 'Troja|Ilium'})]
    """
    lines = ((number, _line(row)) for number, row in rows)
    options = replace(options or ReadOptions(), delimiter=",")
    return read_csv(lines, path, options=options, shape=shape, decoder=LineDecoder(has_fallback=False))


def _line(row: Row) -> bytes:
    """A line of CSV; a blank one for a row without values."""
    cells = [_cell(cell) for cell in row]
    return b",".join(b'"' + cell.replace(b'"', b'""') + b'"' for cell in cells) if any(cells) else b""


def _cell(cell: object) -> bytes:
    """A cell as a spreadsheet shows it; lines end in LF."""
    if cell is None:
        return b""
    if isinstance(cell, bytes):
        return b"\n".join(cell.splitlines())
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**63:
        return b"%d" % int(cell)
    text = cell.isoformat() if isinstance(cell, (date, datetime, time)) else str(cell)
    return "\n".join(text.splitlines()).encode("utf-8", "replace")
