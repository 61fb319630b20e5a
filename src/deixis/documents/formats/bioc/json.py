"""BioC JSON in and out: a collection of documents, PubTator's answer, a list of collections, or one document a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from deixis.documents.formats.bioc.record_in import document_of
from deixis.documents.formats.bioc.record_out import record_of
from deixis.documents.json_lines import shown
from deixis.documents.places import Place
from deixis.types import Document

_DOCUMENT_KEYS = ("documents", "PubTator3")
_VALUE = re.compile(r"\S")


def read_bioc_json(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """The documents of BioC JSON; a collection is held as a whole, and so is a file that is not one value a line.

    Examples
    --------
    >>> lines = ['{"source": "x", "documents": [', '{"id": "1", "passages": [{"offset": 0, "text": "Paris"}]}', "]}"]
    >>> [document.text for document in read_bioc_json(enumerate(lines, start=1), "x.json")]
    ['Paris']
    """
    for value, place in _values(lines, path):
        for record in value if isinstance(value, list) else [value]:
            yield from (document_of(each, place) for each in _documents(record, place))


def _values(lines: Iterable[tuple[int, str]], path: str) -> Iterator[tuple[Any, Place]]:
    """The JSON values of the file, one after the other, and where each begins."""
    remaining = iter(lines)
    for number, line in remaining:
        try:
            value = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):  # more than one line, or wrong, which is found out below
            rest = (each.rstrip("\n") for _, each in remaining)
            yield from _in_sequence("\n".join([line.rstrip("\n"), *rest]), path, number)
            return
        if value is not None:
            yield value, Place(path, number)


def _in_sequence(text: str, path: str, first_line: int) -> Iterator[tuple[Any, Place]]:
    decoder, at, line = json.JSONDecoder(), 0, first_line
    while match := _VALUE.search(text, at):
        line += text.count("\n", at, match.start())
        place = Place(path, line)
        try:
            value, at = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError as error:
            wrong = text[error.pos : error.pos + 40]
            reason = f"{error.msg}, found {repr(wrong) if wrong else 'the end of the file'}"
            raise Place(path, first_line + error.lineno - 1).error(f"not JSON ({reason})") from None
        except RecursionError:
            raise place.error("JSON nested too deeply") from None
        except ValueError:
            raise place.error("not JSON (a number with too many digits)") from None
        yield value, place
        line += text.count("\n", match.start(), at)


def _documents(record: object, place: Place) -> list[Any]:
    """The documents of a collection, or the one document that the record is."""
    fields = record if isinstance(record, dict) else {}
    for key in _DOCUMENT_KEYS:
        if key in fields:
            documents = fields[key]
            if not isinstance(documents, list):
                raise place.error(f"{key!r} must be a list of documents, got {shown(documents)}")
            return list(documents)
    if "passages" not in fields:
        known = ", ".join(map(repr, fields)) or "none"
        raise place.error(f"BioC JSON is an object with 'documents', or a document with 'passages'. Keys here: {known}")
    return [record]


def write_bioc_json(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one collection, a document a line, and returns how many there were; offsets count code points."""
    stream.write('{"source": "Deixis", "date": "", "key": "", "infons": {}, "documents": [')
    n_documents = 0
    for document in documents:
        stream.write(",\n" if n_documents else "\n")
        stream.write(json.dumps(record_of(document, path), ensure_ascii=False))
        n_documents += 1
    stream.write("\n]}\n")
    return n_documents
