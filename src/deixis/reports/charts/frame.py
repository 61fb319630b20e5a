"""What charts have in common: the sheet with its title, the axes, the legend."""

from __future__ import annotations

from dataclasses import dataclass

from deixis.reports.charts.drawing import box, coordinate, group, mark, rule, shortened, stacked, text, text_width
from deixis.reports.charts.scales import Scale
from deixis.reports.charts.theme import FONT, PAPER, STYLE, Look
from deixis.reports.markup import Content, Html, element

WIDTH = 640
_EDGE = 16
_TITLE = 38
_LEGEND_ROW = 20


@dataclass(frozen=True, slots=True)
class Area:
    """The part of the sheet that the data is drawn in."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


def sheet(title: str, description: str, height: float, parts: list[Content], width: float = WIDTH) -> Html:
    """The whole picture: good inside a page, and as a file of its own."""
    shown = shortened(title, width - 2 * _EDGE, 15)
    content: list[Content] = [
        element("title", title),
        element("desc", description),
        element("style", Html(STYLE)),
        box(0, 0, width, height, "dx-paper", PAPER),
        text(shown, _EDGE, 25, size=15, is_bold=True, full=title),
        *(part for part in parts if part),
    ]
    return element(
        "svg",
        "\n",
        stacked(content),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {coordinate(width)} {coordinate(height)}",
        width=coordinate(width),
        height=coordinate(height),
        role="img",
        aria_label=title,
        class_="dx-chart",
        font_family=FONT,
    )


def no_data(title: str, description: str = "") -> Html:
    """A chart that says that there is nothing to draw."""
    words = text("No data", WIDTH / 2, 110, size=14, kind="dx-soft", anchor="middle")
    return sheet(title, description or "No data.", 180, [words])


def top_of(n_legend_rows: int) -> float:
    """Where the data begins, below the title and the legend."""
    return _TITLE + 8 + n_legend_rows * (_LEGEND_ROW + 1)


def left_of(labels: tuple[str, ...], has_label: bool) -> float:
    """Where the data begins, right of the axis's label and numbers."""
    return _EDGE + (20 if has_label else 0) + max(map(text_width, labels), default=0.0) + 8


def across(scale: Scale, area: Area, label: str) -> Html:
    """The grid and the numbers of the axis at the left side, with its label turned."""
    lines = [rule(area.left, scale.at(tick), area.right, scale.at(tick)) for tick in scale.ticks]
    words = [
        text(name, area.left - 8, scale.at(tick) + 4, kind="dx-soft", anchor="end")
        for tick, name in zip(scale.ticks, scale.labels, strict=True)
    ]
    if label:
        shown = shortened(label, area.height)
        middle = (area.top + area.bottom) / 2
        words.append(text(shown, _EDGE + 8, middle, anchor="middle", turn=-90, full=label))
    return group(lines + words)


def along(scale: Scale, area: Area, label: str) -> Html:
    """The numbers of the axis at the bottom, as many as have room, with its label below."""
    parts = [rule(area.left, area.bottom, area.right, area.bottom, "dx-mid")]
    free_from = float("-inf")
    for tick, name in zip(scale.ticks, scale.labels, strict=True):
        x, half = scale.at(tick), text_width(name) / 2
        parts.append(rule(x, area.bottom, x, area.bottom + 5, "dx-mid"))
        if x - half >= free_from:
            parts.append(text(name, x, area.bottom + 19, kind="dx-soft", anchor="middle"))
            free_from = x + half + 6
    if label:
        parts.append(below(label, area, area.bottom + 38))
    return group(parts)


def below(label: str, area: Area, y: float) -> Html:
    """The label of the axis at the bottom."""
    shown = shortened(label, area.width)
    return text(shown, (area.left + area.right) / 2, y, anchor="middle", full=label)


def legend_rows(names: list[str]) -> list[list[tuple[int, str, float]]]:
    """Rows of (number of the series, its name as far as it fits, where it stands), from left to right.

    Examples
    --------
    >>> legend_rows(["tree", "BM25"])
    [[(0, 'tree', 16.0), (1, 'BM25', 74.08)]]
    """
    rows: list[list[tuple[int, str, float]]] = []
    x = float("inf")
    for number, name in enumerate(names):
        shown = shortened(name, 200)
        width = 18 + text_width(shown) + 18
        if x + width > WIDTH - _EDGE:
            rows.append([])
            x = float(_EDGE)
        rows[-1].append((number, shown, x))
        x += width
    return rows


def legend(names: list[str], looks: list[Look]) -> Html:
    """A mark and a name for each series, above the data."""
    parts: list[Html] = []
    for row, entries in enumerate(legend_rows(names)):
        y = _TITLE + 12 + row * _LEGEND_ROW
        for number, shown, x in entries:
            parts += [mark(looks[number], x + 6, y - 4, size=5), text(shown, x + 18, y, full=names[number])]
    return group(parts)
