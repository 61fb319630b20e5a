"""Passages of annotated documents with what is mentioned in them: what a retriever and a reader learn from."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from deixis.errors import DataError
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.reader.passages import Passage, passage_around
from deixis.neural.reader.texts import ReaderTexts, Span
from deixis.types import Document

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class AnnotatedPassage:
    """A passage, and of each entity mentioned in it (by row) the spans, in code points of the passage."""

    passage: Passage
    spans: dict[int, list[Span]] = field(default_factory=dict)


def annotated_passages(kb: KnowledgeBase, documents: Iterable[Document], texts: ReaderTexts) -> list[AnnotatedPassage]:
    """The passages of annotated documents; a mention that no passage holds whole has one made around it.

    Of several right entities of a mention, the first in the knowledge base is used.
    """
    documents = list(documents)
    passages = [AnnotatedPassage(passage) for passage in texts.passages(document.text for document in documents)]
    by_document: dict[int, list[AnnotatedPassage]] = {}
    for annotated in passages:
        by_document.setdefault(annotated.passage.document, []).append(annotated)
    n_long = n_used = 0
    for number, document in enumerate(documents):
        for mention in document.mentions:
            rows = list(known_parts(mention.entity, kb.row_of)) if mention.entity else []
            if not rows:
                continue
            holding = [each for each in by_document.get(number, []) if each.passage.holds(mention.start, mention.end)]
            if not holding:
                own = passage_around(
                    number, document.text, mention.start, mention.end, texts.windows, texts.config.n_tokens
                )
                if own is None:
                    n_long += 1
                    continue
                holding = [AnnotatedPassage(own)]
                passages += holding
                by_document.setdefault(number, []).extend(holding)
            n_used += 1
            for annotated in holding:
                start = annotated.passage.start
                annotated.spans.setdefault(rows[0], []).append((mention.start - start, mention.end - start))
    if n_long:
        logger.warning("%d mentions are longer than a passage and are left out; raise n_tokens", n_long)
    if not n_used:
        raise DataError(
            "No annotated mention names an entity of the knowledge base. Check that documents and knowledge base use "
            "the same ids."
        )
    return passages
