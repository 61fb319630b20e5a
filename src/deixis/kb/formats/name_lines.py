"""A plain list of names to records: one a line, such as the Extreme Classification repository's `Y.txt`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.records import BadRecord, clean
from deixis.store.files import decode_line


def read_name_lines(
    lines: Iterator[tuple[int, bytes]], path: object
) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """An entity per line; its id is its number, from 0, as labels of matrices are numbered. A blank line has no name.

    Examples
    --------
    >>> [record for _, record in read_name_lines(iter([(1, b"paper"), (2, b"cats")]), "Y.txt")]
    [{'id': '0', 'title': 'paper'}, {'id': '1', 'title': 'cats'}]
    """
    for number, raw in lines:
        identifier = str(number - 1)
        try:
            name = clean(decode_line(raw, path, number))
        except DataError as error:
            yield number, BadRecord("encoding", error.reason)
        else:
            yield number, {"id": identifier, "title": name or identifier}
