"""Annotated mentions as rows of a knowledge base: what an encoder learns from and is measured on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.protocol import VectorSearch
from deixis.types import Document, MentionInContext

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LinkedMentions:
    """Mentions, the rows of all entities that answer each, and the number of the document each stands in.

    `n_unknown` more have a gold id that the knowledge base does not hold.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> document = Document("d", "Paris, Troy", mentions=(Mention(0, 5, "Paris", "Q90"), Mention(7, 11, "Troy", "Q1")))
    >>> found = LinkedMentions.collect(kb, [document])
    >>> len(found), found.gold, found.n_unknown
    (1, [[0]], 1)
    """

    mentions: list[MentionInContext]
    gold: list[list[int]]
    documents: NDArray[np.int64]
    n_unknown: int = 0

    @classmethod
    def collect(cls, kb: KnowledgeBase, annotated: Iterable[Document]) -> LinkedMentions:
        """The linked mentions of these documents; an error if there is none whose entity the knowledge base holds."""
        mentions: list[MentionInContext] = []
        gold: list[list[int]] = []
        numbers: list[int] = []
        unknown: list[str] = []
        for number, document in enumerate(annotated):
            for mention, in_context in zip(document.mentions, document.mentions_in_context(), strict=True):
                if mention.entity is None:
                    continue
                rows = known_parts(mention.entity, kb.row_of)
                if not rows:
                    unknown.append(mention.entity)
                    continue
                mentions.append(in_context)
                gold.append(rows)
                numbers.append(number)
        if not mentions:
            raise _nothing_linked(unknown, len(kb))
        if unknown:
            logger.warning(
                "%d of %d annotated mentions name entities the knowledge base does not hold, as %r; they are left out",
                len(unknown),
                len(unknown) + len(mentions),
                unknown[0],
            )
        return cls(mentions, gold, np.array(numbers, dtype=np.int64), len(unknown))

    def __len__(self) -> int:
        return len(self.mentions)


def _nothing_linked(unknown: list[str], n_entities: int) -> DataError:
    if not unknown:
        return DataError("No annotated mention was given. Give documents whose mentions have an entity each.")
    return DataError(
        f"None of the {len(unknown)} annotated mentions names an entity of the knowledge base, which has {n_entities} "
        f"(the first: {unknown[0]!r:.60}). Check that both use the same ids."
    )


def gold_ranks(
    index: VectorSearch, queries: NDArray[np.float32], gold: Sequence[Sequence[int]], k: int
) -> NDArray[np.int64]:
    """The place of the first right entity among the best `k` of each query, from 1; 0 where there is none.

    Examples
    --------
    >>> from deixis.nearest.vector_index import VectorIndex
    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> gold_ranks(VectorIndex.build([vectors], np.arange(3)), vectors[:2], [[1], [1, 0]], k=2).tolist()
    [2, 1]
    """
    ranked = index.search(queries, k)
    ranks = np.zeros(len(queries), dtype=np.int64)
    for query, right in enumerate(gold):
        positions = np.flatnonzero(np.isin(ranked.indices[ranked.indptr[query] : ranked.indptr[query + 1]], right))
        ranks[query] = positions[0] + 1 if len(positions) else 0
    return ranks
