"""The native format: one JSON object a line with `text`, and `id`, `lang`, `mentions` if it likes; other keys pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deixis.documents.json_lines import (
    entity_in,
    json_object,
    name_in,
    nil_reason_in,
    records_in,
    score_in,
    shown,
    text_in,
)
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, checked_surface, in_text_order
from deixis.types import Candidate, Document, Mention

_HINT = "Write one JSON object a line; for plain text choose the format 'text' or 'lines'"
_EXAMPLE = '{"id": "d1", "text": "Paris fled."}'
# Keys that only another format has, for those who forget to name it: key -> format.
_FOREIGN_KEYS = {"input": "kilt", "context_left": "blink", "context_document_id": "zeshel", "wiki": "damuel"}


def read_native(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line that is not blank; a document without an `id` gets its line's number.

    A mention's `entity` is its gold id, `null` says that it means nothing in the knowledge base, and a mention without
    the key is undecided.

    Examples
    --------
    >>> line = '{"text": "Paris fled.", "mentions": [{"start": 0, "end": 5, "entity": null}]}'
    >>> document = next(read_native([(1, line)], "greek.jsonl"))
    >>> document.id, document.mentions[0].text, document.mentions[0].is_nil
    ('1', 'Paris', True)
    """
    for number, line in lines:
        if line.strip():
            yield document_from_json(line, Place(path, number))


def document_from_json(line: str, place: Place) -> Document:
    """The document that one line holds."""
    return document_from_record(json_object(line, place, _HINT), place)


def document_from_record(record: Mapping[str, Any], place: Place) -> Document:
    """The document that a JSON object is."""
    text = text_in(record, "text", place, _EXAMPLE + _other_format(record))
    if "evaluation_span" in record and "mentions" not in record:
        raise place.error("this looks like a file of the format 'elevant', whose mentions are not read here; name it")
    columns = record.get("mentions")
    if isinstance(columns, dict) and all(isinstance(column, list) for column in columns.values()):
        raise place.error(
            f"'mentions' must be a list of objects, got columns: {shown(columns)}. If this is a file of the "
            "format 'hf', name that format"
        )
    mentions = records_in(record, "mentions", place, "'start' and 'end'")
    return Document(
        id=name_in(record, "id", place) or str(place.line),
        text=text,
        lang=name_in(record, "lang", place),
        mentions=in_text_order(_mention(mention, text, place) for mention in mentions),
    )


def _other_format(record: Mapping[str, Any]) -> str:
    format_ = next((format_ for key, format_ in _FOREIGN_KEYS.items() if key in record), None)
    return f". If this is a file of the format {format_!r}, name that format" if format_ else ""


def _mention(record: Mapping[str, Any], text: str, place: Place) -> Mention:
    start, end = checked_span(record.get("start"), record.get("end"), text, place.error)
    if record.get("text") is not None:
        checked_surface(record["text"], start, end, text, place.error)
    entity = entity_in(record, "entity", place)
    # `nil: null` stands in tables, where every row has every column: nobody has decided.
    has_entity = "entity" in record and record.get("nil", False) is not None
    is_nil = entity is None and (has_entity or record.get("nil") is True)
    return Mention(
        start=start,
        end=end,
        text=text[start:end],
        entity=entity,
        score=score_in(record, place),
        is_nil=is_nil,
        candidates=tuple(
            _candidate(candidate, place) for candidate in records_in(record, "candidates", place, "'id' and 'score'")
        ),
        mention_score=score_in(record, place, "mention_score"),
        entity_score=score_in(record, place, "entity_score"),
        nil_reason=nil_reason_in(record, place.error),
    )


def _candidate(record: Mapping[str, Any], place: Place) -> Candidate:
    name = name_in(record, "id", place)
    if name is None:
        raise place.error(f"a candidate needs an 'id', got {shown(record)}")
    return Candidate(id=name, score=score_in(record, place) or 0.0, title=name_in(record, "title", place) or "")
