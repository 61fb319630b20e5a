"""Plain text, one document a line, without labels: what is to be given some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deixis.documents.places import Place
from deixis.errors import DataError
from deixis.labelling.corpus.records import LabelledRecord, checked_text, records_of_lines


def read_plain_lines(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[LabelledRecord | DataError]:
    """One document per line that is not blank; its id is the line's number, counted from 1.

    Examples
    --------
    >>> [(record.id, record.text) for record in read_plain_lines([(1, b"Cats"), (2, b""), (3, b"Ships")], "-")]
    [('1', 'Cats'), ('3', 'Ships')]
    """
    return records_of_lines(lines, path, _record)


def _record(line: str, location: Place) -> LabelledRecord:
    return LabelledRecord(location, str(location.line), checked_text(line, location), [])
