"""Round numbers beside an axis."""

import pytest

from deixis.errors import ConfigError
from deixis.reports.charts.drawing import shortened, text_width
from deixis.reports.charts.line import spread
from deixis.reports.charts.scales import Axis, exact_label, nice_step, scale_of, tick_labels


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.0, 1.0], ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")),
        ([0.52, 0.93], ("0.5", "0.6", "0.7", "0.8", "0.9", "1.0")),
        ([3, 1170], ("0", "250", "500", "750", "1000", "1250")),
        ([-4, 6], ("-4", "-2", "0", "2", "4", "6")),
        ([20_000, 100_000], ("20k", "40k", "60k", "80k", "100k")),
        ([1e-7, 5e-7], ("1e-07", "2e-07", "3e-07", "4e-07", "5e-07")),
    ],
)
def test_ticks_are_round_and_hold_all_numbers(values, labels):
    scale = scale_of(Axis(), values, 0, 100)
    assert scale.low <= min(values)
    assert scale.high >= max(values)
    assert scale.labels == labels


def test_percent_axes_say_percent():
    assert scale_of(Axis(low=0, high=1, is_percent=True), [], 0, 1).labels == ("0%", "20%", "40%", "60%", "80%", "100%")


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1, 100], [1, 2, 5, 10, 20, 50, 100]),
        ([3, 40], [5, 10, 20]),
        ([1, 1e6], [1, 10, 100, 1e3, 1e4, 1e5, 1e6]),
        ([7], [10, 20, 50]),
    ],
)
def test_logarithmic_ticks_lie_within_the_numbers(values, ticks):
    assert scale_of(Axis(is_log=True), values, 0, 1).ticks == pytest.approx(ticks)


def test_given_ticks_are_kept_where_they_are_visible():
    assert scale_of(Axis(ticks=[1, 20, 64], is_log=True), [1, 32], 0, 1).ticks == (1, 20)


def test_equal_numbers_and_no_numbers_still_make_an_axis():
    for values in ([], [0.0], [5.0, 5.0], [-3.0]):
        scale = scale_of(Axis(), values, 0, 10)
        assert scale.low < scale.high
        assert len(scale.ticks) >= 2
    assert scale_of(Axis(low=0), [0.0], 0, 10).low == 0


@pytest.mark.parametrize("span", [1e-9, 0.03, 1, 99, 12345, 1e12])
def test_a_step_makes_between_two_and_six_of_the_span(span):
    assert 2 <= span / nice_step(span) <= 5.001


def test_places_are_clamped_and_linear():
    scale = scale_of(Axis(low=0, high=10), [], start=100, end=0)
    assert [scale.at(value) for value in (-1, 0, 5, 10, 11)] == [100, 100, 50, 0, 0]


def test_labels_tell_ticks_apart():
    assert tick_labels([0.001, 0.002]) == ("0.001", "0.002")
    assert tick_labels([1_500_000, 2e9]) == ("1.5M", "2G")
    assert exact_label(-0.000012345) == "-1.234e-05"


def test_axes_that_cannot_be_are_refused():
    with pytest.raises(ConfigError, match="begins above 0, got 0"):
        Axis(low=0, is_log=True)
    with pytest.raises(ConfigError, match="from a lower to a higher number, got 2"):
        Axis(low=2, high=1)


def test_words_are_shortened_to_what_fits():
    assert shortened("short", 100) == "short"
    for width in (5, 30, 80):
        cut = shortened("an uncommonly long name", width)
        assert cut.endswith("…")
        assert text_width(cut) <= width or len(cut) == 2


def test_names_keep_their_order_and_their_distance():
    found = spread([10, 10, 11, 50, 99], gap=16, low=0, high=100)
    assert found == sorted(found)
    assert all(b - a >= 16 - 1e-9 for a, b in zip(found, found[1:], strict=False))
    assert found[0] >= 0
    assert found[-1] <= 100
