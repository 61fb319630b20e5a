"""Precision and coverage of thresholds, measured on held-out mentions, and the choice of a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError
from deixis.evaluation.statistics.bootstrap import Interval, quotient
from deixis.evaluation.statistics.resampling import resampled_sums
from deixis.store.part import Part, array

N_THRESHOLDS = 100  # tried, evenly spread over the links
N_DRAWS = 200
MIN_LINKS = 20  # fewer prove nothing about a precision
CONFIDENCE_LEVEL = (
    0.7  # fraction of bootstrap draws in which a threshold must reach the target, since it is chosen in hindsight
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What to expect of linking from `threshold` up: how many of the links are right, how many mentions are linked."""

    threshold: float
    precision: float
    precision_interval: Interval
    coverage: float
    coverage_interval: Interval

    def __str__(self) -> str:
        return (
            f"links {self.coverage:.1%} of the mentions ({self.coverage_interval.low:.1%} to "
            f"{self.coverage_interval.high:.1%}), {self.precision:.1%} of the links right "
            f"({self.precision_interval.low:.1%} to {self.precision_interval.high:.1%})"
        )


@dataclass(frozen=True, eq=False)
class ThresholdCurve(Part):
    """The best candidates of mentions that were held out: document, score, and whether it is right and could be.

    A mention without candidates has the score 0; one that means nothing in the knowledge base is never right.

    Examples
    --------
    >>> scores = np.linspace(0.01, 1, 100)
    >>> held_out = ThresholdCurve(np.arange(100), scores, scores > 0.5, np.ones(100, bool))
    >>> print(held_out.for_precision(0.9))
    links 54.0% of the mentions (42.0% to 64.0%), 92.6% of the links right (85.0% to 98.2%)
    """

    documents: Annotated[NDArray[np.int64], array(low=0, like="scores")]
    scores: Annotated[NDArray[np.float64], array(low=0, high=np.nextafter(1, 2))]
    is_right: Annotated[NDArray[np.bool_], array(like="scores")]
    is_known: Annotated[NDArray[np.bool_], array(like="scores")]

    def __len__(self) -> int:
        return len(self.scores)

    def with_scores(self, scores: NDArray[np.float64]) -> ThresholdCurve:
        """The same mentions, other scores."""
        return ThresholdCurve(self.documents, scores, self.is_right, self.is_known)

    def at(self, threshold: float) -> Expectation:
        """What to expect of a threshold."""
        return self._expectations(np.array([threshold]))[0]

    def for_precision(self, target: float) -> Expectation:
        """The lowest threshold that reaches a precision; otherwise an error with the precision that can be reached."""
        if not 0 < target <= 1:
            raise ConfigError(f"The target precision must lie in 0..1, got {target}.")
        thresholds = self._thresholds()
        drawn, n_links, _ = self._draws(thresholds)
        reached = np.where(n_links >= MIN_LINKS, np.nanquantile(drawn[0], 1 - CONFIDENCE_LEVEL, axis=0), 0.0)
        within = np.flatnonzero(reached >= target)
        if len(within):
            return self._expectations(thresholds[within[-1:]])[0]
        if reached.max(initial=0.0) == 0:
            raise ConfigError(
                f"A precision of {target} cannot be promised: of {len(self):,} held-out mentions {MIN_LINKS} links are "
                f"needed at least, there are {int(n_links.max(initial=0))}. Give more annotated documents."
            )
        best = int(reached.argmax())
        raise ConfigError(
            f"A precision of {target} cannot be reached on {len(self):,} held-out mentions. The most that can be "
            f"promised is {np.floor(reached[best] * 1000) / 1000:.3f}: {self._expectations(thresholds[[best]])[0]}. "
            "Choose a lower one, or build with annotated mentions."
        )

    def best_f1(self) -> Expectation:
        """The threshold whose links have the best F1: right ones against all links and all that could be right."""
        thresholds = self._thresholds()
        _, n_links, n_right = self._draws(thresholds)
        f1 = 2 * n_right / np.maximum(1, n_links + self.is_known.sum())
        return self._expectations(thresholds[[int(f1.argmax())]] if len(f1) else np.zeros(1))[0]

    def _thresholds(self) -> NDArray[np.float64]:
        """Thresholds that differ in what they keep, highest first; a mention without candidates is never kept."""
        falling = np.sort(self.scores[self.scores > 0])[::-1]
        positions = np.linspace(0, len(falling), min(N_THRESHOLDS, len(falling)) + 1)[1:].astype(np.int64) - 1
        return np.unique(falling[positions])[::-1]

    def _draws(
        self, thresholds: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Precision and coverage in each draw of documents, [2, n_draws, n_thresholds]; links and right ones."""
        _, numbers = np.unique(self.documents, return_inverse=True)
        n_documents, n = int(numbers.max(initial=-1)) + 1, len(thresholds)
        first = np.searchsorted(-thresholds, -self.scores)
        is_kept = (first < n) & (self.scores > 0)
        cells = numbers[is_kept] * n + first[is_kept]
        links, right = (
            np.cumsum(np.bincount(cells, weights, n_documents * n).reshape(n_documents, n), axis=1)
            for weights in (None, self.is_right[is_kept])
        )
        sums = np.column_stack([right, links, np.bincount(numbers, minlength=n_documents)])
        drawn = resampled_sums(sums, 0, N_DRAWS)
        n_right, n_links, n_mentions = drawn[:, :n], drawn[:, n : 2 * n], drawn[:, 2 * n :]
        # A draw without links says nothing against a threshold.
        precision = np.nan_to_num(quotient(n_right, n_links), nan=1.0)
        return np.stack([precision, quotient(n_links, n_mentions)]), links.sum(axis=0) * 1.0, right.sum(axis=0) * 1.0

    def _expectations(self, thresholds: NDArray[np.float64]) -> list[Expectation]:
        if len(self) == 0:
            return [Expectation(float(t), 0.0, Interval(0.0, 1.0), 0.0, Interval(0.0, 1.0)) for t in thresholds]
        drawn, n_links, n_right = self._draws(thresholds)
        return [
            Expectation(
                float(threshold),
                float(n_right[i] / max(1.0, n_links[i])), Interval.of(drawn[0, :, i]),
                float(n_links[i] / len(self)), Interval.of(drawn[1, :, i]),
            )
            for i, threshold in enumerate(thresholds)
        ]  # fmt: skip
