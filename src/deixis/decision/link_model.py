"""How likely a span of a text is a mention of its best candidate: a logistic model of span and candidates.

Its weights come with Deixis, or are learned from annotated documents. For probabilities that are calibrated, the choice
of spans with the best F1 is the one of threshold half that F1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.decision.evidence import score_evidence
from deixis.learners.log_odds import expit
from deixis.learners.logistic import fit_logistic, weighed
from deixis.store.checks import MAX_WEIGHT
from deixis.store.part import Part, array, value
from deixis.tables import Ranking, Spans

MAX_LOG_ODDS = 8.0
PENALTY = 1.0
EVIDENCE = {
    "span": "log odds that it is a mention",
    "score": "log odds of the best candidate's score",
    "lead": "margin of the best candidate over the second",
    "nameless": "not a name of the knowledge base",
    "nameless_score": "log odds of the best candidate's score, if it is not a name of the knowledge base",
    "one": "constant",
}
"""The evidence of a link's probability: names and meanings."""
SCORE = list(EVIDENCE).index("score")
EXCESS = "no link is more likely than its best candidate"
COUNTS_FOR = np.array([True, True, True, False, False, False])


@dataclass(frozen=True, eq=False)
class LinkModel(Part):
    """A logistic model of links: weights of the span's log odds and of its best candidate's score.

    `uses_on_list` is as in `Calibrator`.

    Examples
    --------
    >>> model = LinkModel(np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    >>> spans = Spans(np.zeros(2, int), np.array([0, 6]), np.array([5, 9]), np.array([2.0, -2.0]), np.ones(2, bool))
    >>> ranking = Ranking(np.array([0, 1, 2]), np.array([0, 1]), np.array([0.73106, 0.73106]))
    >>> model.probabilities(spans, ranking).round(2).tolist()
    [0.95, 0.27]
    """

    weights: Annotated[NDArray[np.float64], array(length=len(EVIDENCE), low=-MAX_WEIGHT, high=MAX_WEIGHT)]
    uses_on_list: Annotated[bool | None, value()] = None

    @classmethod
    def default(cls) -> LinkModel:
        """The model of a knowledge base without annotated documents."""
        weights = default_weights()
        return cls(np.array([weights.get(name, 0.0) for name in EVIDENCE]), True)

    @classmethod
    def fit(cls, evidence: NDArray[np.float32], is_right: NDArray[np.bool_], start: LinkModel) -> LinkModel:
        """The model of spans whose gold is known; few of them change little of `start`."""
        return cls(fit_logistic(evidence, is_right, PENALTY, start.weights, COUNTS_FOR), True)

    def probabilities(self, spans: Spans, ranking: Ranking) -> NDArray[np.float64]:
        """How likely each span is a mention of its best candidate."""
        return self.of_evidence(link_evidence(spans, ranking))

    def of_evidence(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        """How likely spans with this evidence are mentions of their best candidates.

        A mention means its best candidate with the probability `score`, so a link is not more likely than that.
        """
        log_odds = weighed(evidence, self.weights)
        probabilities: NDArray[np.float64] = expit(log_odds + self.excess(evidence, log_odds))
        return probabilities

    def excess(self, evidence: NDArray[np.float32], log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """What takes log odds down to those of the best candidate's score where they are higher; else 0."""
        if not self.uses_on_list:
            return np.zeros(len(log_odds))
        return np.minimum(0.0, evidence[:, SCORE].astype(np.float64) - log_odds)

    def rescale(self, ranking: Ranking, probabilities: NDArray[np.float64], n_candidates: int) -> Ranking:
        """The best candidate of each span with its probability, the others in proportion."""
        best = ranking.best_scores()
        factors = np.divide(probabilities, best, out=np.ones_like(best), where=best > 0)
        return ranking.with_scores(ranking.scores * factors[ranking.span_numbers])


def link_evidence(spans: Spans, ranking: Ranking) -> NDArray[np.float32]:
    """spans_by_evidence, in the order of `EVIDENCE`."""
    scores = score_evidence(ranking)
    nameless = (~spans.has_name).astype(np.float64)
    bounded = np.clip(spans.log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    columns = [bounded, scores[:, 0], scores[:, 1], nameless, nameless * scores[:, 0], np.ones(len(bounded))]
    return np.column_stack(columns).astype(np.float32)


@cache
def default_weights() -> dict[str, float]:
    """The default weights of evidence, for models without annotated documents."""
    weights: dict[str, float] = json.loads(files("deixis.decision").joinpath("default_weights.json").read_text("utf-8"))
    return weights
