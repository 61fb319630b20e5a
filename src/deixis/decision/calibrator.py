"""Calibration: the probability that a best candidate with this score and margin is right, learned from examples.

The evidence for a best candidate is `a * logit(score) + b * lead`, where the lead is the logarithm of its score over
the second's and a and b are at least 0; Platt scaling (1999) of both together gives a, b and a shift. With many
examples an isotonic curve over that evidence (Zadrozny and Elkan, KDD 2002) takes the place of the sigmoid. Where we
differ: the curve runs straight between the centres of its blocks and never reaches 0 or 1, so few scores are equal.

The order of candidates does not change. The others keep their proportions and get the rest of the probability: with one
curve for all of them, each of twenty similar candidates would be probable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.config import Config, setting
from deixis.decision.evidence import MAX_LEAD, MIN_SCORE, score_evidence
from deixis.errors import DataError
from deixis.learners.log_odds import expit, logit
from deixis.store.checks import check_range
from deixis.store.part import Part, array, value
from deixis.tables import Ranking, Spans

Method = Literal["auto", "isotonic", "temperature", "none"]

BIN_SIZE = 50  # examples that make one point of the isotonic curve, at least
MAX_BINS = 200
PRIOR_WEIGHT = 1.0  # how strongly a, b and the shift are held to 1, 0 and 0: the scores as they are
PSEUDO_EXAMPLES = 2.0  # weight of the sigmoid in each point of the isotonic curve
END_FRACTION = 0.1  # how far the curve goes, beyond its last point, towards 0 and 1


MIN_ISOTONIC = 500  # examples from which on `auto` is isotonic: with fewer the steps fit noise


@dataclass(frozen=True)
class CalibrationConfig(Config):
    """How scores become probabilities."""

    RETIRED = {"min_isotonic": MIN_ISOTONIC}

    method: Method = setting(
        "auto", "Curve from score to probability: isotonic, temperature, or auto by number of examples.", cli="--method"
    )


@dataclass(frozen=True, eq=False)
class Calibrator(Part):
    """A curve from a best candidate's score and lead to the probability that it is right.

    `weights` are a, b and the shift; `places` and `heights` the points of an isotonic curve, none for a sigmoid.
    `uses_on_list` says that scores hold how likely the mention means anything on the list; those of models that were
    saved before there was such a probability do not.

    Examples
    --------
    Scores that say 0.5 where nine of ten are right:

    >>> ranking = Ranking(np.array([0, 2]), np.array([4, 7]), np.array([0.5, 0.3]))
    >>> calibrator = Calibrator.fit(np.repeat(score_evidence(ranking), 100, axis=0), [True] * 90 + [False] * 10)
    >>> calibrator.rescale(ranking, calibrator.of_evidence(score_evidence(ranking)), 20).scores.round(1).tolist()
    [0.9, 0.1]
    """

    weights: Annotated[NDArray[np.float64], array(length=3, low=-np.inf)]
    places: Annotated[NDArray[np.float64], array(low=-np.inf, rising="or equal")]
    heights: Annotated[NDArray[np.float64], array(low=0, high=1, like="places", rising="or equal")]
    uses_on_list: Annotated[bool | None, value()] = None

    @classmethod
    def fit(
        cls, evidence: NDArray[np.float64], is_right: ArrayLike, config: CalibrationConfig | None = None
    ) -> Calibrator:
        """The curve of these examples: `score_evidence` of their candidates, and whether each one's best is right."""
        config = config or CalibrationConfig()
        right = np.asarray(is_right, dtype=np.float64)
        if len(right) == 0 or evidence.shape != (len(right), 2):
            raise DataError(
                f"A calibration needs examples, each with two numbers of evidence and a verdict; got {evidence.shape} "
                f"and {right.shape}. Give annotated mentions for which the linker has candidates."
            )
        weights = _sigmoid_weights(evidence, right)
        is_isotonic = config.method == "isotonic" or (config.method == "auto" and len(right) >= MIN_ISOTONIC)
        if not is_isotonic:
            return cls(weights, np.empty(0), np.empty(0), True)
        ends = _combined(np.array([[logit(MIN_SCORE), 0.0], [-logit(MIN_SCORE), MAX_LEAD]]), weights)
        return cls(weights, *_isotonic_curve(_combined(evidence, weights), right, ends), True)

    @property
    def method(self) -> str:
        """`isotonic` or `temperature`."""
        return "isotonic" if len(self.places) else "temperature"

    def probabilities(self, spans: Spans, ranking: Ranking) -> NDArray[np.float64]:
        """How likely each best candidate is right."""
        return self.of_evidence(score_evidence(ranking))

    def of_evidence(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely best candidates with this evidence are right, never quite 0 or 1."""
        combined = _combined(evidence, self.weights)
        if len(self.places) == 0:
            return np.clip(expit(combined), MIN_SCORE / 10, 1 - MIN_SCORE / 10)
        return np.interp(combined, self.places, self.heights)

    def rescale(self, ranking: Ranking, probabilities: NDArray[np.float64], n_candidates: int) -> Ranking:
        """The best candidate of each span with its probability; the others in proportion, as far as there is room.

        The probabilities of a span's first `n_candidates` add up to 1 at most.
        """
        best, numbers, ranks = ranking.best_scores(), ranking.span_numbers, ranking.ranks
        is_other = (ranks > 0) & (ranks < n_candidates)
        # Of nothing, bincount makes whole numbers, which could not be divided in place.
        totals = np.bincount(numbers[is_other], ranking.scores[is_other], minlength=len(ranking)).astype(np.float64)
        room = np.divide(1.0 - probabilities, totals, out=np.zeros_like(totals), where=totals > 0)
        full = np.divide(probabilities, best, out=np.full_like(best, np.inf), where=best > 0)
        scaled = np.minimum(probabilities[numbers], ranking.scores * np.minimum(full, room)[numbers])
        return ranking.with_scores(np.where(ranks == 0, probabilities[numbers], scaled))

    def check_parts(self, prefix: str) -> None:
        """A better score or lead never makes a candidate less likely."""
        check_range(f"{prefix}.weights", self.weights[:2], 0, np.inf)


def _combined(evidence: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    # Not a matrix product: its last digit would depend on the number of rows in the batch.
    combined: NDArray[np.float64] = evidence[:, 0] * weights[0] + evidence[:, 1] * weights[1] + weights[2]
    return combined


def _sigmoid_weights(evidence: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The a, b and shift that make these verdicts likeliest; with few examples they stay near 1, 0 and 0."""
    from scipy.optimize import minimize  # only who fits waits for this import

    start = np.array([1.0, 0.0, 0.0])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        combined = _combined(evidence, weights)
        error = expit(combined) - right
        slope = np.array([(error * evidence[:, 0]).sum(), (error * evidence[:, 1]).sum(), error.sum()])
        value = float((np.logaddexp(0.0, combined) - right * combined).sum())
        pull = weights - start
        return value + PRIOR_WEIGHT / 2 * float((pull**2).sum()), slope + PRIOR_WEIGHT * pull

    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (0, None), (None, None)])
    return np.asarray(optimum.x, dtype=np.float64)


def _isotonic_curve(
    combined: NDArray[np.float64], right: NDArray[np.float64], ends: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points of a rising curve through groups of examples of like evidence, drawn out to both ends."""
    from scipy.optimize import isotonic_regression  # only who fits waits for this import

    order = np.argsort(combined, kind="stable")
    n_bins = int(np.clip(len(order) // BIN_SIZE, 1, MAX_BINS))
    groups = np.array_split(order, n_bins)
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    centres = np.array([combined[group].mean() for group in groups])
    # A group where all are right does not prove certainty, so the sigmoid is mixed in.
    hits = np.array([right[group].sum() + PSEUDO_EXAMPLES * expit(combined[group]).mean() for group in groups])
    rising = isotonic_regression(hits / (sizes + PSEUDO_EXAMPLES), weights=sizes)
    starts = rising.blocks[:-1]
    heights = rising.x[starts]
    positions = np.add.reduceat(centres * sizes, starts) / np.add.reduceat(sizes, starts)
    low, high = heights[0] * (1 - END_FRACTION), heights[-1] + (1 - heights[-1]) * END_FRACTION
    return np.concatenate([[ends[0] - 1], positions, [ends[1] + 1]]), np.concatenate([[low], heights, [high]])
