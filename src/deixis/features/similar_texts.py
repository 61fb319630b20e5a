"""How similar texts are to some others: the cosine of their words by idf, each counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.features.entity_words import EntityWords
from deixis.features.tfidf import CASEFOLD, NFKC
from deixis.native import _core
from deixis.scipy_sparse import sparse


@dataclass(frozen=True, eq=False)
class SimilarTexts:
    """Texts that others are compared with; words that the knowledge base does not have count as its rarest.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "city on the river Seine"}])
    >>> texts = SimilarTexts(EntityWords.build(*kb.names(), kb.description_texts()), ["the river", "a flight at noon"])
    >>> [row.round(2).tolist() for row in texts.similarities(["a long flight", "The river!", "was it"], [[0, 1]] * 3)]
    [[0.0, 0.5], [1.0, 0.0], [0.0, 0.0]]
    """

    words: EntityWords
    texts: Sequence[str]

    def similarities(self, texts: Sequence[str], numbers: Sequence[Sequence[int]]) -> list[NDArray[np.float64]]:
        """The similarity of each of the texts, 0 to 1, to those of its `numbers`."""
        columns, ours = self._rows
        result = []
        for (tokens, weights), own in zip(self._weighed(texts), numbers, strict=True):
            pairs = [
                (columns[token], weight) for token, weight in zip(tokens, weights, strict=True) if token in columns
            ]
            theirs = sparse.csr_matrix(
                ([weight for _, weight in pairs], ([0] * len(pairs), [column for column, _ in pairs])),
                shape=(1, ours.shape[1]),
            )
            result.append((ours[np.asarray(own)] @ theirs.T).toarray()[:, 0])
        return result

    @cached_property
    def _rows(self) -> tuple[dict[str, int], sparse.csr_matrix]:
        """The column of each word, and texts_by_words, rows of length 1."""
        weighed = self._weighed(self.texts)
        columns: dict[str, int] = {}
        indices = [columns.setdefault(token, len(columns)) for tokens, _ in weighed for token in tokens]
        indptr = np.cumsum([0, *(len(tokens) for tokens, _ in weighed)])
        data = np.concatenate([np.zeros(0), *(weights for _, weights in weighed)])
        return columns, sparse.csr_matrix((data, indices, indptr), shape=(len(weighed), len(columns)))

    def _weighed(self, texts: Sequence[str]) -> list[tuple[list[str], NDArray[np.float64]]]:
        """The words of each text in alphabetical order, and their weights, whose squares add up to 1."""
        tokens = [sorted({token[0] for token in _core.tokenize(text, NFKC, CASEFOLD)}) for text in texts]
        every = sorted({token for own in tokens for token in own})
        weight_of = dict(zip(every, self.words.word_weights(every, n_threads=1).tolist(), strict=True))
        weights = [np.array([weight_of[token] for token in own]) for own in tokens]
        return [
            (own, values / max(float(np.sqrt((values**2).sum())), 1e-9))
            for own, values in zip(tokens, weights, strict=True)
        ]
