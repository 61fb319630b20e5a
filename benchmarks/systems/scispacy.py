"""scispaCy's candidate generator (Neumann et al., 2019): nearest names by TF-IDF of character 3-grams.

Features are scispaCy's own (scikit-learn's `TfidfVectorizer` with `analyzer="char_wb"`, 3-grams, `min_df=10`, lower
case, over the different names). It differs in what makes scispaCy faster and a little worse: the search is exact
and not HNSW, vectors are not rounded to half precision, `k` counts entities and not names, and there is no threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.packages import bench_module
from benchmarks.systems.candidate_lists import candidates_of
from benchmarks.systems.nearest_names import NearestNames
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext

MIN_DF = 10


class ScispacyNames:
    """Proposes the entities with the nearest names by their three-letter pieces.

    Examples
    --------
    >>> records = [{"id": f"C{n}", "title": f"fracture of bone {n}"} for n in range(12)]
    >>> generator = ScispacyNames.build(KnowledgeBase.from_records([*records, {"id": "D1", "title": "fever"}]))
    >>> generator.generate([MentionInContext("fractures", "fractures", 0, 9)], k=1)[0][0].id
    'C0'
    """

    needs = "nothing"

    def __init__(self, kb: KnowledgeBase, vectorizer: Any, nearest: NearestNames | None) -> None:  # noqa: ANN401 - scikit-learn is untyped
        self.kb = kb
        self.vectorizer = vectorizer
        self.nearest = nearest

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> ScispacyNames:
        """A row of features for each different name; a name of several entities stands for each of them."""
        del annotated, n_threads
        names, rows = kb.names()
        name_to_number: dict[str, int] = {}
        numbers = np.array([name_to_number.setdefault(name, len(name_to_number)) for name in names], dtype=np.int64)
        text = bench_module("sklearn.feature_extraction.text", "The system 'scispacy'")
        vectorizer = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=MIN_DF, dtype=np.float32)
        try:
            names_by_features = vectorizer.fit_transform(name_to_number)
        except ValueError:  # no piece is in ten names: a small list has no features at all
            return cls(kb, None, None)
        return cls(kb, vectorizer, NearestNames(names_by_features[numbers], rows))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """How it is like scispaCy's and how not."""
        return {"features": "char_wb 3-grams", "min_df": MIN_DF, "search": "exact (scispaCy: HNSW)"}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The entities of the nearest names, with their cosines."""
        if self.vectorizer is None or self.nearest is None:
            return [[] for _ in mentions]
        queries = self.vectorizer.transform([mention.text for mention in mentions])
        return [candidates_of(self.kb, found) for found in self.nearest.search(queries, k)]
