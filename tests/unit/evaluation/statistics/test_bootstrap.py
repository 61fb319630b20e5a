"""Intervals over documents: against another implementation, and what must not change them."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from deixis.errors import ConfigError, DataError
from deixis.evaluation.statistics import resampling
from deixis.evaluation.statistics.bootstrap import Interval, interval_of, quotient, share_interval
from deixis.evaluation.statistics.resampling import checked_sums, resampled_sums


def f1(sums):
    return quotient(2 * sums[:, 0], sums[:, 1] + sums[:, 2])


def counts(n_documents, seed=0):
    random = np.random.default_rng(seed)
    gold = random.integers(0, 8, n_documents)
    predicted = random.integers(0, 8, n_documents)
    return np.column_stack([random.integers(0, np.minimum(gold, predicted) + 1), predicted, gold])


def test_the_interval_of_f1_is_that_of_scipy():
    sums = counts(60)
    theirs = bootstrap(
        tuple(sums.T),
        lambda right, predicted, gold, axis: 2 * right.sum(axis) / (predicted.sum(axis) + gold.sum(axis)),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = interval_of(f1, sums, n_draws=20_000)
    assert ours.low == pytest.approx(theirs.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.high, abs=0.004)


@pytest.mark.parametrize("n_copies", [1, 40])
def test_drawn_sums_have_the_mean_and_spread_of_drawing_with_replacement(n_copies):
    """Few equal rows are drawn one by one, many as groups: both must spread as theory says."""
    values = np.repeat([0.0, 1.0, 2.0, 5.0], n_copies)
    drawn = resampled_sums(values[:, None], seed=1, n_draws=20_000)[:, 0]
    assert drawn.mean() == pytest.approx(values.sum(), rel=0.02)
    assert drawn.std() == pytest.approx(values.std() * np.sqrt(len(values)), rel=0.02)


def test_the_order_of_the_documents_does_not_matter():
    sums = np.column_stack([np.random.default_rng(0).random(200), np.ones(200)])
    shuffled = np.random.default_rng(1).permutation(sums)
    assert share_interval(*sums.T) == share_interval(*shuffled.T)


def test_the_size_of_a_chunk_does_not_matter(monkeypatch):
    sums = np.random.default_rng(0).random((50, 3))
    at_once = resampled_sums(sums, seed=0, n_draws=100)
    monkeypatch.setattr(resampling, "_CHUNK", 120)
    assert np.array_equal(resampled_sums(sums, seed=0, n_draws=100), at_once)


def test_another_seed_gives_another_draw():
    sums = counts(30)
    assert interval_of(f1, sums, seed=3) == interval_of(f1, sums, seed=3)
    assert not np.array_equal(resampled_sums(sums, 3, 10), resampled_sums(sums, 4, 10))


def test_documents_with_nothing_widen_the_interval_but_move_nothing():
    """Whether a drawn document says anything is chance too."""
    full = np.array([[3.0, 4.0]] * 20 + [[1.0, 4.0]] * 20)
    with_empty = np.vstack([full, np.zeros((40, 2))])
    plain, wider = share_interval(*full.T), share_interval(*with_empty.T)
    assert wider.high - wider.low > plain.high - plain.low
    assert wider.low < 0.5 < wider.high


@pytest.mark.parametrize("sums", [np.zeros((0, 3)), np.zeros((5, 3))])
def test_nothing_to_measure_is_an_empty_interval(sums):
    assert interval_of(f1, sums) == Interval(0.0, 0.0)


def test_draws_that_leave_the_statistic_undefined_are_left_out():
    interval = share_interval([1, 0, 0], [1, 0, 0])
    assert interval == Interval(1.0, 1.0)


def test_sums_add_up_to_the_same_bits_in_any_order():
    values = checked_sums(np.random.default_rng(0).random((1000, 1)) * 1e-3)[:, 0]
    shuffled = np.random.default_rng(1).permutation(values)
    assert np.cumsum(values)[-1] == np.cumsum(shuffled)[-1] == np.sum(values)


def test_rounding_leaves_counts_alone_and_other_values_nearly():
    assert np.array_equal(checked_sums(counts(100)), counts(100))
    values = np.random.default_rng(0).random((1000, 2))
    assert np.abs(checked_sums(values) - values).max() < 1e-12


def test_a_hundred_thousand_documents_fit():
    sums = counts(100_000)
    interval = interval_of(f1, sums, n_draws=200)
    value = f1(sums.sum(axis=0, keepdims=True))[0]
    assert interval.low < value < interval.high
    assert interval.high - interval.low < 0.01


def test_sums_that_cannot_be_added_are_refused():
    with pytest.raises(DataError, match="Document 1 holds nan in column 0"):
        interval_of(f1, [[1.0, 1, 1], [np.nan, 1, 1]])
    with pytest.raises(DataError, match=r"one row per document.*\(3,\)"):
        interval_of(f1, [1.0, 2.0, 3.0])
    with pytest.raises(ConfigError, match="n_draws must be at least 1, got 0"):
        interval_of(f1, counts(3), n_draws=0)
