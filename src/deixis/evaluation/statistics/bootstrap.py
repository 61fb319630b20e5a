"""How far a figure could have come out otherwise: percentile bootstrap over documents (Efron, 1979)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.evaluation.statistics.resampling import Sums, resampled_sums

N_DRAWS = 1000

Statistic = Callable[[Sums], NDArray[np.float64]]
"""Column sums [n_draws, n_columns] -> one value per draw [n_draws]; NaN where the sums leave it undefined."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that holds the middle 95 % of what other draws of documents would have given."""

    low: float
    high: float

    @classmethod
    def of(cls, values: ArrayLike) -> Interval:
        """The interval of the values of many draws; undefined ones (NaN) are left out, none at all give 0..0.

        Examples
        --------
        >>> Interval.of([0.5, 0.5, float("nan")])
        Interval(low=0.5, high=0.5)
        """
        defined = np.asarray(values, dtype=np.float64)
        defined = defined[~np.isnan(defined)]
        if len(defined) == 0:
            return cls(0.0, 0.0)
        low, high = np.percentile(defined, [2.5, 97.5])
        return cls(float(low), float(high))


def quotient(above: ArrayLike, below: ArrayLike) -> NDArray[np.float64]:
    """One over the other, NaN where `below` is 0: what a statistic needs, without a warning.

    Examples
    --------
    >>> quotient([1, 2], [4, 0])
    array([0.25,  nan])
    """
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    undefined = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    values: NDArray[np.float64] = np.divide(above, below, out=undefined, where=below != 0)
    return values


def interval_of(statistic: Statistic, sums: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS) -> Interval:
    """The interval of a statistic that is a function of sums over documents.

    `sums` has one row per document, documents with nothing among them, and one column per sum. The statistic maps
    column sums, one row per draw, to one value per draw; NaN where they leave it undefined.

    Examples
    --------
    Micro F1 of three documents from their right, predicted and gold mentions:

    >>> def f1(sums):
    ...     return quotient(2 * sums[:, 0], sums[:, 1] + sums[:, 2])
    >>> interval_of(f1, [[1, 1, 1], [1, 2, 1], [2, 2, 4]]).low  # three times the third document
    0.6666666666666666
    """
    return Interval.of(statistic(resampled_sums(sums, seed, n_draws)))


def share_interval(hits: ArrayLike, totals: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS) -> Interval:
    """The interval of sum(hits) / sum(totals), both given per document.

    Examples
    --------
    >>> share_interval([1, 1, 1], [1, 1, 1])
    Interval(low=1.0, high=1.0)
    >>> share_interval([1, 0] * 50, [1, 1] * 50).low > 0.3
    True
    """
    return interval_of(lambda sums: quotient(sums[:, 0], sums[:, 1]), np.column_stack([hits, totals]), seed, n_draws)
