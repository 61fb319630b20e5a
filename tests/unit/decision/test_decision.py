"""When a link is made: probabilities, thresholds, and what held-out mentions say of them."""

import numpy as np
import pytest

from deixis.decision.calibrator import Calibrator
from deixis.decision.decision import DEFAULT_THRESHOLD, Decision, check_threshold
from deixis.decision.link_model import LinkModel
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.errors import ConfigError
from deixis.linking.build_settings import ThresholdConfig
from deixis.tables import Ranking, Spans

CALIBRATOR = Calibrator(np.array([1.3, 0.4, -0.8]), np.empty(0), np.empty(0), True)
MODELS = [None, CALIBRATOR, LinkModel.default()]


def curve(n=200):
    scores = np.linspace(0.01, 1, n)
    return ThresholdCurve(np.arange(n), scores, scores > 0.5, np.ones(n, bool))


def drawn(rng, n_spans=12, longest=50):
    """Spans with falling scores of up to 50 candidates, some without any and some with zeros alone."""
    lists = [np.sort(rng.dirichlet(np.ones(n)))[::-1] if n else np.empty(0) for n in rng.integers(0, longest, n_spans)]
    lists.append(np.zeros(3))
    scores = np.concatenate(lists)
    ranking = Ranking(np.cumsum([0, *map(len, lists)]), np.arange(len(scores)), scores)
    places = np.arange(len(lists)) * 9
    spans = Spans(
        np.zeros(len(lists), int), places, places + 4, rng.normal(0, 4, len(lists)), rng.random(len(lists)) < 0.5
    )
    return spans, ranking


def sure(spans):
    """How likely each span means anything on the list: from nearly nothing to nearly certain."""
    return np.linspace(0.01, 0.99, len(spans))


@pytest.mark.parametrize("model", MODELS, ids=["none", "calibrator", "link model"])
@pytest.mark.parametrize("n_candidates", [1, 2, 20])
@pytest.mark.parametrize("seed", range(3))
def test_how_many_candidates_are_ranked_never_changes_the_probability_of_the_best(model, seed, n_candidates):
    spans, ranking = drawn(np.random.default_rng(seed))
    decision = Decision(model)
    counted = decision.score(spans, ranking.head(n_candidates), sure(spans), n_candidates)
    for depth in (n_candidates, n_candidates + 1, 30, 50):
        deeper = decision.score(spans, ranking.head(depth), sure(spans), n_candidates)
        assert deeper.best_scores().tolist() == counted.best_scores().tolist()
        assert deeper.head(n_candidates).scores.tolist() == counted.scores.tolist()


@pytest.mark.parametrize("model", MODELS, ids=["none", "calibrator", "link model"])
def test_no_order_changes_and_a_batch_is_scored_as_its_spans_are(model):
    spans, ranking = drawn(np.random.default_rng(7))
    scored = Decision(model).score(spans, ranking, sure(spans), 20)
    assert scored.rows.tolist() == ranking.rows.tolist() and scored.starts.tolist() == ranking.starts.tolist()
    for number in range(len(spans)):
        one = np.array([number])
        alone = Decision(model).score(spans.take(one), ranking.take(one), sure(spans)[one], 20)
        assert alone.scores.tolist() == scored.take(one).scores.tolist()
        assert alone.scores.tolist() == sorted(alone.scores.tolist(), reverse=True)
        assert all(0 <= score <= 1 for score in alone.scores)


@pytest.mark.parametrize("model", MODELS, ids=["none", "calibrator", "link model"])
def test_a_best_candidate_that_scores_nothing_stays_at_nothing(model):
    spans, ranking = drawn(np.random.default_rng(1))
    assert Decision(model).score(spans, ranking, sure(spans), 20).best_scores()[-1] == 0.0


def test_without_spans_there_is_nothing_to_score():
    nothing = Ranking(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
    assert len(Decision(CALIBRATOR).score(Spans.given(()), nothing, np.empty(0), 20)) == 0


def test_a_decision_that_says_nothing_has_the_default_threshold():
    assert Decision().min_probability == Decision(target_precision=0.9).min_probability == DEFAULT_THRESHOLD == 0.25
    assert Decision(threshold=0.0).min_probability == 0.0


def test_a_threshold_asked_for_takes_the_place_of_a_target_precision():
    precise = Decision(curve=curve()).with_threshold(None, 0.9)
    assert precise.target_precision == 0.9 and precise.expectation().precision >= 0.9
    changed = precise.with_threshold(0.3)
    assert (changed.min_probability, changed.target_precision) == (0.3, None)
    assert precise.with_threshold(None) is precise


def test_without_held_out_mentions_a_target_precision_changes_nothing():
    plain = Decision(threshold=0.4)
    assert plain.with_threshold(None, 0.9) is plain and plain.expectation() is None
    assert plain.with_best_threshold() is plain


def test_with_nothing_asked_for_the_best_f1_is_the_threshold():
    best = Decision(threshold=0.9, curve=curve(), target_precision=0.99).with_best_threshold()
    assert best.threshold == curve().best_f1().threshold and best.target_precision is None
    assert Decision(curve=curve()).with_best_threshold(0.7).threshold == 0.7


@pytest.mark.parametrize("model", [None, CALIBRATOR])
def test_held_out_mentions_are_stored_with_their_calibrator(model):
    decision = Decision(model, 0.3, curve(), source="synthetic")
    again = Decision.from_arrays(decision.to_arrays("c"), "c")
    assert (again.source, again.threshold) == ("synthetic", 0.3) and again.expectation() == decision.expectation()
    spans, ranking = drawn(np.random.default_rng(3))
    assert (
        again.score(spans, ranking, sure(spans), 20).scores.tolist()
        == decision.score(spans, ranking, sure(spans), 20).scores.tolist()
    )
    plain = Decision.from_arrays(Decision().to_arrays("c"), "c")
    assert (plain.model, plain.threshold, plain.curve, plain.target_precision) == (None, None, None, None)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(ConfigError, match=r"0\.\.1"):
        check_threshold(threshold, None)
    with pytest.raises(ConfigError, match=r"0\.\.1"):
        ThresholdConfig(threshold)


@pytest.mark.parametrize("target", [0.0, 1.1, float("nan")])
def test_a_target_precision_is_a_share_above_nothing(target):
    with pytest.raises(ConfigError, match="target.precision"):
        check_threshold(None, target)
    with pytest.raises(ConfigError, match="target.precision"):
        ThresholdConfig(target_precision=target)


def test_a_threshold_and_a_target_precision_are_not_asked_for_at_once():
    with pytest.raises(ConfigError, match=r"a threshold \(0.5\) or a target precision \(0.9\), not both"):
        check_threshold(0.5, 0.9)
