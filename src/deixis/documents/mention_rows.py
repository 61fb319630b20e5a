"""Linked mentions as rows of a table, each with the same columns."""

from __future__ import annotations

from typing import Any

from deixis.documents.json_lines import short_score
from deixis.types import Document

COLUMNS: dict[str, type] = {
    "document": str, "start": int, "end": int, "text": str, "entity": str, "title": str, "score": float, "nil": bool,
    "nil_reason": str, "mention_score": float, "entity_score": float, "second": str, "second_title": str,
    "second_score": float,
}  # fmt: skip
"""The columns in order, and what they hold; None where nothing is known."""


def mention_rows(document: Document) -> list[dict[str, Any]]:
    """A row for each mention; `second` is the best candidate that it is not linked to.

    Examples
    --------
    >>> from deixis.types import Candidate, Mention
    >>> paris = Mention(0, 5, "Paris", "Q1", 0.9, candidates=(Candidate("Q1", 0.9, "Paris"), Candidate("Q2", 0.1)))
    >>> (row,) = mention_rows(Document("d1", "Paris fled.", mentions=(paris,)))
    >>> row["entity"], row["title"], row["nil"], row["second"], row["second_score"]
    ('Q1', 'Paris', False, 'Q2', 0.1)
    """
    rows = []
    for mention in document.mentions:
        second = mention.second
        values = (
            document.id, mention.start, mention.end, mention.text, mention.entity, mention.title or None,
            _short(mention.score), mention.is_nil if mention.is_decided else None, mention.nil_reason,
            _short(mention.mention_score), _short(mention.entity_score), second and second.id,
            (second and second.title) or None, None if second is None else short_score(second.score),
        )  # fmt: skip
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _short(score: float | None) -> float | None:
    return None if score is None else short_score(score)
