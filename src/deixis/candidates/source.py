"""What is asked of a candidate generator, whatever is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.types import Candidate, MentionInContext


class CandidateGenerator(Protocol):
    """Station 1. Classes also have `build(kb, annotated, config, ...)` and `from_arrays(arrays, prefix, kb, config)`.

    The linker walks through `union`, which puts the others' lists together (`UnionCandidates.propose`).
    """

    def rank(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` rows of the knowledge base, stored best first, scores in 0..1.

        `allowed` is a mask over the rows of the knowledge base: what is not allowed is left out before the best `k`
        are taken, so that a filter never gives fewer candidates than exist.
        """

    def generate(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[list[Candidate]]:
        """The same as lists of entities, one for each mention; an empty list if none is found."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""
