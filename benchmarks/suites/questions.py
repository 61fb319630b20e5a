"""Annotated documents as questions to a system: mentions, and the entities that answer each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.statistics.bootstrap import share_interval
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext


@dataclass(frozen=True)
class Questions:
    """Mentions whose entity is in the knowledge base, those entities, and the document each mention stands in.

    `n_linked` and `n_in_kb` count, per document, all gold links and those that the knowledge base holds.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> mentions = (Mention(0, 5, "Paris", entity="Q90"), Mention(10, 14, "Troy", entity="Q22647"))
    >>> questions = Questions.collect(kb, [Document("d", "Paris and Troy", mentions=mentions)])
    >>> len(questions), questions.upper_bound().value
    (1, 0.5)
    """

    mentions: list[MentionInContext]
    accepted: list[frozenset[str]]
    documents: NDArray[np.int64]
    n_linked: NDArray[np.int64]
    n_in_kb: NDArray[np.int64]

    @classmethod
    def collect(cls, kb: KnowledgeBase, documents: Iterable[Document]) -> Questions:
        """The questions of these documents; NIL and entities that the knowledge base lacks are none."""
        mentions: list[MentionInContext] = []
        accepted: list[frozenset[str]] = []
        numbers: list[int] = []
        n_linked: list[int] = []
        for number, document in enumerate(documents):
            n_linked.append(0)
            for mention, in_context in zip(document.mentions, document.mentions_in_context(), strict=True):
                if mention.entity is None:
                    continue
                n_linked[-1] += 1
                if answers := acceptable_ids(mention.entity, kb.own_id):
                    mentions.append(in_context)
                    accepted.append(answers)
                    numbers.append(number)
        placed = np.array(numbers, dtype=np.int64)
        return cls(
            mentions, accepted, placed, np.array(n_linked, np.int64), np.bincount(placed, minlength=len(n_linked))
        )

    def __len__(self) -> int:
        return len(self.mentions)

    def sample(self, n: int, seed: int = 0) -> Questions:
        """At most `n` of the questions, drawn evenly, in their old order; the upper bound stays that of all."""
        if len(self) <= n:
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self), n, replace=False))
        return Questions(
            [self.mentions[i] for i in chosen],
            [self.accepted[i] for i in chosen],
            self.documents[chosen],
            self.n_linked,
            self.n_in_kb,
        )

    def upper_bound(self, seed: int = 0) -> Metric:
        """The share of gold links that the knowledge base holds at all."""
        n = int(self.n_linked.sum())
        interval = share_interval(self.n_in_kb, self.n_linked, seed)
        return Metric("upper_bound", float(self.n_in_kb.sum() / max(1, n)), interval, n)

    def recall(self, ranks: NDArray[np.int64], k: int, seed: int = 0) -> Metric:
        """The share of questions answered among the best `k`; `ranks` count from 1, 0 is not answered at all."""
        hits = ((ranks > 0) & (ranks <= k)).astype(np.float64)
        _, numbers = np.unique(self.documents, return_inverse=True)
        interval = share_interval(np.bincount(numbers, weights=hits), np.bincount(numbers), seed)
        return Metric(f"recall@{k}", float(hits.mean()) if len(hits) else 0.0, interval, len(hits))


def ranks_of(found: Sequence[Sequence[Candidate]], accepted: Sequence[frozenset[str]]) -> NDArray[np.int64]:
    """The place of the first right candidate of each list, from 1; 0 where there is none.

    Examples
    --------
    >>> ranks_of([[Candidate("Q1", 0.9), Candidate("Q90", 0.1)], []], [frozenset({"Q90"}), frozenset({"Q1"})])
    array([2, 0])
    """
    places = (
        next((place for place, candidate in enumerate(listed, start=1) if candidate.id in answers), 0)
        for listed, answers in zip(found, accepted, strict=True)
    )
    return np.fromiter(places, dtype=np.int64, count=len(accepted))
