"""ELEVANT's JSON lines (Bast, Hertel and Prange, 2022): benchmarks, and what linkers found in them.

Gold stands in `labels`, links in `entity_mentions`; spans are `[start, end]`, half-open, in code points. Labels carry
no language, scores or candidates; links no language or scores, and candidates without order or names. Labels that
ELEVANT calls optional, and labels inside labels, are read as mentions like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TextIO

from deixis.documents.json_lines import (
    entity_in,
    name_in,
    read_records,
    records_in,
    shown,
    text_in,
    unwritable,
    write_record,
)
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, in_text_order
from deixis.types import Candidate, Document, Mention

# What ELEVANT calls an entity that has no id begins with this.
_UNKNOWN = "Unknown"
# Labels of these are amounts and dates, which no linker has to find.
_NO_ENTITIES = frozenset({"DATETIME", "QUANTITY"})
_LINKER = "deixis"
_EXAMPLE = '{"id": 1, "title": "Troy", "text": "Paris fled.", "labels": [{"span": [0, 5], "entity_id": "Q167646"}]}'


def read_elevant(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line, with its `labels` as mentions; where a line has no such key, its `entity_mentions`.

    An entity id that begins with `Unknown` is NIL; labels of dates and quantities are left out.

    Examples
    --------
    >>> label = '{"span": [0, 5], "entity_id": "Unknown1", "name": "Unknown", "type": "OTHER"}'
    >>> line = '{"id": 3, "title": "Troy", "text": "Paris fled.", "labels": [' + label + ']}'
    >>> document = next(read_elevant([(1, line)], "troy.benchmark.jsonl"))
    >>> document.id, document.mentions[0].text, document.mentions[0].is_nil
    ('3', 'Paris', True)
    """
    for record, place in read_records(lines, path):
        yield _document(record, place, has_labels="labels" in record)


def read_elevant_links(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line, with what a linker found (`entity_mentions`) as mentions, whatever labels there are.

    A mention that was linked (`linked_by`) to nothing is NIL, one that was only recognized is undecided. ELEVANT sorts
    candidates by id, so only the set of them says something; the link is put first.
    """
    for record, place in read_records(lines, path):
        yield _document(record, place, has_labels=False)


def write_elevant(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one benchmark article per document, its mentions as labels; returns how many there were.

    A label needs an entity or NIL: an undecided mention is an error. ELEVANT itself wants ids that are whole numbers.
    """
    return _written(documents, stream, lambda document: {"labels": _labels(document, path)})


def write_elevant_links(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one article per document, its mentions as what a linker found; returns how many there were."""
    return _written(
        documents,
        stream,
        lambda document: {"entity_mentions": [_link(document, mention, path) for mention in document.mentions]},
    )


def _document(record: Mapping[str, Any], place: Place, has_labels: bool) -> Document:
    text = text_in(record, "text", place, _EXAMPLE)
    key, to_mention = ("labels", _label_mention) if has_labels else ("entity_mentions", _link_mention)
    mentions = (to_mention(item, text, place) for item in records_in(record, key, place, "'span'"))
    return Document(
        id=name_in(record, "id", place) or str(place.line),
        text=text,
        mentions=in_text_order(mention for mention in mentions if mention is not None),
    )


def _label_mention(record: Mapping[str, Any], text: str, place: Place) -> Mention | None:
    start, end = _span(record, text, place)
    entity = entity_in(record, "entity_id", place)
    if entity is None:
        raise place.error(f"a label needs an 'entity_id' ({_UNKNOWN!r} if it has none), got {shown(record)}")
    if entity in _NO_ENTITIES:
        return None
    is_nil = entity.startswith(_UNKNOWN)
    return Mention(start, end, text[start:end], None if is_nil else entity, is_nil=is_nil)


def _link_mention(record: Mapping[str, Any], text: str, place: Place) -> Mention:
    start, end = _span(record, text, place)
    entity = entity_in(record, "id", place)
    is_nil = record.get("linked_by") is not None if entity is None else entity.startswith(_UNKNOWN)
    candidates = record.get("candidates") or []
    if not isinstance(candidates, list) or not all(isinstance(candidate, str) for candidate in candidates):
        raise place.error(f"'candidates' must be a list of entity ids, got {shown(candidates)}")
    link = None if is_nil else entity
    ranked = sorted(candidates, key=lambda candidate: candidate != link)
    return Mention(
        start, end, text[start:end], link, is_nil=is_nil, candidates=tuple(Candidate(name, 0.0) for name in ranked)
    )


def _span(record: Mapping[str, Any], text: str, place: Place) -> tuple[int, int]:
    span = record.get("span")
    if not isinstance(span, list) or len(span) != 2:
        raise place.error(f"'span' must be two whole numbers, [start, end], got {shown(span)}")
    return checked_span(span[0], span[1], text, place.error)


def _written(documents: Iterable[Document], stream: TextIO, labels_of: Callable[[Document], dict[str, Any]]) -> int:
    n_documents = 0
    for document in documents:
        article = {"id": _article_id(document.id), "title": document.id, "text": document.text}
        write_record({**article, "evaluation_span": [0, len(document.text)], **labels_of(document)}, stream)
        n_documents += 1
    return n_documents


def _labels(document: Document, path: str) -> list[dict[str, Any]]:
    labels = []
    for number, mention in enumerate(document.mentions):
        if not mention.is_decided:
            why = "has no entity and is not NIL: ELEVANT has no such label. Choose the format 'elevant-links'"
            raise unwritable(document, mention, why, path)
        entity = _entity_id(document, mention, path) or _UNKNOWN
        titles = (candidate.title for candidate in mention.candidates if candidate.id == entity)
        name = next((title for title in titles if title), entity)
        label = {"id": number, "span": [mention.start, mention.end], "entity_id": entity, "name": name}
        labels.append({**label, "parent": None, "children": [], "optional": False, "type": "OTHER"})
    return labels


def _link(document: Document, mention: Mention, path: str) -> dict[str, Any]:
    record: dict[str, Any] = {"span": [mention.start, mention.end], "recognized_by": _LINKER}
    entity = _entity_id(document, mention, path)
    if entity is not None:
        record["id"] = entity
    if mention.is_decided:
        record["linked_by"] = _LINKER
    return {**record, "candidates": [candidate.id for candidate in mention.candidates]}


def _entity_id(document: Document, mention: Mention, path: str) -> str | None:
    entity = mention.entity
    if entity is not None and (entity.startswith(_UNKNOWN) or entity in _NO_ENTITIES):
        why = f"is linked to {entity!r}, which ELEVANT takes for no entity. Give that entity another id"
        raise unwritable(document, mention, why, path)
    return entity


def _article_id(name: str) -> int | str:
    """A whole number, as ELEVANT has them, if the id is one and says it in the usual way."""
    is_number = name.isascii() and name.isdecimal() and len(name) <= 18 and str(int(name)) == name
    return int(name) if is_number else name
