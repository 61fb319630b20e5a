"""Selection of spans that do not overlap."""

from __future__ import annotations

import bisect
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Overlaps = Literal["drop", "keep"]
"""Detected mentions that overlap: keep the best, or all that are likely enough."""


def best_apart(starts: NDArray[np.integer], ends: NDArray[np.integer], gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which spans to take so that no two overlap and their gains add up to the most; of equals the longer.

    Examples
    --------
    >>> best_apart(np.array([0, 0, 4]), np.array([3, 8, 8]), np.array([0.3, 0.7, 0.3])).tolist()
    [False, True, False]
    """
    is_taken = np.zeros(len(starts), dtype=bool)
    rows = np.flatnonzero(gains > 0)
    order = rows[np.lexsort((-starts[rows], ends[rows]))].tolist()
    begins, stops, worth = (column[order].tolist() for column in (starts, ends, gains))
    totals: list[float] = [0.0]
    befores: list[int] = []
    is_better: list[bool] = []
    for begin, gain in zip(begins, worth, strict=True):
        before = bisect.bisect_right(stops, begin, hi=len(befores))
        befores.append(before)
        is_better.append(totals[before] + gain >= totals[-1])
        totals.append(max(totals[before] + gain, totals[-1]))
    position = len(order)
    while position > 0:
        if is_better[position - 1]:
            is_taken[order[position - 1]] = True
            position = befores[position - 1]
        else:
            position -= 1
    return is_taken


def is_touched(
    starts: NDArray[np.int64], ends: NDArray[np.int64], begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which spans overlap one of the others, which are apart; these begin at `begins` and end at `stops`.

    Examples
    --------
    >>> is_touched(np.array([0, 4]), np.array([3, 8]), np.array([5]), np.array([6])).tolist()
    [False, True]
    """
    order = np.argsort(begins)
    positions = np.searchsorted(stops[order], starts, side="right")
    touched: NDArray[np.bool_] = np.append(begins[order], np.iinfo(np.int64).max)[positions] < ends
    return touched
