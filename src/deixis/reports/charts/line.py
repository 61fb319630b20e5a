"""Lines: one number against another, for several series, with the intervals around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deixis.errors import DataError
from deixis.reports.charts.drawing import coordinate, group, mark, path_points, rule, shortened, text, text_width
from deixis.reports.charts.frame import WIDTH, Area, across, along, left_of, legend, legend_rows, no_data, sheet, top_of
from deixis.reports.charts.scales import Axis, Scale, exact_label, scale_of
from deixis.reports.charts.theme import Look, look_of
from deixis.reports.markup import Content, Html, element

_HEIGHT = 380
_LABEL_ROW = 16
_MAX_LABEL = 180.0
_MAX_MARKS = 24
_MAX_TIPS = 60

_Point = tuple[float, float, float, float]  # x, y, low, high


@dataclass(frozen=True)
class Series:
    """A named line; `low` and `high` give its interval, or are both empty. NaN leaves a gap.

    Examples
    --------
    >>> Series("tree", x=[1, 10], y=[0.5, 0.8], low=[0.4, 0.7], high=[0.6, 0.9]).name
    'tree'
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    def __post_init__(self) -> None:
        sizes = (len(self.x), len(self.y), len(self.low) or len(self.y), len(self.high) or len(self.y))
        if len(set(sizes)) > 1 or bool(len(self.low)) != bool(len(self.high)):
            raise DataError(
                f"The series {self.name!r} needs as many y, low and high as x, got "
                f"{len(self.x)} x, {len(self.y)} y, {len(self.low)} low and {len(self.high)} high."
            )

    @property
    def has_interval(self) -> bool:
        """Whether low and high are known."""
        return len(self.low) > 0

    def stretches(self, x: Axis, y: Axis) -> list[list[_Point]]:
        """The points without gaps, gap after gap."""
        stretches: list[list[_Point]] = [[]]
        lows, highs = (self.low, self.high) if self.has_interval else (self.y, self.y)
        for values in zip(self.x, self.y, lows, highs, strict=True):
            if x.shows(values[0]) and all(y.shows(value) for value in values[1:]):
                stretches[-1].append((float(values[0]), float(values[1]), float(values[2]), float(values[3])))
            elif stretches[-1]:
                stretches.append([])
        return [points for points in stretches if points]


def line_chart(
    title: str,
    series: Sequence[Series],
    x: Axis | None = None,
    y: Axis | None = None,
    *,
    description: str = "",
    has_diagonal: bool = False,
) -> Html:
    """A line per series over a common pair of axes, with its name at its end; a diagonal shows where y equals x.

    Examples
    --------
    >>> recall = Series("tree", x=[1, 10, 100], y=[0.5, 0.8, 0.9])
    >>> picture = line_chart("Recall", [recall], Axis("k", is_log=True), Axis("recall", low=0, high=1))
    >>> picture.startswith("<svg") and picture.endswith("</svg>")
    True
    """
    x, y = x or Axis(), y or Axis()
    lines = [(one.name, one.stretches(x, y)) for one in series]
    lines = [(name, stretches) for name, stretches in lines if stretches]
    if not lines:
        return no_data(title, description)
    points = [point for _, stretches in lines for stretch in stretches for point in stretch]
    at_end = _names_at_end(lines)
    top = top_of(0 if at_end or len(lines) == 1 else len(legend_rows([name for name, _ in lines])))
    bottom = _HEIGHT - (56.0 if x.label else 34.0)
    y_scale = scale_of(y, [value for point in points for value in point[1:]], bottom, top)
    right = WIDTH - (30 + max(text_width(shown) for shown in at_end) if at_end else 24)
    area = Area(left_of(y_scale.labels, bool(y.label)), top, right, bottom)
    x_scale = scale_of(x, [point[0] for point in points], area.left, area.right)
    looks = [look_of(number) for number in range(len(lines))]
    parts: list[Content] = [across(y_scale, area, y.label), along(x_scale, area, x.label)]
    if has_diagonal:
        parts.append(_diagonal(x_scale, y_scale))
    plot = _Plot(x, y, x_scale, y_scale)
    parts += [plot.bands(stretches, look) for (_, stretches), look in zip(lines, looks, strict=True)]
    parts += [plot.line(name, stretches, look) for (name, stretches), look in zip(lines, looks, strict=True)]
    if at_end:
        parts.append(_end_labels([name for name, _ in lines], at_end, [s[-1][-1] for _, s in lines], looks, plot, area))
    elif len(lines) > 1:
        parts.append(legend([name for name, _ in lines], looks))
    return sheet(title, description or _summary(lines, x, y), _HEIGHT, parts)


def _names_at_end(lines: list[tuple[str, list[list[_Point]]]]) -> list[str]:
    """The names as they stand at the lines' ends; empty for one line, or if some end early or are too many for that."""
    last = max(stretches[-1][-1][0] for _, stretches in lines)
    is_even = all(stretches[-1][-1][0] == last for _, stretches in lines)
    return [shortened(name, _MAX_LABEL) for name, _ in lines] if 1 < len(lines) <= 8 and is_even else []


