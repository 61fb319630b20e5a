import numpy as np
import pytest

from deixis.decision.threshold_curve import MIN_LINKS, ThresholdCurve
from deixis.errors import ConfigError, StoreError


def held_out(n=2000, seed=0):
    """Mentions whose scores are what they say, four to a document; every tenth has no candidate."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.01, 1, n)
    scores[::10] = 0
    is_right = rng.random(n) < scores
    return ThresholdCurve(np.arange(n) // 4, scores, is_right, is_right | (rng.random(n) < 0.5))


def test_the_threshold_for_a_precision_keeps_it_on_other_mentions():
    expected = held_out().for_precision(0.9)
    other = held_out(seed=1).at(expected.threshold)
    assert 0.88 < other.precision < 0.95
    assert abs(other.coverage - expected.coverage) < 0.05
    assert expected.coverage_interval.low < expected.coverage < expected.coverage_interval.high
    assert expected.precision_interval.low < expected.precision < expected.precision_interval.high


def test_less_precision_covers_more():
    coverages = [held_out().for_precision(target).coverage for target in (0.6, 0.7, 0.8, 0.9)]
    assert coverages == sorted(coverages, reverse=True)


def test_a_precision_out_of_reach_is_an_error_that_says_what_can_be_reached():
    scores = np.linspace(0.1, 0.9, 400)
    coin = ThresholdCurve(np.arange(400), scores, np.arange(400) % 2 == 0, np.ones(400, bool))
    with pytest.raises(ConfigError, match=r"0\.99 cannot be reached on 400 held-out mentions. The most .* is 0\.[456]"):
        coin.for_precision(0.99)


def test_a_handful_of_right_links_proves_nothing():
    few = ThresholdCurve(np.arange(5), np.full(5, 0.9), np.ones(5, bool), np.ones(5, bool))
    with pytest.raises(ConfigError, match=f"{MIN_LINKS} links are needed at least, there are 5"):
        few.for_precision(0.5)


def test_mentions_without_candidates_are_never_linked():
    found = held_out().at(0.0)
    assert found.coverage == pytest.approx(0.9)


def test_best_f1_is_no_worse_than_any_threshold_tried():
    mentions = held_out()

    def f1(threshold):
        is_linked = (mentions.scores >= threshold) & (mentions.scores > 0)
        return 2 * (is_linked & mentions.is_right).sum() / (is_linked.sum() + mentions.is_known.sum())

    best = f1(mentions.best_f1().threshold)
    assert best >= max(f1(threshold) for threshold in np.linspace(0, 1, 30)) - 0.005


def test_without_mentions_nothing_is_expected():
    nothing = ThresholdCurve(*(np.empty(0, dtype) for dtype in (np.int64, np.float64, bool, bool)))
    assert nothing.at(0.5).coverage == 0
    assert nothing.best_f1().threshold == 0


def test_stored_mentions_come_back_and_damaged_ones_do_not():
    mentions = held_out(100)
    arrays = mentions.to_arrays("h")
    assert ThresholdCurve.from_arrays(arrays, "h").for_precision(0.5) == mentions.for_precision(0.5)
    with pytest.raises(StoreError, match="h.scores"):
        ThresholdCurve.from_arrays(arrays | {"h.scores": arrays["h.scores"] + 1}, "h")
    with pytest.raises(StoreError, match="h.is_right"):
        ThresholdCurve.from_arrays(arrays | {"h.is_right": arrays["h.is_right"][:-1]}, "h")


@pytest.mark.parametrize("target", [0.0, 1.5, -1.0])
def test_a_precision_is_a_share(target):
    with pytest.raises(ConfigError, match=r"0\.\.1"):
        held_out(50).for_precision(target)
