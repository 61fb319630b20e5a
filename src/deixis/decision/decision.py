"""The decision to link: a probability model, a threshold, and held-out mentions that measure thresholds.

A linker decides in four situations, and `Decisions` has one record for each: mentions that are given, mentions that are
detected by their odds, given mentions after a re-ranker, and raw text after a reader.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.decision.calibrator import Calibrator
from deixis.decision.link_model import LinkModel
from deixis.decision.threshold_curve import Expectation, ThresholdCurve
from deixis.errors import ConfigError
from deixis.store.part import Part, one_of, value
from deixis.tables import Ranking, Spans

DEFAULT_THRESHOLD = 0.25  # of probabilities that come from the list alone; docs/decisions/0012-nil-threshold.md
Source = Literal["annotated", "synthetic"]
"""Where held-out mentions come from: annotated documents, or mentions made from the knowledge base itself."""


class ProbabilityModel(Protocol):
    """Turns what is known of a span and its candidates into a probability."""

    @property
    def uses_on_list(self) -> bool | None:
        """Whether the scores it takes hold how likely a mention means anything on the list."""

    def probabilities(self, spans: Spans, ranking: Ranking) -> NDArray[np.float64]:
        """How likely each span is a mention of its best candidate."""

    def rescale(self, ranking: Ranking, probabilities: NDArray[np.float64], n_candidates: int) -> Ranking:
        """The same candidates in the same order: the best of each span with its probability, the others below."""


@dataclass(frozen=True, eq=False)
class Decision(Part):
    """A probability model, a threshold, and the curve of held-out mentions. Without a model scores are probabilities.

    Without a `threshold`, `DEFAULT_THRESHOLD` is used. `target_precision` is the precision that the threshold was
    chosen for, if any. `source` says where the held-out mentions of `curve` come from.

    Examples
    --------
    >>> Decision().min_probability, Decision(threshold=0.5).with_threshold(0.7).min_probability
    (0.25, 0.7)
    """

    model: Annotated[ProbabilityModel | None, one_of(calibrator=Calibrator, link_model=LinkModel)] = None
    threshold: Annotated[float | None, value(low=0, high=1)] = None
    curve: ThresholdCurve | None = None
    target_precision: Annotated[float | None, value(low=0, high=1)] = None
    source: Source = "annotated"

    @property
    def min_probability(self) -> float:
        """The threshold in force."""
        return DEFAULT_THRESHOLD if self.threshold is None else self.threshold

    def score(self, spans: Spans, ranking: Ranking, on_list: NDArray[np.float64], n_candidates: int) -> Ranking:
        """The same candidates in the same order, with probabilities as scores.

        `on_list` is how likely each span means anything on the list. Only the first `n_candidates` count, however many
        are there to be shown.
        """
        if self.model is None or self.model.uses_on_list:
            ranking = ranking.times(on_list)
        if self.model is None or not len(ranking):
            return ranking
        first = ranking.head(n_candidates)
        probabilities = np.where(first.best_scores() > 0, self.model.probabilities(spans, first), 0.0)
        return self.model.rescale(ranking, probabilities, n_candidates)

    def with_threshold(self, threshold: float | None, target_precision: float | None = None) -> Decision:
        """The same with a threshold, or with the one that reaches a precision on held-out mentions.

        Without held-out mentions a target precision changes nothing.
        """
        if threshold is not None:
            return replace(self, threshold=threshold, target_precision=None)
        if target_precision is None or self.curve is None:
            return self
        expected = self.curve.for_precision(target_precision)
        return replace(self, threshold=expected.threshold, target_precision=target_precision)

    def with_best_threshold(self, threshold: float | None = None, target_precision: float | None = None) -> Decision:
        """The same with a threshold or target precision; with neither, the threshold with the best held-out F1."""
        if threshold is None and target_precision is None and self.curve is not None:
            return replace(self, threshold=self.curve.best_f1().threshold, target_precision=None)
        return self.with_threshold(threshold, target_precision)

    def expectation(self) -> Expectation | None:
        """What to expect of the threshold in force; None without held-out mentions."""
        return None if self.curve is None else self.curve.at(self.min_probability)


@dataclass(frozen=True, eq=False)
class Decisions(Part):
    """The decision of each situation; those that a model does not have are None."""

    given: Decision
    detected: Decision
    reranked: Decision | None = None
    read: Decision | None = None


def check_threshold(threshold: float | None, target_precision: float | None) -> None:
    """An error for a threshold or a target precision outside 0..1, and for both at once."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise ConfigError(f"The threshold must lie in 0..1, got {threshold}.")
    if target_precision is not None and not 0 < target_precision <= 1:
        raise ConfigError(f"The target precision must lie in 0..1, got {target_precision}.")
    if threshold is not None and target_precision is not None:
        raise ConfigError(f"Give a threshold ({threshold}) or a target precision ({target_precision}), not both.")
