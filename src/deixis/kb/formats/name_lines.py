"""A plain list of names to records, one name a line: entities, or the labels of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deixis.kb.list_lines import LineDecoder
from deixis.kb.records import BadRecord, clean

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]


def read_name_lines(lines: Iterator[tuple[int, bytes]], path: object, *, decoder: LineDecoder | None = None) -> Records:
    """An entity per line that is not blank; it has no id, so that its name becomes the id.

    Examples
    --------
    >>> [record for _, record in read_name_lines(iter([(1, b"paper"), (2, b""), (3, b"cats")]), "names.txt")]
    [{'title': 'paper'}, {'title': 'cats'}]
    """
    for number, name in _names(lines, decoder or LineDecoder()):
        if isinstance(name, BadRecord):
            yield number, name
        elif name:
            yield number, {"title": name}


def read_label_lines(
    lines: Iterator[tuple[int, bytes]], path: object, *, decoder: LineDecoder | None = None
) -> Records:
    """A label per line, such as the Extreme Classification repository's `Y.txt`; its id is its number, from 0.

    A blank line is a label without a name.

    Examples
    --------
    >>> [record for _, record in read_label_lines(iter([(1, b"paper"), (2, b"")]), "Y.txt")]
    [{'id': '0', 'title': 'paper'}, {'id': '1', 'title': '1'}]
    """
    for number, name in _names(lines, decoder or LineDecoder(has_fallback=False)):
        identifier = str(number - 1)
        yield number, name if isinstance(name, BadRecord) else {"id": identifier, "title": name or identifier}


def _names(lines: Iterator[tuple[int, bytes]], decoder: LineDecoder) -> Iterator[tuple[int, str | BadRecord]]:
    for number, raw in lines:
        try:
            yield number, clean(decoder.decode(raw, number))
        except BadRecord as problem:
            yield number, problem
