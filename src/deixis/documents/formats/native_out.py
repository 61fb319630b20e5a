"""Native JSONL out: what `read_native` reads back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from deixis.documents.json_lines import reasons_of, short_score, write_each
from deixis.types import Candidate, Document, Mention


def write_native(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one line per document, as they come, and returns how many there were."""
    return write_each(documents, stream, document_to_dict)


def document_to_dict(document: Document) -> dict[str, Any]:
    """The document as JSON holds it; keys that say nothing are left out."""
    record: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.lang is not None:
        record["lang"] = document.lang
    record["mentions"] = [mention_to_dict(mention) for mention in document.mentions]
    return record


def mention_to_dict(mention: Mention) -> dict[str, Any]:
    """The mention as JSON holds it: a decided one, NIL or not, with every key; an undecided one with what is known.

    Examples
    --------
    >>> list(mention_to_dict(Mention(0, 5, "Paris", is_nil=True)))[3:]
    ['entity', 'score', 'nil', 'mention_score', 'entity_score', 'nil_reason', 'candidates']
    """
    record: dict[str, Any] = {"start": mention.start, "end": mention.end, "text": mention.text}
    if mention.is_decided:
        record["entity"] = mention.entity
    if mention.is_decided or mention.score is not None:
        record["score"] = None if mention.score is None else short_score(mention.score)
    if mention.is_decided:
        record |= {"nil": mention.is_nil, "mention_score": None, "entity_score": None, "nil_reason": None}
    record |= reasons_of(mention)
    if mention.is_decided or mention.candidates:
        record["candidates"] = [_candidate_to_dict(candidate) for candidate in mention.candidates]
    return record


def _candidate_to_dict(candidate: Candidate) -> dict[str, Any]:
    titled = {"title": candidate.title} if candidate.title else {}
    return {"id": candidate.id, **titled, "score": short_score(candidate.score)}
