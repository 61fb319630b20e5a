"""From numbers to places in a picture, and the round numbers that stand beside an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deixis.errors import ConfigError

_N_TICKS = 5
_MAX_DECIMALS = 6
_TOO_LARGE = 1e100  # beyond it, sums and quotients of numbers may leave what a float can hold


@dataclass(frozen=True)
class Axis:
    """What an axis says, and where it begins and ends if the numbers are not to decide.

    `ticks` are the numbers to write beside it; none lets the chart choose round ones. `is_percent` writes 0.25 as 25%.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    is_log: bool = False
    is_percent: bool = False
    ticks: Sequence[float] = ()

    def __post_init__(self) -> None:
        if self.is_log and any(end is not None and end <= 0 for end in (self.low, self.high)):
            raise ConfigError(f"A logarithmic axis begins above 0, got {self.low}..{self.high}.")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ConfigError(f"An axis goes from a lower to a higher number, got {self.low}..{self.high}.")

    def shows(self, value: float) -> bool:
        """Whether the number has a place on such an axis at all."""
        return abs(value) < _TOO_LARGE and (value > 1 / _TOO_LARGE or not self.is_log)


@dataclass(frozen=True)
class Scale:
    """An axis between two places; what lies outside is drawn at its ends.

    Examples
    --------
    >>> scale = scale_of(Axis(low=0, high=1), [], start=100, end=200)
    >>> scale.at(0.25), scale.at(7), scale.ticks
    (125.0, 200.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def at(self, value: float) -> float:
        """Where the number is drawn."""
        low, high, number = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, number = math.log(low), math.log(high), math.log(number)
        return self.start + (number - low) / (high - low) * (self.end - self.start)


def scale_of(axis: Axis, values: Iterable[float], start: float, end: float) -> Scale:
    """The scale that holds all numbers, or those the axis asks for, and ends at round numbers where it may choose."""
    shown = [value for value in values if axis.shows(value)]
    low, high = _range(axis, shown)
    if axis.is_log:
        ticks = [tick for tick in axis.ticks or _log_ticks(low, high) if low <= tick <= high]
    else:
        step = nice_step(high - low)
        low = low if axis.low is not None else math.floor(low / step + 1e-9) * step
        high = high if axis.high is not None else math.ceil(high / step - 1e-9) * step
        ticks = [tick for tick in axis.ticks or _even_ticks(low, high, step) if low <= tick <= high]
    return Scale(low, high, start, end, axis.is_log, tuple(ticks), tick_labels(ticks, axis.is_percent))


def _range(axis: Axis, shown: list[float]) -> tuple[float, float]:
    low = axis.low if axis.low is not None else min(shown, default=1.0 if axis.is_log else 0.0)
    high = axis.high if axis.high is not None else max(shown, default=low + 1.0)
    if high - low > 1e-9 * max(abs(low), abs(high)) + 1 / _TOO_LARGE:
        return low, high
    if axis.is_log:
        return (low, low * 10.0) if axis.high is None else (high / 10.0, high)
    room = 0.1 * max(abs(low), abs(high))
    if room <= 1 / _TOO_LARGE:  # numbers next to nothing are drawn as nothing
        room = 0.5
    return (low if axis.low is not None else high - room, high if axis.high is not None else low + room)


def nice_step(span: float) -> float:
    """A round step, 1, 2, 2.5 or 5 times a power of ten, that makes about five of the span.

    Examples
    --------
    >>> nice_step(1.0), nice_step(0.43), nice_step(7300)
    (0.2, 0.1, 2000.0)
    """
    raw = span / _N_TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    return next(times * power for times in (1, 2, 2.5, 5, 10) if raw <= times * power * (1 + 1e-9))


def _even_ticks(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [min(max(float(f"{coordinate * step:.9g}"), low), high) for coordinate in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    times = (1, 2, 5) if last - first <= 3 else (1,)
    return [t * 10.0**power for power in range(first, last + 1) for t in times]


def tick_labels(ticks: Sequence[float], is_percent: bool = False) -> tuple[str, ...]:
    """The numbers in words as short as tells them apart, all with as many decimals.

    Examples
    --------
    >>> tick_labels([0.0, 0.25, 0.5]), tick_labels([0.0, 0.25], is_percent=True), tick_labels([1.0, 20000.0])
    (('0.00', '0.25', '0.50'), ('0%', '25%'), ('1', '20k'))
    """
    values = [tick * 100 if is_percent else tick for tick in ticks]
    span = max(map(abs, values), default=1.0) or 1.0
    n_decimals = next(
        (n for n in range(_MAX_DECIMALS) if all(abs(round(value, n) - value) <= 1e-6 * span for value in values)),
        _MAX_DECIMALS,
    )
    return tuple(_compact(value, n_decimals) + ("%" if is_percent else "") for value in values)


def _compact(value: float, n_decimals: int) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(size, 10_000):
            return f"{value / size:.3g}{letter}"
    return f"{value:.{n_decimals}f}" if n_decimals < _MAX_DECIMALS else f"{value:.3g}"


def exact_label(value: float, is_percent: bool = False) -> str:
    """A number as a tooltip gives it: to a tenth of a percent, or to four digits.

    Examples
    --------
    >>> exact_label(0.81234), exact_label(0.81234, is_percent=True), exact_label(3278.0)
    ('0.8123', '81.2%', '3,278')
    """
    if is_percent:
        return f"{100 * value:.1f}%"
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:,.4g}"
