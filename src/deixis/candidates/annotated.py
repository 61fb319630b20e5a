"""Annotated documents as pairs of a mention and the rows of its entities, for whatever learns from them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from deixis.errors import DataError
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import track
from deixis.types import Document, MentionInContext

logger = logging.getLogger(__name__)


def annotated_documents(annotated: Iterable[Document]) -> list[Document]:
    """The documents to learn from, in a list."""
    if not isinstance(annotated, Iterable):
        raise DataError(f"Annotated mentions come as Documents in a list, got {type(annotated).__name__}.")
    return list(annotated)


def known_mentions(kb: KnowledgeBase, annotated: Iterable[Document]) -> Iterator[tuple[MentionInContext, list[int]]]:
    """The mentions whose entity the knowledge base holds, and its row; of several joined by `|` or `+` all known ones.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> document = Document("d", "Paris, Troy", mentions=(Mention(0, 5, "Paris", "Q90"), Mention(7, 11, "Troy", "Q1")))
    >>> [(mention.text, rows) for mention, rows in known_mentions(kb, [document])]
    [('Paris', [0])]
    """
    n_known = n_unknown = 0
    for document in track(annotated_documents(annotated), "reading annotated mentions"):
        if not isinstance(document, Document):
            raise DataError(f"Annotated mentions come as Documents, got {type(document).__name__}: {document!r:.60}.")
        for mention, in_context in zip(document.mentions, document.mentions_in_context(), strict=True):
            if mention.entity is None:
                continue
            rows = known_parts(mention.entity, kb.row_of)
            n_known, n_unknown = n_known + bool(rows), n_unknown + (not rows)
            if rows:
                yield in_context, rows
    logger.info("%d annotated mentions; %d more name entities that are not in the knowledge base", n_known, n_unknown)
