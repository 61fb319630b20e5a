"""BM25 by `bm25s` (Lù, 2024) with its own defaults (Lucene's variant, k1 1.5, b 0.75): an entity is a document.

Words are all runs of word characters in lower case: no stop words (The Who), no stemming (names, many languages). The
best k are chosen here, among the documents that share a word: bm25s' own choice with NumPy looks at all documents and
takes fifty times as long on half a million of them. Equal scores keep the order of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.packages import bench_module
from benchmarks.systems.candidate_lists import best_first, candidates_of
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext

TOKEN_PATTERN = r"(?u)\b\w+\b"


class Bm25Names:
    """Proposes the entities whose names, taken together, share the mention's rarest words.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris"}, {"id": "Q830149", "title": "Paris, Texas"}, {"id": "Q1", "title": "Troy"},
    ... ])
    >>> found = Bm25Names.build(kb).generate([MentionInContext("Paris", "Paris", 0, 5)], k=10)
    >>> [candidate.id for candidate in found[0]]
    ['Q90', 'Q830149']
    """

    needs = "nothing"
    has_descriptions = False

    def __init__(self, kb: KnowledgeBase, index: Any) -> None:  # noqa: ANN401 - bm25s is untyped
        self.kb = kb
        self.index = index

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> Bm25Names:
        """An index with one document per entity."""
        del annotated, n_threads
        index = _bm25s().BM25(backend="numpy")
        tokens = _tokens(list(_texts(kb, cls.has_descriptions)), return_ids=True)
        index.index(tokens, show_progress=False)
        return cls(kb, index)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Which BM25 it is."""
        fields = "names and description" if cls.has_descriptions else "names"
        return {"bm25s": _bm25s().__version__, "method": "lucene", "k1": 1.5, "b": 0.75, "document": fields}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The best documents for the mention's own words; those that share none are left out."""
        depth = min(k, len(self.kb))
        return [self._best(words, depth) for words in _tokens([m.text for m in mentions], return_ids=False)]

    def _best(self, words: list[str], depth: int) -> list[Candidate]:
        known = [word for word in words if word in self.index.vocab_dict]
        if not known:
            return []
        scores = self.index.get_scores(known)
        rows = np.flatnonzero(scores > 0)
        best = rows[best_first(scores[rows], depth, ties=rows)][:depth]
        return candidates_of(self.kb, zip(best.tolist(), scores[best].tolist(), strict=True))


class Bm25Descriptions(Bm25Names):
    """The same, with each entity's description in its document."""

    has_descriptions = True


def _bm25s() -> Any:  # noqa: ANN401 - a module
    return bench_module("bm25s", "The system 'bm25'")


def _tokens(texts: list[str], *, return_ids: bool) -> Any:  # noqa: ANN401 - bm25s is untyped
    return _bm25s().tokenize(
        texts, token_pattern=TOKEN_PATTERN, stopwords=None, return_ids=return_ids, show_progress=False
    )


def _texts(kb: KnowledgeBase, has_descriptions: bool) -> Iterator[str]:
    """One text per entity, in the order of rows."""
    names, rows = kb.names()
    order = np.argsort(rows, kind="stable")
    ends = np.cumsum(np.bincount(rows, minlength=len(kb)))
    sorted_names = names.take(order)
    descriptions = kb.description_texts()
    start = 0
    for row, end in enumerate(ends.tolist()):
        text = " ".join(sorted_names[item] for item in range(start, end))
        yield f"{text} {descriptions[row]}" if has_descriptions else text
        start = end
