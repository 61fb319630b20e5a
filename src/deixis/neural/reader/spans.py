"""What a reader's numbers say: spans of a passage and how likely each is (BEER², Eq. 7-11). NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_SPANS = 4  # of one candidate in one passage, at most


@dataclass(frozen=True, slots=True)
class Reading:
    """A span of a document, the row of the entity it is said to mean, and how likely each of the two is."""

    document: int
    start: int
    end: int
    row: int
    span_probability: float
    rank_probability: float

    @property
    def score(self) -> float:
        """Eq. 11: the product of both."""
        return self.span_probability * self.rank_probability


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """Three numbers for each token of a passage, its sign of the beginning first: start, end and rank.

    Only the first token's rank counts; a span from and to the first token says that the entity is not mentioned.
    """

    logits: NDArray[np.float32]  # tokens by 3
    offsets: NDArray[np.int64]  # tokens by 2, in code points of the passage; the first token has none

    @property
    def rank(self) -> float:
        """The entity's logit among the candidates of the passage."""
        return float(self.logits[0, 2])

    def spans(self, max_tokens: int, n: int = N_SPANS) -> list[tuple[int, int, float]]:
        """The likeliest spans, in code points of the passage, with their probabilities (Eq. 7-9).

        Examples
        --------
        >>> logits = np.array([[0, 0, 1], [9, 0, 0], [0, 9, 0]], dtype=np.float32)
        >>> start, end, share = PairNumbers(logits, np.array([[0, 0], [0, 3], [4, 8]])).spans(max_tokens=4)[0]
        >>> start, end, round(share, 2)
        (0, 8, 1.0)
        """
        first, last = softmax(self.logits[:, 0]), softmax(self.logits[:, 1])
        probabilities = np.outer(first[1:], last[1:])
        probabilities = np.triu(probabilities) - np.triu(probabilities, max_tokens)
        best = np.argsort(-probabilities, axis=None, kind="stable")[:n]
        spans = [(*divmod(int(cell), probabilities.shape[1]), float(probabilities.flat[cell])) for cell in best]
        return [
            (int(self.offsets[x + 1, 0]), int(self.offsets[y + 1, 1]), probability)
            for x, y, probability in spans
            if probability > 0
        ]


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares that sum to one."""
    raised = np.exp(logits.astype(np.float64) - logits.max(initial=-np.inf))
    probabilities: NDArray[np.float64] = raised / raised.sum()
    return probabilities


def readings_of(
    passage: tuple[int, int],
    rows: Sequence[int],
    numbers: Sequence[PairNumbers],
    max_tokens: int,
    threshold: float,
) -> list[Reading]:
    """What is read in a passage (its document and its start there) with these candidates: all above the threshold."""
    if not rows:
        return []
    document, start = passage
    ranks = softmax(np.array([each.rank for each in numbers]))
    readings = [
        Reading(document, start + first, start + last, row, probability, float(rank))
        for row, each, rank in zip(rows, numbers, ranks, strict=True)
        for first, last, probability in each.spans(max_tokens)
    ]
    return [reading for reading in readings if reading.score > threshold]
