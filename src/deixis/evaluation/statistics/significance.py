"""Whether one run is better than another on the same documents, or was lucky.

The interval of the difference is a paired bootstrap: a document is drawn with both runs' results. The p-value is an
approximate randomization test (Noreen, 1989, "Computer-Intensive Methods for Testing Hypotheses"; for F-scores see
Yeh, COLING 2000): if the runs were equally good, swapping their results in any document would change nothing. It is
two-sided, and a random draw's own place is counted (Phipson and Smyth, 2010), so that it is never 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.errors import DataError
from deixis.evaluation.statistics.bootstrap import N_DRAWS, Interval, Statistic
from deixis.evaluation.statistics.resampling import Sums, checked_sums, chunk_sizes, grouped, resampled_sums

_SAME = 1e-12  # relative: differences this near are one difference that was rounded twice


@dataclass(frozen=True, slots=True)
class Difference:
    """Run a minus run b, the 95 % interval of it, and how likely one as large is between equally good runs."""

    value: float
    low: float
    high: float
    p_value: float


def paired_difference(
    statistic: Statistic, sums_a: ArrayLike, sums_b: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS
) -> Difference:
    """How much larger the statistic is in run a than in run b, over the same documents in the same order.

    Documents in which the runs do not differ count in the interval and not in the p-value. Where few differ, all ways
    to swap them are tried and the p-value is exact. A statistic that is undefined for one of the runs gives 0, p = 1.

    Statistic and sums are those of `interval_of`.

    Examples
    --------
    Run a is right in nine documents, run b in five of them:

    >>> def accuracy(sums):
    ...     return sums[:, 0] / sums[:, 1]
    >>> sums_a = [[1, 1]] * 9 + [[0, 1]]
    >>> sums_b = [[1, 1]] * 5 + [[0, 1]] * 5
    >>> difference = paired_difference(accuracy, sums_a, sums_b)
    >>> round(difference.value, 3), difference.p_value
    (0.4, 0.125)
    """
    shape_a, shape_b = np.shape(sums_a), np.shape(sums_b)
    if shape_a != shape_b:
        raise DataError(f"The runs must hold the same documents and sums, got the shapes {shape_a} and {shape_b}.")
    both = checked_sums(np.concatenate([np.asarray(sums_a), np.asarray(sums_b)]))  # one rounding for both runs
    pairs = np.hstack(np.split(both, 2))
    value = float(_differences(statistic, pairs.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Difference(0.0, 0.0, 0.0, 1.0)
    interval = Interval.of(_differences(statistic, resampled_sums(pairs, seed, n_draws)))
    return Difference(value, interval.low, interval.high, _p_value(statistic, pairs, value, seed, n_draws))


def _differences(statistic: Statistic, sums_of_pairs: Sums) -> NDArray[np.float64]:
    middle = sums_of_pairs.shape[1] // 2
    return statistic(sums_of_pairs[:, :middle]) - statistic(sums_of_pairs[:, middle:])


def _p_value(statistic: Statistic, pairs: Sums, value: float, seed: int, n_draws: int) -> float:
    middle = pairs.shape[1] // 2
    gains = pairs[:, middle:] - pairs[:, :middle]  # what swapping a document adds to run a and takes from run b
    gains, n_times = grouped(gains[gains.any(axis=1)])
    n_differing = int(n_times.sum())
    is_exact = n_differing < n_draws.bit_length()  # 2^n_differing ways are at most n_draws
    if is_exact:
        gains, n_times = np.repeat(gains, n_times, axis=0), np.ones(n_differing, dtype=np.int64)
    swaps = _all_swaps(n_differing) if is_exact else _random_swaps(np.random.default_rng(seed), n_times, n_draws)
    totals = pairs.sum(axis=0)
    n_as_large = n_tried = 0
    for n_swapped in swaps:
        moved = n_swapped @ gains
        differences = _differences(statistic, totals + np.concatenate([moved, -moved], axis=1))
        is_as_large = np.isnan(differences) | (np.abs(differences) >= abs(value) * (1 - _SAME))
        n_as_large += int(is_as_large.sum())
        n_tried += len(differences)
    return n_as_large / n_tried if is_exact else (n_as_large + 1) / (n_tried + 1)


def _all_swaps(n_differing: int) -> Iterator[NDArray[np.float64]]:
    subsets = np.arange(2**n_differing)[:, None]
    yield (subsets >> np.arange(n_differing) & 1).astype(np.float64)


def _random_swaps(
    random: np.random.Generator, n_times: NDArray[np.int64], n_draws: int
) -> Iterator[NDArray[np.float64]]:
    for n_rows in chunk_sizes(n_draws, len(n_times)):
        if (n_times == 1).all():
            yield random.integers(2, size=(n_rows, len(n_times)), dtype=np.uint8).astype(np.float64)
        else:
            yield random.binomial(n_times, 0.5, size=(n_rows, len(n_times))).astype(np.float64)
