"""BioC JSON in and out: a collection of documents, PubTator's answer, a list of collections, or one document a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from deixis.documents.formats.bioc.record_in import document_of
from deixis.documents.formats.bioc.record_out import record_of
from deixis.documents.json_stream import JsonStream
from deixis.documents.places import Place
from deixis.types import Document

_DOCUMENT_KEYS = ("documents", "PubTator3")


def read_bioc_json(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """The documents of BioC JSON, one at a time; a collection is never held as a whole, though a line of it is.

    Examples
    --------
    >>> lines = ['{"source": "x", "documents": [', '{"id": "1", "passages": [{"offset": 0, "text": "Paris"}]}', "]}"]
    >>> [document.text for document in read_bioc_json(enumerate(lines, start=1), "x.json")]
    ['Paris']
    """
    stream = JsonStream(lines, path)
    while first := stream.peek():
        if first == "[":
            stream.take("[")
            is_first = True
            while stream.has_more("]", is_first):
                yield from _object(stream)
                is_first = False
        else:
            yield from _object(stream)


def _object(stream: JsonStream) -> Iterator[Document]:
    """The documents of the collection that begins here, or the one that does."""
    place = stream.place
    stream.take("{")
    record: dict[str, Any] = {}
    is_collection = False
    is_first = True
    while stream.has_more("}", is_first):
        is_first = False
        key = stream.value()
        stream.take(":")
        if key in _DOCUMENT_KEYS:
            is_collection = True
            yield from _documents(stream)
        else:
            record[str(key)] = stream.value()
    if not is_collection:
        yield document_of(_checked(record, place), place)


def _documents(stream: JsonStream) -> Iterator[Document]:
    stream.take("[")
    is_first = True
    while stream.has_more("]", is_first):
        stream.peek()  # to the line on which the document begins
        place = stream.place
        yield document_of(stream.value(), place)
        is_first = False


def _checked(record: dict[str, Any], place: Place) -> dict[str, Any]:
    if "passages" not in record:
        keys = ", ".join(map(repr, record)) or "none"
        raise place.error(f"BioC JSON is an object with 'documents', or a document with 'passages'. Keys here: {keys}")
    return record


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
