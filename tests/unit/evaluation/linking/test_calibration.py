"""Calibration by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from deixis.errors import ConfigError, DataError
from deixis.evaluation.linking.calibration import (
    brier_interval,
    brier_score,
    calibration_error_interval,
    expected_calibration_error,
    reliability_bins,
)
from deixis.evaluation.statistics.bootstrap import Interval


def answers(n, seed=0, power=1.0):
    """Confidences that are right as often as they say, to the given power."""
    random = np.random.default_rng(seed)
    confidence = random.random(n).round(2)
    return confidence, random.random(n) < confidence**power


@pytest.mark.parametrize(("equal_mass", "strategy"), [(False, "uniform"), (True, "quantile")])
@pytest.mark.parametrize("n_bins", [1, 4, 10])
def test_reliability_bins_are_those_of_scikit_learn(equal_mass, strategy, n_bins):
    confidence, is_right = answers(500)
    bins = reliability_bins(confidence, is_right, n_bins, equal_mass=equal_mass)
    accuracies, confidences = calibration_curve(is_right, confidence, n_bins=n_bins, strategy=strategy)
    assert [found.accuracy for found in bins] == pytest.approx(accuracies.tolist())
    assert [found.confidence for found in bins] == pytest.approx(confidences.tolist())
    assert sum(found.n for found in bins) == 500


def test_the_brier_score_is_that_of_scikit_learn():
    confidence, is_right = answers(300, power=2.0)
    assert brier_score(confidence, is_right) == pytest.approx(brier_score_loss(is_right, confidence))


def test_the_calibration_error_by_hand():
    """Bins (0, .5] and (.5, 1]: 2 answers at .4 on average, 1 right; 3 answers at .8, 3 right."""
    confidence, is_right = [0.3, 0.5, 0.7, 0.8, 0.9], [True, False, True, True, True]
    assert expected_calibration_error(confidence, is_right, n_bins=2) == pytest.approx(2 / 5 * 0.1 + 3 / 5 * 0.2)


def test_a_confidence_on_an_edge_belongs_to_the_bin_below_and_zero_to_the_first():
    bins = reliability_bins([0.0, 0.5, 0.5001, 1.0], [False, True, True, True], n_bins=2)
    assert [(found.low, found.high, found.n) for found in bins] == [(0.0, 0.5, 2), (0.5, 1.0, 2)]


def test_equal_confidences_share_a_bin_of_equal_mass():
    bins = reliability_bins([0.1] * 9 + [0.9], [False] * 9 + [True], n_bins=5, equal_mass=True)
    assert [found.n for found in bins] == [9, 1]


def test_bins_of_equal_mass_hold_equally_many():
    confidence = np.linspace(0.9, 1.0, 100)
    bins = reliability_bins(confidence, np.ones(100), n_bins=4, equal_mass=True)
    assert [found.n for found in bins] == [25, 25, 25, 25]
    assert len(reliability_bins(confidence, np.ones(100), n_bins=4)) == 1


def test_honest_confidences_have_a_small_error_and_boasting_ones_a_large():
    assert expected_calibration_error(*answers(20_000)) < 0.02
    assert expected_calibration_error(*answers(20_000, power=3.0)) > 0.2


def test_no_answers_are_no_bins_and_no_error():
    assert reliability_bins([], []) == []
    assert reliability_bins([], [], equal_mass=True) == []
    assert expected_calibration_error([], []) == brier_score([], []) == 0.0
    assert brier_interval([], [], []) == calibration_error_interval([], [], []) == Interval(0.0, 0.0)


@pytest.mark.parametrize("equal_mass", [False, True])
def test_the_interval_of_a_bad_calibration_holds_it(equal_mass):
    confidence, is_right = answers(3000, power=3.0)
    value = expected_calibration_error(confidence, is_right, equal_mass=equal_mass)
    found = calibration_error_interval(confidence, is_right, np.arange(3000) // 3, equal_mass=equal_mass)
    assert found.low < value < found.high
    assert found.high - found.low < 0.05


def test_answers_of_one_document_are_drawn_together():
    confidence, is_right = answers(1000, power=3.0)
    order = np.argsort(is_right)
    apart = brier_interval(confidence[order], is_right[order], np.arange(1000))
    together = brier_interval(confidence[order], is_right[order], np.arange(1000) // 50)
    assert apart.low < brier_score(confidence, is_right) < apart.high
    assert together.high - together.low > apart.high - apart.low


@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.5, float("inf")])
def test_a_confidence_outside_of_0_to_1_is_refused(bad):
    with pytest.raises(DataError, match=r"Answer 1 has the confidence .*must lie in 0\.\.1"):
        brier_score([0.5, bad], [True, False])


def test_verdicts_must_fit_the_confidences():
    with pytest.raises(DataError, match=r"shapes \(2,\), \(1,\)"):
        expected_calibration_error([0.5, 0.6], [True])
    with pytest.raises(DataError, match="no other verdict"):
        expected_calibration_error([0.5], [0.5])
    with pytest.raises(ConfigError, match="n_bins must be at least 1, got 0"):
        reliability_bins([0.5], [True], n_bins=0)


@pytest.mark.parametrize("documents", [[0], [0, -1], [[0, 1]]])
def test_every_answer_needs_its_document(documents):
    with pytest.raises(DataError, match="2 answers needs its document's number"):
        brier_interval([0.5, 0.6], [True, False], documents)
