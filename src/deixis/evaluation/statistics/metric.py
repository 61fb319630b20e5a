"""One measured figure and how far it could have come out otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from deixis.evaluation.statistics.bootstrap import Interval


@dataclass(frozen=True, slots=True)
class Metric:
    """The proportion of `n` things, with the interval that other documents might have given."""

    name: str
    value: float
    interval: Interval
    n: int
