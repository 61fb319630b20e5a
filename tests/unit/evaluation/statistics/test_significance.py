"""Paired differences: against another implementation, and cases with a known answer."""

import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap, permutation_test

from deixis.errors import DataError
from deixis.evaluation.statistics.bootstrap import quotient
from deixis.evaluation.statistics.significance import Difference, paired_difference


def share(sums):
    return quotient(sums[:, 0], sums[:, 1])


def f1(sums):
    return quotient(2 * sums[:, 0], sums[:, 1] + sums[:, 2])


def f1_of_columns(right, predicted, gold, axis):
    return 2 * right.sum(axis) / (predicted.sum(axis) + gold.sum(axis))


def two_runs(n_documents, seed=0, lead=0.15):
    """Run a finds a mention with a chance of 0.5 + lead, run b with 0.5; both predict as much as there is gold."""
    random = np.random.default_rng(seed)
    gold = random.integers(1, 6, n_documents)
    return [np.column_stack([random.binomial(gold, chance), gold, gold]) for chance in (0.5 + lead, 0.5)]


def test_the_exact_p_value_is_that_of_scipy():
    sums_a, sums_b = two_runs(9)
    theirs = permutation_test(
        (sums_a[:, 0], sums_b[:, 0]),
        lambda a, b, axis: (a.sum(axis) - b.sum(axis)) / sums_a[:, 1].sum(),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    ours = paired_difference(f1, sums_a, sums_b)
    assert ours.value == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_the_random_p_value_is_near_the_exact_one_of_scipy():
    sums_a, sums_b = two_runs(16)
    theirs = permutation_test(
        (sums_a[:, 0], sums_b[:, 0]),
        lambda a, b, axis: a.sum(axis) - b.sum(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        batch=4096,
    )
    assert paired_difference(f1, sums_a, sums_b, n_draws=20_000).p_value == pytest.approx(theirs.pvalue, abs=0.01)


def test_the_interval_is_the_paired_bootstrap_of_scipy():
    sums_a, sums_b = two_runs(50)
    theirs = bootstrap(
        (*sums_a.T, *sums_b.T),
        lambda *columns, axis: f1_of_columns(*columns[:3], axis) - f1_of_columns(*columns[3:], axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = paired_difference(f1, sums_a, sums_b, n_draws=20_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_one_mention_a_document_is_the_sign_test():
    """40 documents that only run a gets right and 20 that only run b does, among many that they agree on."""
    right_a = np.repeat([1, 0, 1, 0], [40, 20, 500, 300])
    right_b = np.repeat([0, 1, 1, 0], [40, 20, 500, 300])
    ones = np.ones(len(right_a))
    found = paired_difference(share, np.column_stack([right_a, ones]), np.column_stack([right_b, ones]), n_draws=50_000)
    assert found.value == pytest.approx(20 / 860)
    assert found.p_value == pytest.approx(binomtest(40, 60).pvalue, abs=0.003)


def test_equal_runs_do_not_differ():
    sums, _ = two_runs(40)
    assert paired_difference(f1, sums, sums) == Difference(0.0, 0.0, 0.0, 1.0)


def test_the_better_run_is_found_and_its_p_value_is_never_zero():
    sums_a, sums_b = two_runs(400)
    found = paired_difference(f1, sums_a, sums_b, n_draws=999)
    assert 0 < found.low < found.value < found.high
    assert found.p_value == 1 / 1000


def test_swapping_the_runs_turns_the_difference_around():
    sums_a, sums_b = two_runs(30)
    there, back = paired_difference(f1, sums_a, sums_b), paired_difference(f1, sums_b, sums_a)
    assert there.value == -back.value
    assert there.p_value == pytest.approx(back.p_value, abs=0.05)


def test_pairing_sees_a_small_steady_lead_that_two_intervals_would_hide():
    """Run a finds one mention more in every document, though documents differ far more than that."""
    random = np.random.default_rng(0)
    gold = np.full(40, 50)
    right = random.integers(0, 49, 40)
    found = paired_difference(share, np.column_stack([right + 1, gold]), np.column_stack([right, gold]))
    assert found.low == pytest.approx(0.02)
    assert found.p_value < 0.01


def test_luck_is_called_luck_about_as_often_as_it_should_be():
    """Between equally good runs, p < 0.1 must come about once in ten times."""
    p_values = [paired_difference(f1, *two_runs(25, seed, lead=0.0), n_draws=300).p_value for seed in range(200)]
    assert 0.04 < np.mean(np.array(p_values) < 0.1) < 0.17


def test_columns_of_very_different_size_are_compared_exactly():
    sums_a = np.array([[1e-9, 1e6]] * 5)
    sums_b = np.array([[2e-9, 1e6]] * 5)
    assert paired_difference(share, sums_a, sums_b).p_value == 2 / 2**5


def test_an_undefined_statistic_is_no_difference():
    nothing = np.zeros((4, 2))
    assert paired_difference(share, nothing, nothing) == Difference(0.0, 0.0, 0.0, 1.0)
    assert paired_difference(share, nothing[:0], nothing[:0]) == Difference(0.0, 0.0, 0.0, 1.0)


def test_runs_over_other_documents_are_refused():
    with pytest.raises(DataError, match=r"same documents and sums.*\(3, 2\) and \(4, 2\)"):
        paired_difference(share, np.ones((3, 2)), np.ones((4, 2)))
