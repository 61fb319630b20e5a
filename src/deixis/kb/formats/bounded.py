"""Bounds on what a reader takes in before it gives a record: memory does not grow with the size of a damaged file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

Lines = Iterator[tuple[int, bytes]]
Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
Reader = Callable[[Lines, Any], Records]
_WHOLE = ("skos", "owl", "wikidata-query")
"""Formats whose first record comes when all lines have been read."""
_SPREAD = ("json", "obo", "mesh")
"""Formats with records of several lines."""


def bounded(
    read: Callable[[Lines, Any], Records], format: str, options: ReadOptions
) -> Callable[[Lines, Any], Records]:
    """The reader of a format, with a limit on the bytes that it may read without giving a record."""
    if format in _WHOLE:
        return _Bounded(read, options.max_whole, "the list", "unpacked", options.max_unpacked)
    if format in _SPREAD:
        return _Bounded(read, options.max_line, "the record", "line", options.max_line)
    return read


class _Bounded:
    """Reads as another reader does, and counts."""

    def __init__(self, read: Reader, most: int, what: str, limit: str, value: int) -> None:
        self._read, self._most = read, most
        self._reason = (
            f"{what} has more than {most:,} bytes; is it a list? A higher limit: --limits {limit}={2 * value}"
        )
        self._n_bytes = 0

    def __call__(self, lines: Lines, path: object) -> Records:
        for numbered in self._read(self._counted(lines, path), path):
            self._n_bytes = 0
            yield numbered

    def _counted(self, lines: Lines, path: object) -> Lines:
        for number, raw in lines:
            self._n_bytes += len(raw) + 1
            if self._n_bytes > self._most:
                raise DataError(self._reason, path=path, line=number)
            yield number, raw
