"""Rows with more tabs than their table has columns, read where there is only one place the tab can belong to.

That is so in lists of labels, without a header and with one column of text. Where a header says how many columns there
are, the row is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord

logger = logging.getLogger(__name__)
Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
_WITHOUT_TABS = {"id", "title", "count", "language"}


class LongRow(BadRecord):
    """A row of a table without a header that has more cells than the first row."""

    def __init__(self, columns: list[str], cells: list[str], reason: str) -> None:
        super().__init__("bad_row", reason)
        self._columns, self._cells = columns, cells

    def joined(self, key: str) -> dict[str, str | None]:
        """The record in which the column `key` has all cells that are too many, with spaces between them."""
        position = self._columns.index(key)
        n_more = len(self._cells) - len(self._columns)
        whole = " ".join(self._cells[position : position + n_more + 1])
        cells = [*self._cells[:position], whole, *self._cells[position + n_more + 1 :]]
        return {name: cell.strip() or None for name, cell in zip(self._columns, cells, strict=True)}


def with_whole_titles(records: Records, mapping: RecordMapping | None, columns: list[str], path: object) -> Records:
    """The records of a table; where the title is its only text, a tab too many is a space of the title."""
    if mapping is None or not mapping.fields_of(columns).keys() <= _WITHOUT_TABS:
        return records
    return _joined(records, mapping, path)


def _joined(records: Records, mapping: RecordMapping, path: object) -> Records:
    joined_lines: list[int] = []
    for line, record in records:
        if not isinstance(record, LongRow):
            yield line, record
            continue
        whole = record.joined(mapping.title)
        try:
            mapping.parse(whole)
        except BadRecord:
            yield line, record
        else:
            joined_lines.append(line)
            yield line, whole
    if joined_lines:
        n_lines, first = len(joined_lines), joined_lines[0]
        logger.warning("%s: names with a tab in them, read as a space: %d (first in line %d)", path, n_lines, first)
