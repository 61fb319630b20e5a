"""Ranked candidates of mentions whose entity is known: what a re-ranker learns from and is measured on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
