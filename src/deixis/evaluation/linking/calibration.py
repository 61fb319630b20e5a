"""How well confidences are calibrated: whether 0.8 means right in eight of ten cases.

Reliability bins and expected calibration error as in Guo et al. (ICML 2017, section 2); bins of equal mass as in
Nguyen and O'Connor (EMNLP 2015), which do not leave most bins empty where confidences crowd at one end. What a
threshold buys is in `risk_coverage`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.errors import ConfigError, DataError
from deixis.evaluation.statistics.bootstrap import N_DRAWS, Interval, interval_of, quotient, share_interval
from deixis.evaluation.statistics.resampling import Sums

N_BINS = 15


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """`n` answers with confidences above `low` and up to `high`: what they claimed on average, and how many were right.

    The first bin holds its lower edge too.
    """

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


def checked_confidences(confidence: ArrayLike, is_right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both as arrays of one number per answer, the second of 0 and 1.

    Examples
    --------
    >>> checked_confidences([0.5, 1.0], [True, False])
    (array([0.5, 1. ]), array([1., 0.]))
    """
    claimed, right = np.asarray(confidence, dtype=np.float64), np.asarray(is_right, dtype=np.float64)
    if claimed.ndim != 1 or claimed.shape != right.shape:
        raise DataError(f"Each answer needs a confidence and a verdict, got the shapes {claimed.shape}, {right.shape}.")
    is_outside = ~((claimed >= 0) & (claimed <= 1))
    if is_outside.any():
        first = int(np.argmax(is_outside))
        raise DataError(
            f"Answer {first} has the confidence {claimed[first]}; it must lie in 0..1. Calibrate the score."
        )
    if not np.isin(right, (0.0, 1.0)).all():
        raise DataError("An answer is right (1, true) or not (0, false); there is no other verdict.")
    return claimed, right


def checked_documents(documents: ArrayLike, n_answers: int) -> tuple[NDArray[np.intp], int]:
    """The number of each answer's document, counted from 0, and how many documents that makes.

    Examples
    --------
    >>> checked_documents([0, 2, 2], n_answers=3)
    (array([0, 2, 2]), 3)
    """
    numbers = np.asarray(documents, dtype=np.intp)
    if numbers.shape != (n_answers,) or numbers.min(initial=0) < 0:
        raise DataError(f"Each of {n_answers} answers needs its document's number from 0 on, got {numbers.shape}.")
    return numbers, int(numbers.max(initial=-1)) + 1


def reliability_bins(
    confidence: ArrayLike, is_right: ArrayLike, n_bins: int = N_BINS, *, equal_mass: bool = False
) -> list[ReliabilityBin]:
    """The bins that hold an answer, lowest first; of equal width, or of about equal numbers of answers.

    Equal confidences share a bin, so bins of equal mass can be fewer and uneven.

    Examples
    --------
    >>> for found in reliability_bins([0.9, 0.8, 0.7, 0.2], [True, True, False, False], n_bins=2):
    ...     print(found.low, found.high, found.n, round(found.confidence, 2), round(found.accuracy, 2))
    0.0 0.5 1 0.2 0.0
    0.5 1.0 3 0.8 0.67
    """
    claimed, right = checked_confidences(confidence, is_right)
    edges = _edges(claimed, n_bins, equal_mass)
    numbers = _bin_numbers(claimed, edges)
    n, claims, hits = (np.bincount(numbers, weights, n_bins) for weights in (None, claimed, right))
    return [
        ReliabilityBin(float(edges[i]), float(edges[i + 1]), int(n[i]), float(claims[i] / n[i]), float(hits[i] / n[i]))
        for i in np.flatnonzero(n)
    ]


def expected_calibration_error(
    confidence: ArrayLike, is_right: ArrayLike, n_bins: int = N_BINS, *, equal_mass: bool = False
) -> float:
    """The distance between claim and truth in a bin, averaged over answers: 0 is best, 0 also if there are none.

    Examples
    --------
    >>> round(expected_calibration_error([0.9, 0.8, 0.7, 0.2], [True, True, False, False], n_bins=2), 3)
    0.15
    """
    bins = reliability_bins(confidence, is_right, n_bins, equal_mass=equal_mass)
    n_answers = sum(one.n for one in bins)
    return sum(one.n * abs(one.accuracy - one.confidence) for one in bins) / max(1, n_answers)


def brier_score(confidence: ArrayLike, is_right: ArrayLike) -> float:
    """The mean squared distance of a confidence from its verdict (Brier, 1950): 0 is best, 0 also if there are none.

    Examples
    --------
    >>> round(brier_score([0.9, 0.2], [True, False]), 3)
    0.025
    """
    claimed, right = checked_confidences(confidence, is_right)
    return float(np.mean((claimed - right) ** 2)) if len(claimed) else 0.0


def brier_interval(
    confidence: ArrayLike, is_right: ArrayLike, documents: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS
) -> Interval:
    """The interval of the Brier score over documents; `documents` numbers each answer's document from 0 on.

    Examples
    --------
    >>> brier_interval([0.9, 0.9], [True, True], documents=[0, 1]).high < 0.011
    True
    """
    claimed, right = checked_confidences(confidence, is_right)
    numbers, _ = checked_documents(documents, len(claimed))
    return share_interval(np.bincount(numbers, (claimed - right) ** 2), np.bincount(numbers), seed, n_draws)


def calibration_error_interval(
    confidence: ArrayLike,
    is_right: ArrayLike,
    documents: ArrayLike,
    n_bins: int = N_BINS,
    *,
    equal_mass: bool = False,
    seed: int = 0,
    n_draws: int = N_DRAWS,
) -> Interval:
    """The interval of the expected calibration error over documents, in the bins that all of them make.

    Noise only adds to a distance, so the error of a draw is larger than that of the whole and the interval lies high;
    with few answers it can lie above the error itself.

    Examples
    --------
    >>> calibration_error_interval([0.75] * 4, [True, True, True, False], documents=[0, 0, 0, 0])
    Interval(low=0.0, high=0.0)
    """
    claimed, right = checked_confidences(confidence, is_right)
    numbers, n_documents = checked_documents(documents, len(claimed))
    bins = _bin_numbers(claimed, _edges(claimed, n_bins, equal_mass))
    gaps = np.bincount(numbers * n_bins + bins, right - claimed, minlength=n_documents * n_bins)
    sums = np.column_stack([gaps.reshape(n_documents, n_bins), np.bincount(numbers, minlength=n_documents)])
    return interval_of(_calibration_error_of_sums, sums, seed, n_draws)


def _calibration_error_of_sums(sums: Sums) -> NDArray[np.float64]:
    return quotient(np.abs(sums[:, :-1]).sum(axis=1), sums[:, -1])


def _edges(claimed: NDArray[np.float64], n_bins: int, equal_mass: bool) -> NDArray[np.float64]:
    if n_bins < 1:
        raise ConfigError(f"n_bins must be at least 1, got {n_bins}.")
    evenly = np.linspace(0.0, 1.0, n_bins + 1)
    return np.quantile(claimed, evenly) if equal_mass and len(claimed) else evenly


def _bin_numbers(claimed: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.searchsorted(edges[1:-1], claimed)
