import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from deixis.decision.calibrator import MIN_ISOTONIC, CalibrationConfig, Calibrator
from deixis.decision.evidence import MAX_LEAD, score_evidence
from deixis.errors import ConfigError, DataError, StoreError
from deixis.evaluation.linking.calibration import expected_calibration_error
from deixis.tables import Ranking


def ranking_of(lists):
    """Each span with one of these lists of scores."""
    scores = np.array([score for each in lists for score in each], dtype=np.float64)
    return Ranking(np.cumsum([0, *map(len, lists)]), np.arange(len(scores)), scores)


def evidence_of(lists):
    return score_evidence(ranking_of(lists))


def calibrated(calibrator, lists, n_candidates=20):
    """The scores of each list after calibration."""
    ranking = ranking_of(lists)
    after = calibrator.rescale(ranking, calibrator.of_evidence(score_evidence(ranking)), n_candidates)
    assert after.rows.tolist() == ranking.rows.tolist() and after.starts.tolist() == ranking.starts.tolist()
    return [own.tolist() for own in np.split(after.scores, after.starts[1:-1])]


def timid_examples(n, seed=0):
    """Lists of two whose best scores are half as high as they should be, and verdicts."""
    rng = np.random.default_rng(seed)
    chances = rng.uniform(0.1, 0.95, n)
    lists = [[chance / 2, chance / 2 * rng.uniform(0.1, 1)] for chance in chances]
    return lists, rng.random(n) < chances


@pytest.mark.parametrize("method", ["isotonic", "temperature"])
def test_calibrated_scores_say_how_often_the_best_is_right(method):
    lists, is_right = timid_examples(4000)
    calibrator = Calibrator.fit(evidence_of(lists), is_right, CalibrationConfig(method))
    new_lists, new_right = timid_examples(4000, seed=1)
    before = [each[0] for each in new_lists]
    after = [each[0] for each in calibrated(calibrator, new_lists)]
    assert expected_calibration_error(before, new_right) > 0.2
    assert expected_calibration_error(after, new_right) < 0.05


@pytest.mark.parametrize("method", ["isotonic", "temperature"])
def test_a_higher_score_or_a_greater_lead_never_means_less(method):
    lists, is_right = timid_examples(2000)
    calibrator = Calibrator.fit(evidence_of(lists), is_right, CalibrationConfig(method))
    scores = np.linspace(0, 1, 500)
    by_score = calibrator.of_evidence(evidence_of([[score, score / 2] for score in scores]))
    by_lead = calibrator.of_evidence(evidence_of([[0.5, second] for second in scores[:250][::-1]]))
    assert (np.diff(by_score) >= 0).all() and (np.diff(by_lead) >= 0).all()
    assert by_score.min() > 0 and by_score.max() < 1
    assert len(np.unique(by_score)) > 400  # hardly any ties


def test_examples_that_are_all_right_leave_a_doubt():
    lists, _ = timid_examples(1000)
    calibrator = Calibrator.fit(evidence_of(lists), [True] * 1000, CalibrationConfig("isotonic"))
    assert calibrator.of_evidence(evidence_of([[1.0]]))[0] < 1


def test_candidates_keep_their_order_and_share_what_the_best_leaves():
    lists, is_right = timid_examples(2000)
    calibrator = Calibrator.fit(evidence_of(lists), is_right)
    before = [0.06, *[0.05] * 18, 0.04]
    (scores,) = calibrated(calibrator, [before])
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) <= 1 + 1e-12
    assert scores[1] / scores[-1] == pytest.approx(0.05 / 0.04)


def test_lists_without_candidates_and_scores_of_zero_are_taken():
    lists, is_right = timid_examples(500)
    calibrator = Calibrator.fit(evidence_of(lists), is_right)
    nothing, zeros = calibrated(calibrator, [[], [0.0, 0.0]])
    assert nothing == []
    assert zeros[0] > zeros[1] == 0.0


def test_mentions_with_one_candidate_each_are_scored_when_none_has_another():
    calibrator = Calibrator.fit(evidence_of(timid_examples(200)[0]), timid_examples(200)[1])
    (alone,), (other,) = calibrated(calibrator, [[0.4], [0.8]])
    assert 0 < alone < other < 1
    assert calibrated(calibrator, [[0.4], [0.8], [0.6, 0.3]])[:2] == [[alone], [other]]


def test_few_examples_hardly_move_the_scores():
    calibrator = Calibrator.fit(evidence_of([[0.5, 0.1]]), [True])
    assert calibrator.method == "temperature"
    assert 0.5 < calibrator.of_evidence(evidence_of([[0.5, 0.1]]))[0] < 0.8


def test_the_sigmoid_is_that_of_scikit_learn_when_there_is_much_to_learn_from():
    rng = np.random.default_rng(0)
    evidence = np.column_stack([rng.normal(0, 2, 20_000), rng.uniform(0, MAX_LEAD, 20_000)])
    is_right = rng.random(20_000) < expit(0.7 * evidence[:, 0] + 0.4 * evidence[:, 1] - 0.5)
    ours = Calibrator.fit(evidence, is_right, CalibrationConfig("temperature")).weights
    theirs = LogisticRegression(C=1e6).fit(evidence, is_right)
    np.testing.assert_allclose(ours, [*theirs.coef_[0], theirs.intercept_[0]], atol=2e-3)


def test_auto_is_isotonic_when_there_are_many_examples():
    for n, method in ((MIN_ISOTONIC - 1, "temperature"), (MIN_ISOTONIC, "isotonic")):
        lists, is_right = timid_examples(n)
        assert Calibrator.fit(evidence_of(lists), is_right, CalibrationConfig()).method == method


@pytest.mark.parametrize("method", ["isotonic", "temperature"])
def test_a_stored_curve_gives_the_same_bytes(method):
    lists, is_right = timid_examples(1000)
    calibrator = Calibrator.fit(evidence_of(lists), is_right, CalibrationConfig(method))
    again = Calibrator.from_arrays(calibrator.to_arrays("c"), "c")
    assert calibrated(again, lists) == calibrated(calibrator, lists)


def test_a_batch_is_scored_as_its_parts_are():
    lists, is_right = timid_examples(700)
    calibrator = Calibrator.fit(evidence_of(lists), is_right)
    assert calibrated(calibrator, lists) == [calibrated(calibrator, [each])[0] for each in lists]


def test_a_curve_that_falls_is_not_loaded():
    lists, is_right = timid_examples(1000)
    arrays = Calibrator.fit(evidence_of(lists), is_right, CalibrationConfig("isotonic")).to_arrays("c")
    arrays["c.heights"] = arrays["c.heights"][::-1].copy()
    with pytest.raises(StoreError, match="'c.heights' must never fall"):
        Calibrator.from_arrays(arrays, "c")


def test_without_examples_there_is_no_calibration():
    with pytest.raises(DataError, match="needs examples"):
        Calibrator.fit(np.empty((0, 2)), [])
    with pytest.raises(ConfigError, match="'isotonic'"):
        CalibrationConfig(method="isotone")


@pytest.mark.parametrize("lists", [[[]], [[0.5]], [[], [0.4], []]])
def test_lists_in_which_nothing_stands_in_second_place_are_taken(lists):
    examples, is_right = timid_examples(100)
    calibrator = Calibrator.fit(evidence_of(examples), is_right)
    assert [len(own) for own in calibrated(calibrator, lists)] == [len(own) for own in lists]
