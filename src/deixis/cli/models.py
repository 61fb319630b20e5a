"""The one place where commands meet a linker: loading, linking batch by batch, and a gloss for each entity."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from deixis.cli.session import Session
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.linker import Linker
from deixis.types import Document, Mention

BATCH_SIZE = 256


def batches(documents: Iterable[Document], size: int = BATCH_SIZE) -> Iterator[list[Document]]:
    """The documents in lists of `size`, the last one shorter.

    Examples
    --------
    >>> [len(batch) for batch in batches([Document(str(n), "") for n in range(5)], size=2)]
    [2, 2, 1]
    """
    iterator = iter(documents)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def link_batch(
    linker: Linker, batch: list[Document], session: Session, top_k: int | None = None, threshold: float = 0.0
) -> list[Document]:
    """The documents with their mentions linked, those below the threshold left out as NIL."""
    linked = linker.link(batch, top_k=top_k, n_threads=session.threads)
    return [document.with_mentions([_decided(m, threshold) for m in document.mentions]) for document in linked]


def without_gold(document: Document) -> Document:
    """The document with the same mentions and none of the answers: what a linker may be shown in a test."""
    return document.with_mentions([Mention(m.start, m.end, m.text) for m in document.mentions])


def gloss_of(kb: KnowledgeBase) -> Callable[[str], str]:
    """A function from an entity's id to its description, or to its types if it has none."""

    def gloss(name: str) -> str:
        row = kb.row_of(name)
        if row is None:
            return ""
        entity = kb.entity(row)
        descriptions = entity.descriptions or {}
        chosen = descriptions.get("en") or descriptions.get("") or next(iter(descriptions.values()), "")
        return chosen or ", ".join(entity.types)

    return gloss


def _decided(mention: Mention, threshold: float) -> Mention:
    if mention.entity is None or mention.score is None or mention.score >= threshold:
        return mention
    return replace(mention, entity=None, is_nil=True)
