"""Rows of a knowledge base with scores -> lists of candidates, the best first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate


def candidates_of(kb: KnowledgeBase, scored: Iterable[tuple[int, float]]) -> list[Candidate]:
    """The entities of these rows as candidates, in the same order."""
    pairs = list(scored)
    rows = [row for row, _ in pairs]
    named = zip(kb.ids.strings(rows), kb.titles.strings(rows), pairs, strict=True)
    return [Candidate(name, score, title) for name, title, (_, score) in named]


def best_first(scores: NDArray[np.floating], k: int, ties: NDArray[np.integer]) -> NDArray[np.int64]:
    """The places of the `k` greatest scores and of all that equal the last of them, greatest first, then by `ties`.

    Examples
    --------
    >>> best_first(np.array([0.1, 0.5, 0.9, 0.5]), 2, ties=np.array([0, 8, 2, 7]))
    array([2, 3, 1])
    """
    places = np.arange(len(scores))
    if k < len(scores):
        border = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= border)
    order: NDArray[np.int64] = places[np.lexsort((ties[places], -scores[places]))]
    return order
