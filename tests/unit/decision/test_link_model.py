"""How likely a link is right, by the odds of its span and the score of its best candidate."""

import numpy as np
import pytest

from deixis.decision.link_model import EVIDENCE, LinkModel, default_weights, link_evidence
from deixis.errors import StoreError
from deixis.tables import Ranking, Spans


def spans_of(log_odds, has_name=True):
    n = len(log_odds)
    places = np.arange(n) * 10
    return Spans(np.zeros(n, int), places, places + 4, np.asarray(log_odds, float), np.full(n, has_name))


def ranking_of(*scores):
    """Each span with these scores."""
    flat = np.array([score for own in scores for score in own])
    return Ranking(np.cumsum([0, *map(len, scores)]), np.arange(len(flat)), flat)


def test_a_model_learns_what_counts() -> None:
    rng = np.random.default_rng(0)
    log_odds = rng.normal(0, 3, 2000)
    scores = rng.uniform(0.2, 0.8, 2000)
    evidence = link_evidence(spans_of(log_odds), ranking_of(*([score, score / 2] for score in scores)))
    model = LinkModel.fit(evidence, log_odds + rng.normal(0, 1, 2000) > 1, LinkModel.default())
    assert model.weights[0] > 3 * abs(model.weights[1])
    probabilities = model.of_evidence(evidence)
    assert (probabilities <= scores + 1e-6).all()  # no link is more likely than its best candidate
    assert probabilities[log_odds > 4] == pytest.approx(scores[log_odds > 4], abs=1e-5)
    assert probabilities[log_odds < -4].max() < 0.1


def test_the_shipped_weights_name_known_evidence_and_a_likelier_span_is_a_likelier_link() -> None:
    assert set(default_weights()) <= set(EVIDENCE)
    low, high = LinkModel.default().probabilities(spans_of([-3.0, 3.0]), ranking_of([0.05, 0.05], [0.95, 0.05]))
    assert low < high


def test_evidence_stands_in_the_order_of_its_names() -> None:
    evidence = link_evidence(spans_of([99.0, -99.0, 2.0], has_name=False), ranking_of([0.5, 0.5], [0.5], []))
    columns = dict(zip(EVIDENCE, evidence.T.tolist(), strict=True))
    assert columns["span"] == [8.0, -8.0, 2.0]  # bounded
    assert columns["score"][:2] == [0.0, 0.0] and columns["score"][2] < -9
    assert columns["lead"] == [0.0, 6.0, 0.0]
    assert columns["nameless"] == columns["one"] == [1.0, 1.0, 1.0]
    assert columns["nameless_score"] == columns["score"]


def test_candidates_keep_their_proportions_and_spans_without_one_stay_so() -> None:
    ranking = ranking_of([0.6, 0.3, 0.1], [], [0.0, 0.0])
    after = LinkModel.default().rescale(ranking, np.array([0.3, 0.9, 0.5]), 20)
    assert after.scores.tolist() == pytest.approx([0.3, 0.15, 0.05, 0.0, 0.0])
    assert after.starts.tolist() == ranking.starts.tolist() and after.rows.tolist() == ranking.rows.tolist()


def test_a_model_comes_back_the_same_and_a_damaged_one_does_not() -> None:
    model = LinkModel.default()
    assert (LinkModel.from_arrays(model.to_arrays("d"), "d").weights == model.weights).all()
    for damaged in (np.zeros(2), np.full(len(EVIDENCE), np.nan), np.full(len(EVIDENCE), 1e9)):
        with pytest.raises(StoreError, match=r"d\.weights"):
            LinkModel.from_arrays({"d.weights": damaged}, "d")
