"""Risk and coverage by hand."""

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.evaluation.linking.risk_coverage import RiskPoint, area_interval, risk_coverage
from deixis.evaluation.statistics.bootstrap import Interval


def test_the_curve_by_hand():
    curve = risk_coverage([0.2, 0.9, 0.6, 0.4], [True, True, False, True])
    assert curve.threshold.tolist() == [0.9, 0.6, 0.4, 0.2]
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 2, 1 / 3, 1 / 4])
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_equal_confidences_are_kept_together_and_counted_in_every_order():
    """One wrong answer among two equals: either 1 or 0 wrong after the first of them, on average a half."""
    curve = risk_coverage([0.9, 0.5, 0.5], [True, True, False])
    assert curve.coverage.tolist() == pytest.approx([1 / 3, 1])
    assert curve.area == pytest.approx((0 + 0.5 / 2 + 1 / 3) / 3)


def test_the_order_of_the_answers_does_not_matter():
    random = np.random.default_rng(0)
    confidence, is_right = random.random(200).round(1), random.random(200) < 0.6
    order = random.permutation(200)
    there, back = risk_coverage(confidence, is_right), risk_coverage(confidence[order], is_right[order])
    assert np.array_equal(there.risk, back.risk)
    assert there.area == back.area


def test_a_useless_confidence_has_the_overall_risk_as_its_area_and_a_good_one_less():
    is_right = np.arange(1000) % 4 != 0
    useless = risk_coverage(np.full(1000, 0.5), is_right)
    perfect = risk_coverage(np.where(is_right, 0.9, 0.1), is_right)
    assert useless.area == pytest.approx(0.25)
    assert perfect.area < 0.04
    assert perfect.risk[-1] == useless.risk[-1] == 0.25


def test_the_best_point_keeps_most_at_no_more_than_the_target_risk():
    curve = risk_coverage([0.9, 0.8, 0.7, 0.6, 0.5], [True, False, True, True, False])
    assert curve.best_within(0.25) == RiskPoint(coverage=0.8, risk=0.25, threshold=0.6)
    assert curve.best_within(0.0) == RiskPoint(coverage=0.2, risk=0.0, threshold=0.9)
    assert curve.best_within(1.0).coverage == 1.0


def test_a_target_that_no_threshold_meets_covers_nothing():
    assert risk_coverage([0.9, 0.8], [False, True]).best_within(0.1) == RiskPoint(0.0, 0.0, 1.0)


def test_a_drawn_curve_has_few_points_and_ends_at_full_coverage():
    random = np.random.default_rng(0)
    curve = risk_coverage(random.random(10_000), random.random(10_000) < 0.5)
    points = curve.points(50)
    assert len(points) == 50
    assert points[0].coverage == pytest.approx(0.02)
    assert (points[-1].coverage, points[-1].risk) == (1.0, curve.risk[-1])
    assert [point.coverage for point in points] == sorted({point.coverage for point in points})


def test_a_short_curve_is_drawn_whole():
    assert [point.coverage for point in risk_coverage([0.9, 0.8, 0.8], [True] * 3).points()] == pytest.approx(
        [1 / 3, 1]
    )


def test_the_interval_holds_the_area_and_draws_documents_whole():
    random = np.random.default_rng(0)
    confidence = random.random(600)
    is_right = random.random(600) < confidence
    apart = area_interval(confidence, is_right, np.arange(600), n_draws=300)
    order = np.argsort(is_right)
    together = area_interval(confidence[order], is_right[order], np.arange(600) // 30, n_draws=300)
    assert apart.low < risk_coverage(confidence, is_right).area < apart.high
    assert together.high - together.low > apart.high - apart.low


def test_no_answers_are_a_curve_without_points():
    curve = risk_coverage([], [])
    assert (len(curve.coverage), curve.area, curve.points()) == (0, 0.0, [])
    assert curve.best_within(0.5).coverage == 0.0
    assert area_interval([], [], []) == Interval(0.0, 0.0)


def test_what_cannot_be_a_confidence_or_a_risk_is_refused():
    with pytest.raises(DataError, match="Answer 0 has the confidence nan"):
        risk_coverage([np.nan], [True])
    with pytest.raises(ConfigError, match=r"target risk must lie in 0\.\.1, got 5"):
        risk_coverage([0.5], [True]).best_within(5)