@dataclass(frozen=True)
class _Plot:
    x: Axis
    y: Axis
    x_scale: Scale
    y_scale: Scale

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.x_scale.at(x), self.y_scale.at(y)

    def bands(self, stretches: list[list[_Point]], look: Look) -> Html:
        drawn = [
            element(
                "polygon",
                points=path_points([self.at(p[0], p[3]) for p in s] + [self.at(p[0], p[2]) for p in reversed(s)]),
                class_=f"{look.name} dx-f",
                fill=look.colour,
                fill_opacity="0.16",
            )
            for s in stretches
            if len(s) > 1 and any(p[2] != p[3] for p in s)
        ]
        return group(drawn)

    def line(self, name: str, stretches: list[list[_Point]], look: Look) -> Html:
        """The line, its marks if they are few, and the tooltips of its points."""
        drawn = [
            element(
                "polyline",
                points=path_points([self.at(point[0], point[1]) for point in stretch]),
                class_=f"{look.name} dx-l",
                fill="none",
                stroke=look.colour,
                stroke_width="2.2",
                stroke_linejoin="round",
                stroke_dasharray=look.dash or None,
            )
            for stretch in stretches
            if len(stretch) > 1
        ]
        points = [point for stretch in stretches for point in stretch]
        if len(points) <= _MAX_MARKS:
            drawn += [mark(look, *self.at(p[0], p[1]), tip=self.tip(name, p)) for p in points]
        else:
            drawn += [self.hit(name, p, look) for p in points[:: -(-len(points) // _MAX_TIPS)]]
        return group(drawn)

    def hit(self, name: str, point: _Point, look: Look) -> Html:
        """A place that can be pointed at though nothing is seen there."""
        x, y = self.at(point[0], point[1])
        title = element("title", self.tip(name, point))
        return element("circle", title, cx=coordinate(x), cy=coordinate(y), r=7, fill=look.colour, fill_opacity=0)

    def tip(self, name: str, point: _Point) -> str:
        x, y, low, high = point
        words = f"{name}: {exact_label(y, self.y.is_percent)} at {exact_label(x, self.x.is_percent)}"
        if low == high:
            return words
        return f"{words}, {exact_label(low, self.y.is_percent)} to {exact_label(high, self.y.is_percent)}"


def _diagonal(x: Scale, y: Scale) -> Html:
    low, high = max(x.low, y.low), min(x.high, y.high)
    if low >= high:
        return Html("")
    return rule(x.at(low), y.at(low), x.at(high), y.at(high), "dx-mid", dash="4 4")


def _end_labels(
    names: list[str], shown: list[str], ends: list[_Point], looks: list[Look], plot: _Plot, area: Area
) -> Html:
    """Each name beside the end of its line, moved up or down until no two overlap."""
    points = [plot.at(point[0], point[1]) for point in ends]
    heights = spread([y for _, y in points], _LABEL_ROW, area.top, area.bottom)
    parts: list[Html] = []
    for name, words, (x, y), height, look in zip(names, shown, points, heights, looks, strict=True):
        parts.append(
            element(
                "line",
                x1=coordinate(x + 5), y1=coordinate(y), x2=coordinate(area.right + 14), y2=coordinate(height),
                class_=f"{look.name} dx-l", stroke=look.colour, stroke_width="1.2",
            )
        )  # fmt: skip
        parts.append(text(words, area.right + 18, height + 4, full=name))
    return group(parts)


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places in the order of those wanted and as near as is simple, no two nearer than `gap`, none outside low..high.

    Examples
    --------
    >>> spread([50, 50, 90], gap=16, low=0, high=100)
    [42.0, 58.0, 90.0]
    >>> spread([98, 99], gap=16, low=0, high=100)
    [84.0, 100.0]
    """
    order = sorted(range(len(heights)), key=lambda number: (heights[number], number))
    clusters: list[tuple[float, int]] = []  # middle and size of neighbours that touch
    for number in order:
        middle, size = float(heights[number]), 1
        middle = min(max(middle, low), high)
        while clusters and middle - clusters[-1][0] < gap * (size + clusters[-1][1]) / 2:
            before, n_before = clusters.pop()
            middle = (before * n_before + middle * size) / (n_before + size)
            size += n_before
            half = gap * (size - 1) / 2
            middle = min(max(middle, low + half), high - half)
        clusters.append((middle, size))
    spread_heights = [0.0] * len(heights)
    placed = [middle + gap * (i - (size - 1) / 2) for middle, size in clusters for i in range(size)]
    for number, height in zip(order, placed, strict=True):
        spread_heights[number] = height
    return spread_heights


def _summary(lines: list[tuple[str, list[list[_Point]]]], x: Axis, y: Axis) -> str:
    words = [f"{y.label or 'y'} against {x.label or 'x'}."]
    for name, stretches in lines:
        (first_x, first_y, *_), (last_x, last_y, *_) = stretches[0][0], stretches[-1][-1]
        words.append(
            f"{name}: {exact_label(first_y, y.is_percent)} at {exact_label(first_x, x.is_percent)}, "
            f"{exact_label(last_y, y.is_percent)} at {exact_label(last_x, x.is_percent)}."
        )
    return " ".join(words)
