"""Ranked candidates of mentions whose entity is known: what a re-ranker learns from and is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.types import MentionInContext


@dataclass(frozen=True, eq=False)
class Ranked:
    """Mentions, their candidates (mentions_by_entities, stored best first), and the row of the entity each means."""

    mentions: Sequence[MentionInContext]
    candidates: sparse.csr_matrix
    entities: NDArray[np.integer]

    def take(self, numbers: NDArray[np.integer]) -> Ranked:
        """Only the mentions of these numbers."""
        chosen = [self.mentions[number] for number in numbers.tolist()]
        return Ranked(chosen, self.candidates[numbers], self.entities[numbers])

    def drawn(self, n: int, seed: int) -> Ranked:
        """At most `n` of the mentions, drawn at random, in their order; all for 0."""
        if not 0 < n < len(self.mentions):
            return self
        return self.take(np.sort(np.random.default_rng(seed).choice(len(self.mentions), n, replace=False)))
