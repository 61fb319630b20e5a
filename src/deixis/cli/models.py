"""Where commands meet a linker: loading it, feeding it batch by batch, and glossing its entities."""

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


def load_linker(path: str, session: Session, top_k: int | None = None, threshold: float | None = None) -> Linker:
    """The linker at `path`; it keeps `top_k` candidates and links from `threshold` up, where they are given."""
    linker = Linker.load(path, n_threads=session.threads)
    config = linker.config
    if top_k is not None:
        config = replace(config, n_candidates=top_k)
    if threshold is not None:
        config = replace(config, nil=replace(config.nil, threshold=threshold))
    linker.config = config
    return linker


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
