"""Rankings of rows as lists of candidates: where row numbers become the user's own ids again."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.scipy_sparse import sparse
from deixis.tables import FlatRows, Ranking
from deixis.types import Candidate


def candidates_of(kb: KnowledgeBase, mentions_by_entities: FlatRows | sparse.csr_matrix) -> list[list[Candidate]]:
    """The candidates of each mention in the order they are stored, with their scores.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> candidates_of(kb, sparse.csr_matrix(np.array([[0.0, 0.5], [0.0, 0.0]])))
    [[Candidate(id='Q22647', score=0.5, title='Troy')], []]
    """
    return candidate_lists(kb, Ranking.of_matrix(mentions_by_entities))


def candidate_lists(kb: KnowledgeBase, ranking: Ranking) -> list[list[Candidate]]:
    """The candidates of each span, best first, as records."""
    lists = CandidateLists(kb, ranking)
    return [list(lists[number]) for number in range(len(ranking))]


class CandidateLists:
    """The candidates of each span of a ranking, best first; they become records only when they are read.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> CandidateLists(kb, Ranking(np.array([0, 1]), np.array([1]), np.array([0.5])))[0]
    (Candidate(id='Q22647', score=0.5, title='Troy'),)
    """

    def __init__(self, kb: KnowledgeBase, ranking: Ranking) -> None:
        self._ids, self._titles = kb.ids, kb.titles
        self._ranking = ranking

    def __getitem__(self, number: int) -> tuple[Candidate, ...]:
        start, end = self._starts[number], self._starts[number + 1]
        ids, titles, positions, scores = self._columns
        pairs = zip(positions[start:end], scores[start:end], strict=True)
        return tuple([Candidate(ids[position], score, titles[position]) for position, score in pairs])

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = self._ranking.starts.tolist()
        return starts

    @cached_property
    def _columns(self) -> tuple[list[str], list[str], list[int], list[float]]:
        """Ids and titles of the entities; of each candidate its place among these, and its score."""
        # Namesakes come back again and again in a document: each is read once.
        rows, positions = np.unique(self._ranking.rows, return_inverse=True)
        return (
            self._ids.strings(rows), self._titles.strings(rows), positions.tolist(), self._ranking.scores.tolist(),
        )  # fmt: skip
