"""Rankings of rows as lists of candidates: where row numbers become the user's own ids again."""

from __future__ import annotations

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
    # Namesakes come back again and again in a document: each is read once.
    rows, positions = np.unique(ranking.rows, return_inverse=True)
    ids, titles = kb.ids.strings(rows), kb.titles.strings(rows)
    scored = zip(positions.tolist(), ranking.scores.tolist(), strict=True)
    candidates = [Candidate(ids[position], score, titles[position]) for position, score in scored]
    starts = ranking.starts.tolist()
    return [candidates[starts[number] : starts[number + 1]] for number in range(len(ranking))]
