"""Ranked candidates of mentions whose entity is known: what a re-ranker learns from and is measured on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.gold import is_gold
from deixis.scipy_sparse import sparse
from deixis.types import MentionInContext


@dataclass(frozen=True, eq=False)
class Ranked:
    """Mentions, their candidates (mentions_by_entities, stored best first), and the rows of all that answer each."""

    mentions: Sequence[MentionInContext]
    candidates: sparse.csr_matrix
    gold: Sequence[Sequence[int]]

    def take(self, numbers: NDArray[np.integer]) -> Ranked:
        """Only the mentions of these numbers."""
        chosen = numbers.tolist()
        mentions, gold = [self.mentions[number] for number in chosen], [self.gold[number] for number in chosen]
        return Ranked(mentions, self.candidates[numbers], gold)

    @classmethod
    def joined(cls, parts: Sequence[Ranked]) -> Ranked:
        """The mentions of all parts, one part after the other."""
        mentions = [mention for part in parts for mention in part.mentions]
        gold = [rows for part in parts for rows in part.gold]
        return cls(mentions, sparse.vstack([part.candidates for part in parts], format="csr"), gold)

    @property
    def has_right(self) -> NDArray[np.bool_]:
        """Which mentions have a right entity among their candidates."""
        numbers = np.repeat(np.arange(len(self.mentions)), np.diff(self.candidates.indptr))
        right = numbers[is_gold(numbers, self.candidates.indices, self.gold)]
        return np.isin(np.arange(len(self.mentions)), right)


def best_scores(ranked: sparse.csr_matrix) -> NDArray[np.float32]:
    """The score of each mention's best candidate in mentions_by_entities, stored best first; 0 where there is none.

    Examples
    --------
    >>> ranked = sparse.csr_matrix(([0.6, 0.4], [5, 2], [0, 2, 2]), shape=(2, 9))
    >>> best_scores(ranked).tolist()
    [0.6000000238418579, 0.0]
    """
    has_some = np.diff(ranked.indptr) > 0
    scores = np.zeros(ranked.shape[0], dtype=np.float32)
    scores[has_some] = ranked.data[ranked.indptr[:-1][has_some]]
    return scores
