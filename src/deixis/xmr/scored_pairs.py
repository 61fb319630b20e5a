"""Pairs of a document and a label it shortlisted, with the scores of two stages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def combined_scores(first: NDArray[np.floating], margins: NDArray[np.floating]) -> NDArray[np.float32]:
    """The root of the first stage's score times the logistic of the second's margin: 0..1, never falls with either.

    The root, as a first stage that knows its training documents too well is too sure of itself.

    Examples
    --------
    >>> combined_scores(np.array([0.25]), np.array([0.0])).tolist()
    [0.25]
    """
    logistic = 1.0 / (1.0 + np.exp(-np.clip(margins.astype(np.float64), -80, 80)))
    product: NDArray[np.float32] = (np.sqrt(first) * logistic).astype(np.float32)
    return product


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Labels that documents shortlisted: those of document `i` are `starts[i]` up to `starts[i + 1]`.

    Examples
    --------
    >>> pairs = ScoredPairs.of(np.array([0, 1]), np.array([0.25]), np.array([0.0]), np.array([0]))
    >>> pairs.features.tolist()
    [[0.25, 0.0, 0.0, 0.25]]
    """

    starts: NDArray[np.integer]
    features: NDArray[np.float32]  # by column: both scores, log(1 + the label's training documents), combined score

    @classmethod
    def of(
        cls,
        starts: NDArray[np.integer],
        first: NDArray[np.floating],
        margins: NDArray[np.floating],
        label_counts: NDArray[np.number],
    ) -> ScoredPairs:
        """The pairs with what a tree sees of each."""
        columns = [first, margins, np.log1p(label_counts), combined_scores(first, margins)]
        return cls(starts, np.column_stack(columns).astype(np.float32))

    @property
    def combined(self) -> NDArray[np.float32]:
        """The combined score of each pair."""
        return self.features[:, -1]

    def ndcg(self, scores: NDArray[np.floating], is_right: NDArray[np.bool_], at: int = 5) -> float:
        """The mean nDCG of ranking by `scores`, ties by `combined`, of documents that shortlisted a label they have."""
        n_documents = len(self.starts) - 1
        rows = np.repeat(np.arange(n_documents), np.diff(self.starts))
        order = np.lexsort((-self.combined, -scores, rows))
        ranks = np.arange(len(order)) - self.starts[rows]
        is_hit = is_right[order] & (ranks < at)
        gains = np.bincount(rows[is_hit], 1 / np.log2(ranks[is_hit] + 2), n_documents)
        n_right = np.bincount(rows, is_right, n_documents).astype(np.int64)
        ideals = np.cumsum(1 / np.log2(np.arange(at) + 2))[np.minimum(n_right, at) - 1]
        return float((gains[n_right > 0] / ideals[n_right > 0]).mean())

    def is_first_right(self, scores: NDArray[np.floating], is_right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each document that shortlisted a label has the label of its best score; ties by `combined`."""
        rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        order = np.lexsort((-self.combined, -scores, rows))
        first: NDArray[np.bool_] = is_right[order[self.starts[:-1][np.diff(self.starts) > 0]]]
        return first

    def __len__(self) -> int:
        return len(self.features)
