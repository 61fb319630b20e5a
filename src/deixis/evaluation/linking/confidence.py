"""The links of a corpus by their scores: the figures of calibration, if the scores are confidences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.linking.calibration import (
    brier_interval,
    brier_score,
    calibration_error_interval,
    expected_calibration_error,
)
from deixis.evaluation.linking.risk_coverage import area_interval, risk_coverage
from deixis.evaluation.statistics.bootstrap import N_DRAWS
from deixis.evaluation.statistics.metric import Metric

N_AREA_LINKS = 50_000  # with more of them the area's interval takes fewer draws, since each draw walks along all links


@dataclass(frozen=True)
class Confidences:
    """The document, the score and the verdict of each link that has a score; spurious links are wrong ones.

    Examples
    --------
    >>> links = Confidences(np.array([0, 1]), np.array([0.9, 0.6]), np.array([True, False]))
    >>> [(metric.name, round(metric.value, 3)) for metric in links.metrics(seed=0)]
    [('ece', 0.35), ('brier', 0.185), ('risk_coverage_area', 0.25)]
    """

    documents: NDArray[np.int64]
    scores: NDArray[np.float64]
    is_right: NDArray[np.bool_]

    @property
    def are_probabilities(self) -> bool:
        """Whether there are scores and all lie in 0..1."""
        return len(self.scores) > 0 and bool(((self.scores >= 0) & (self.scores <= 1)).all())

    def metrics(self, seed: int = 0, n_draws: int = N_DRAWS) -> list[Metric]:
        """ECE, Brier score and the area under risk against coverage; none of them if scores are no probabilities."""
        if not self.are_probabilities:
            return []
        n, answers = len(self.scores), (self.scores, self.is_right)
        n_area_draws = min(n_draws, max(100, n_draws * N_AREA_LINKS // n))
        return [
            Metric(
                "ece",
                expected_calibration_error(*answers),
                calibration_error_interval(*answers, self.documents, seed=seed, n_draws=n_draws),
                n,
            ),
            Metric("brier", brier_score(*answers), brier_interval(*answers, self.documents, seed, n_draws), n),
            Metric(
                "risk_coverage_area",
                risk_coverage(*answers).area,
                area_interval(*answers, self.documents, seed, n_area_draws),
                n,
            ),
        ]
