"""What a threshold buys: how often the answers kept are wrong (risk) when only some are kept (coverage).

The curve is that of El-Yaniv and Wiener (JMLR 2010), its area (AURC) that of Geifman et al. (ICLR 2019). Answers of
equal confidence are kept or dropped together, as any threshold must; the area counts them as if in every order, so
that it does not hang on the order of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.errors import ConfigError
from deixis.evaluation.linking.calibration import checked_confidences, checked_documents
from deixis.evaluation.statistics.bootstrap import N_DRAWS, Interval
from deixis.evaluation.statistics.resampling import document_draws

_N_POINTS = 200


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Keeping answers of at least `threshold` keeps this share of them, and this share of those kept is wrong."""

    coverage: float
    risk: float
    threshold: float


@dataclass(frozen=True)
class RiskCoverage:
    """A point for each threshold that differs, highest first, as three arrays; and the mean risk over coverages.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.8, 0.3, 0.3], [True, False, True, True])
    >>> curve.coverage.tolist(), curve.risk.tolist(), curve.threshold.tolist()
    ([0.25, 0.5, 1.0], [0.0, 0.5, 0.25], [0.9, 0.8, 0.3])
    >>> curve.best_within(risk=0.3)
    RiskPoint(coverage=1.0, risk=0.25, threshold=0.3)
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]
    threshold: NDArray[np.float64]
    area: float

    def best_within(self, risk: float) -> RiskPoint:
        """The point that keeps most answers at no more than this risk; coverage 0, threshold 1 if none does.

        The threshold is chosen in hindsight: on other data the risk will be somewhat higher.
        """
        if not 0.0 <= risk <= 1.0:
            raise ConfigError(f"The target risk must lie in 0..1, got {risk}.")
        within = np.flatnonzero(self.risk <= risk)
        return self._point(int(within[-1])) if len(within) else RiskPoint(0.0, 0.0, 1.0)

    def points(self, n_points: int = _N_POINTS) -> list[RiskPoint]:
        """At most so many points, evenly spread over coverage, the last one among them: enough to draw."""
        aims = np.linspace(0.0, 1.0, n_points + 1)[1:]
        nearest = np.unique(np.searchsorted(self.coverage, aims - 1e-9))
        return [self._point(int(position)) for position in nearest[nearest < len(self.coverage)]]

    def _point(self, position: int) -> RiskPoint:
        return RiskPoint(float(self.coverage[position]), float(self.risk[position]), float(self.threshold[position]))


def risk_coverage(confidence: ArrayLike, is_right: ArrayLike) -> RiskCoverage:
    """The curve of the answers; without points, and of area 0, if there are none.

    Examples
    --------
    >>> round(risk_coverage([0.9, 0.8, 0.3], [True, False, True]).area, 3)
    0.278
    """
    claimed, right = checked_confidences(confidence, is_right)
    order = np.argsort(-claimed, kind="stable")
    claimed, is_wrong = claimed[order], 1.0 - right[order]
    ends = _ends_of_ties(claimed)
    n_kept, n_wrong = ends + 1.0, np.cumsum(is_wrong)[ends]
    ranks = np.arange(1, len(claimed) + 1)
    risks = np.interp(ranks, np.append(0, n_kept), np.append(0, n_wrong)) / ranks
    area = float(risks.mean()) if len(risks) else 0.0
    return RiskCoverage(n_kept / max(1, len(claimed)), n_wrong / n_kept, claimed[ends], area)


def area_interval(
    confidence: ArrayLike, is_right: ArrayLike, documents: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS
) -> Interval:
    """The interval of the area over documents; `documents` numbers each answer's document from 0 on.

    Examples
    --------
    >>> area_interval([0.9, 0.8], [True, True], documents=[0, 1])
    Interval(low=0.0, high=0.0)
    """
    claimed, right = checked_confidences(confidence, is_right)
    order = np.argsort(-claimed, kind="stable")
    ends = _ends_of_ties(claimed[order])
    numbers, n_documents = checked_documents(documents, len(claimed))
    numbers, is_wrong = numbers[order], 1.0 - right[order]
    areas = [
        _area_of_draw(row[numbers], is_wrong, ends)
        for rows in document_draws(n_documents, seed, n_draws)
        for row in rows
    ]
    return Interval.of(areas)


def _ends_of_ties(claimed: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.flatnonzero(np.append(claimed[1:] != claimed[:-1], [True] * min(1, len(claimed))))


def _area_of_draw(n_times: NDArray[np.float64], is_wrong: NDArray[np.float64], ends: NDArray[np.intp]) -> float:
    n_kept, n_wrong = np.cumsum(n_times)[ends], np.cumsum(n_times * is_wrong)[ends]
    if n_times.sum() == 0:
        return float("nan")
    ranks = np.arange(1, n_kept[-1] + 1)
    return float((np.interp(ranks, np.append(0, n_kept), np.append(0, n_wrong)) / ranks).mean())
