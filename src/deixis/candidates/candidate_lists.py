"""Rankings of rows as lists of candidates: where row numbers become the user's own ids again."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate


def listed(kb: KnowledgeBase, mentions_by_entities: sparse.csr_matrix) -> list[list[Candidate]]:
    """The candidates of each mention in the order they are stored, with their scores.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> listed(kb, sparse.csr_matrix(np.array([[0.0, 0.5], [0.0, 0.0]])))
    [[Candidate(id='Q22647', score=0.5, title='Troy')], []]
    """
    # Namesakes come back again and again in a document: each is read once.
    labels, places = np.unique(mentions_by_entities.indices, return_inverse=True)
    ids, titles = kb.ids.strings(labels), kb.titles.strings(labels)
    scored = zip(places.tolist(), mentions_by_entities.data.tolist(), strict=True)
    found = [Candidate(ids[place], score, titles[place]) for place, score in scored]
    ends = mentions_by_entities.indptr.tolist()
    return [found[ends[row] : ends[row + 1]] for row in range(mentions_by_entities.shape[0])]
