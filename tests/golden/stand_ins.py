"""A re-ranker and a reader whose word is a checksum of what they read: quick, the same everywhere, knowing nothing."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from zlib import crc32

import numpy as np
from scipy import sparse


def share(*words: object) -> float:
    """A number between 0 and 1 that depends on the words alone."""
    return (1 + crc32("|".join(map(str, words)).encode("utf-8"))) / (2**32 + 1)


class ChecksumReranker:
    """Four parts the score before, one part a checksum of mention and entity."""

    n_candidates = 6

    def rank(self, mentions, ranked):
        data, indices = ranked.data.astype(np.float64), ranked.indices.copy()
        for place, mention in enumerate(mentions):
            own = slice(ranked.indptr[place], ranked.indptr[place + 1])
            scores = [0.8 * s + 0.2 * share(mention.text, row) for s, row in zip(data[own], indices[own], strict=True)]
            order = np.lexsort((indices[own], -np.array(scores)))
            data[own], indices[own] = np.array(scores)[order], indices[own][order]
        return sparse.csr_matrix((data.astype(ranked.dtype), indices, ranked.indptr.copy()), shape=ranked.shape)

    def to_arrays(self, prefix):
        return {f"{prefix}.n_candidates": np.array([self.n_candidates])}


@dataclass(frozen=True)
class Passage:
    """A piece of a document."""

    document: int
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class ChecksumReader:
    """Finds the titles of the candidates in a passage, and now and then the word after as well."""

    def __init__(self, titles, reading) -> None:
        self.titles, self.reading = titles, reading
        self.config = SimpleNamespace(n_candidates=8)
        self.texts = self

    def passages(self, texts, size=60, step=40):
        """Pieces of 60 letters, 20 of which the next one has too."""
        return [
            Passage(number, start, text[start : start + size])
            for number, text in enumerate(texts)
            for start in range(0, max(1, len(text) - size + step), step)
            if text
        ]

    def read(self, passages, candidates, least):
        """Each span once, with the better of the scores where two passages have it."""
        found = {}
        for passage, rows in zip(passages, candidates, strict=True):
            for row in rows:
                for start, end in self._spans(passage, self.titles[row]):
                    key = (passage.document, start, end, row)
                    shares = share("span", row, end - start), share("rank", row, passage.text)
                    before = found.get(key, (0.0, 0.0))
                    if shares[0] * shares[1] >= max(least, before[0] * before[1]):
                        found[key] = shares
        return [self.reading(*key, *shares) for key, shares in sorted(found.items())]

    @staticmethod
    def _spans(passage, title):
        at = passage.text.find(title)
        if at < 0:
            return
        end = at + len(title)
        yield passage.start + at, passage.start + end
        after = passage.text.find(" ", end + 1)
        if after > 0 and share(title) > 0.5:
            yield passage.start + at, passage.start + after
