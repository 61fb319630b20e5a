"""Bars: one number for each of a few names, for one series or several side by side, with error bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deixis.errors import ConfigError, DataError
from deixis.reports.charts.drawing import box, group, rule, shortened, text, text_width
from deixis.reports.charts.frame import (
    WIDTH,
    Area,
    across,
    below,
    left_of,
    legend,
    legend_rows,
    no_data,
    sheet,
    top_of,
)
from deixis.reports.charts.scales import Axis, Scale, exact_label, scale_of
from deixis.reports.charts.theme import Look, look_of
from deixis.reports.markup import Content, Html

_HEIGHT = 360
_MAX_TURNED = 160.0
_TURN = -38


@dataclass(frozen=True)
class Bars:
    """A named row of numbers, one per group; `low` and `high` give their intervals, or are both empty. NaN is no bar.

    Examples
    --------
    >>> Bars("tree", [0.5, 0.8], low=[0.4, 0.7], high=[0.6, 0.9]).values
    [0.5, 0.8]
    """

    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    def __post_init__(self) -> None:
        if any(len(end) not in (0, len(self.values)) for end in (self.low, self.high)) or len(self.low) != len(
            self.high
        ):
            raise DataError(
                f"The bars {self.name!r} need as many low and high as values, got "
                f"{len(self.values)} values, {len(self.low)} low and {len(self.high)} high."
            )

    def interval(self, number: int) -> tuple[float, float] | None:
        """The ends of a bar's interval, if both are known."""
        if not len(self.low) or not (math.isfinite(self.low[number]) and math.isfinite(self.high[number])):
            return None
        return float(self.low[number]), float(self.high[number])


def bar_chart(
    title: str,
    groups: Sequence[str],
    series: Sequence[Bars],
    y: Axis | None = None,
    *,
    x_label: str = "",
    description: str = "",
) -> Html:
    """Bars from 0 on, those of a group side by side, with the group's name below.

    Examples
    --------
    >>> picture = bar_chart("Accuracy", ["de", "fr"], [Bars("tree", [0.5, 0.8])], Axis(is_percent=True))
    >>> "tree, de: 50.0%" in picture
    True
    """
    y = y or Axis()
    if y.is_log:
        raise ConfigError("Bars begin at 0, which a logarithmic axis does not have; draw lines instead.")
    for one in series:
        if len(one.values) != len(groups):
            raise DataError(f"The bars {one.name!r} have {len(one.values)} values for {len(groups)} groups.")
    shown = [value for one in series for value in one.values if math.isfinite(value)]
    if not shown:
        return no_data(title, description)
    ends = [end for one in series for number in range(len(groups)) for end in one.interval(number) or ()]
    names = [one.name for one in series]
    top = top_of(len(legend_rows(names)) if len(series) > 1 else 0)
    y = replace(y, low=y.low if y.low is not None else min(0.0, *shown, *ends) or 0.0)
    left = left_of(scale_of(y, [0.0, *shown, *ends], 0, 1).labels, bool(y.label))
    band = (WIDTH - 20 - left) / len(groups)
    is_turned = max(map(text_width, groups)) > band - 6
    room = min(_MAX_TURNED, max(map(text_width, groups))) * 0.62 + 20 if is_turned else 28
    area = Area(left, top, WIDTH - 20, _HEIGHT - room - (20 if x_label else 6))
    scale = scale_of(y, [0.0, *shown, *ends], area.bottom, area.top)
    looks = [look_of(number) for number in range(len(series))]
    parts: list[Content] = [across(scale, area, y.label)]
    for number, (one, look) in enumerate(zip(series, looks, strict=True)):
        parts.append(_row(one, groups, look, _Slots(area, len(groups), len(series), number), scale, y.is_percent))
    parts += [rule(area.left, scale.at(0), area.right, scale.at(0), "dx-mid"), _group_names(groups, area, is_turned)]
    parts.append(below(x_label, area, _HEIGHT - 12.0) if x_label else "")
    parts.append(legend(names, looks) if len(series) > 1 else "")
    return sheet(title, description or _summary(groups, series, y), _HEIGHT, parts)


@dataclass(frozen=True, slots=True)
class _Slots:
    """Where the bars of one series stand."""

    area: Area
    n_groups: int
    n_series: int
    number: int

    @property
    def width(self) -> float:
        return min(64.0, self.area.width / self.n_groups * 0.76 / self.n_series)

    def left(self, group_number: int) -> float:
        middle = self.area.left + (group_number + 0.5) * self.area.width / self.n_groups
        return middle + (self.number - self.n_series / 2) * self.width


def _row(one: Bars, groups: Sequence[str], look: Look, slots: _Slots, scale: Scale, is_percent: bool) -> Html:
    parts: list[Html] = []
    for number, value in enumerate(one.values):
        if not math.isfinite(value):
            continue
        interval = one.interval(number)
        tip = f"{one.name}, {groups[number]}: {exact_label(value, is_percent)}"
        if interval:
            tip += f", {exact_label(interval[0], is_percent)} to {exact_label(interval[1], is_percent)}"
        x, upper, lower = slots.left(number), scale.at(max(value, 0.0)), scale.at(min(value, 0.0))
        gap = min(1.0, slots.width / 8)
        kind = f"{look.name} dx-f dx-hit"
        parts.append(
            box(x + gap, upper, slots.width - 2 * gap, max(lower - upper, 0.5), kind, look.colour, tip, rx="1")
        )
        peak = upper
        if interval:
            parts += _error_bar(x + slots.width / 2, interval, scale, min(6.0, slots.width / 4))
            peak = min(upper, scale.at(interval[1]))
        words = f"{100 * value:.0f}" if is_percent else exact_label(round(value, 2))
        if value >= 0 and text_width(words, 11) <= slots.width + 4:
            parts.append(text(words, x + slots.width / 2, peak - 4, size=11, anchor="middle"))
    return group(parts)


def _error_bar(x: float, interval: tuple[float, float], scale: Scale, half: float) -> list[Html]:
    low, high = scale.at(interval[0]), scale.at(interval[1])
    return [
        rule(x, low + 1, x, high - 1, "dx-halo", stroke_width="3", stroke_opacity="0.7"),  # seen on bars of any colour
        rule(x, low, x, high, "dx-error"),
        rule(x - half, low, x + half, low, "dx-error"),
        rule(x - half, high, x + half, high, "dx-error"),
    ]


def _group_names(groups: Sequence[str], area: Area, is_turned: bool) -> Html:
    band = area.width / len(groups)
    every = max(1, math.ceil(14 / band))
    parts: list[Html] = []
    for number in range(0, len(groups), every):
        x, name = area.left + (number + 0.5) * band, groups[number]
        if is_turned:
            shown = shortened(name, min(_MAX_TURNED, x / math.cos(math.radians(_TURN))))
            parts.append(text(shown, x + 4, area.bottom + 14, kind="dx-soft", anchor="end", turn=_TURN, full=name))
        else:
            parts.append(text(name, x, area.bottom + 18, kind="dx-soft", anchor="middle"))
    return group(parts)


def _summary(groups: Sequence[str], series: Sequence[Bars], y: Axis) -> str:
    rows = []
    for one in series:
        pairs = zip(groups, one.values, strict=True)
        values = ", ".join(f"{name} {exact_label(v, y.is_percent)}" for name, v in pairs if math.isfinite(v))
        rows.append(f"{one.name}: {values}.")
    return " ".join([f"{y.label}." if y.label else "", *rows]).strip()
