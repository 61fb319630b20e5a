"""Brute force: the cosine of the mention with every name of every entity, over the label tree's own features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.systems.candidate_lists import candidates_of
from benchmarks.systems.nearest_names import NearestNames
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext

FEATURES = TfidfConfig(ngrams_max=2, max_df=1.0, char_ngrams_min=4, char_ngrams_max=4)


class BruteForceCosine:
    """Proposes the entities with the nearest names by TF-IDF of words, pairs of words and four-letter pieces.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q183", "title": "Germany"}])
    >>> found = BruteForceCosine.build(kb).generate([MentionInContext("Germans", "Germans", 0, 7)], k=10)
    >>> [candidate.id for candidate in found[0]]
    ['Q183']
    """

    needs = "nothing"

    def __init__(self, kb: KnowledgeBase, vectorizer: TfidfVectorizer, nearest: NearestNames) -> None:
        self.kb = kb
        self.vectorizer = vectorizer
        self.nearest = nearest

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> BruteForceCosine:
        """A row of features for each name."""
        del annotated
        names, rows = kb.names()
        vectorizer = TfidfVectorizer(FEATURES).fit(names, n_threads)
        return cls(kb, vectorizer, NearestNames(vectorizer.transform(names, n_threads), rows))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Which features are compared."""
        return {"features": "words, bigrams, char 4-grams", "search": "exact"}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The entities of the nearest names, with their cosines."""
        queries = self.vectorizer.transform([mention.text for mention in mentions], n_threads=1)
        return [candidates_of(self.kb, found) for found in self.nearest.search(queries, k)]
