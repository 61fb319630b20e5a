"""JSON lines as Hugging Face's `datasets` loads and writes them: a table, so every row has every column.

`load_dataset("json", data_files=...)` takes what is written here, and what `Dataset.to_json` writes is read: mentions
as a list of objects, or, as older datasets have them, as one object of lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from deixis.documents.formats.native import document_from_record
from deixis.documents.formats.native_out import document_to_dict
from deixis.documents.json_lines import read_records, shown, write_each
from deixis.documents.places import Place
from deixis.types import Document

# Column -> its other names in datasets of entity linking; the first that a row has is read.
_COLUMNS = {"id": ("document_id", "doc_id"), "lang": ("language",), "mentions": ("entities",)}
_FIELDS = {"entity": ("entity_id", "kb_id", "qid")}
_EVERY_DOCUMENT: dict[str, Any] = {"id": None, "text": None, "lang": None, "mentions": None}
_EVERY_MENTION: dict[str, Any] = {
    "start": None, "end": None, "text": None, "entity": None, "score": None, "nil": None, "candidates": None,
    "mention_score": None, "entity_score": None, "nil_reason": None,
}  # fmt: skip
_EVERY_CANDIDATE: dict[str, Any] = {"id": None, "title": "", "score": None}


def read_hf(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line that is not blank; `entity: null` is NIL unless `nil` is null, too.

    Examples
    --------
    >>> line = '{"text": "Paris fled.", "entities": {"start": [0], "end": [5], "qid": ["Q167646"]}}'
    >>> document = next(read_hf([(1, line)], "train.jsonl"))
    >>> document.mentions[0].text, document.mentions[0].entity
    ('Paris', 'Q167646')
    """
    for record, place in read_records(lines, path):
        named = _renamed(record, _COLUMNS)
        mentions = named.get("mentions")
        if isinstance(mentions, dict):
            mentions = _rows(mentions, place)
        if isinstance(mentions, list):
            named["mentions"] = [_mention(row, place) if isinstance(row, dict) else row for row in mentions]
        yield document_from_record(named, place)


def write_hf(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one row per document, with null where there is nothing to say, and returns how many there were."""
    return write_each(documents, stream, row_of)


def row_of(document: Document) -> dict[str, Any]:
    """The document with every column that there is."""
    row = _EVERY_DOCUMENT | document_to_dict(document)
    row["mentions"] = [_EVERY_MENTION | mention for mention in row["mentions"]]
    for mention in row["mentions"]:
        mention["candidates"] = [_EVERY_CANDIDATE | each for each in mention["candidates"] or ()]
    return row


def _mention(row: Mapping[str, Any], place: Place) -> dict[str, Any]:
    named = _renamed(row, _FIELDS)
    if isinstance(named.get("candidates"), dict):
        named["candidates"] = _rows(named["candidates"], place)
    return named


def _renamed(record: Mapping[str, Any], others: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    named = dict(record)
    for column, names in others.items():
        source = next((name for name in names if name in record), None)
        if column not in record and source is not None:
            named[column] = record[source]
    return named


def _rows(columns: Mapping[str, Any], place: Place) -> list[dict[str, Any]]:
    """The rows of an object of lists."""
    if not all(isinstance(column, list) for column in columns.values()):
        raise place.error(f"an object of columns must hold lists, got {shown(columns)}")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise place.error(f"columns of one object must be equally long, got {shown(lengths)}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
