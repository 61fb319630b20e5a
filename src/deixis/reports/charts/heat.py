"""Heat maps: a table whose cells are the darker the larger their number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deixis.errors import DataError
from deixis.reports.charts.drawing import box, group, shortened, text, text_width
from deixis.reports.charts.frame import WIDTH, Area, below, no_data, sheet, top_of
from deixis.reports.charts.scales import exact_label, tick_labels
from deixis.reports.charts.theme import look_of
from deixis.reports.markup import Content, Html

_EDGE = 16
_MAX_NAME = 150.0
_CELL = 34.0


def heat_map(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    x_label: str = "",
    y_label: str = "",
    is_percent: bool = False,
    description: str = "",
) -> Html:
    """A cell per row and column with its number in it; the largest number is darkest, 0 and below are empty, NaN too.

    Examples
    --------
    >>> picture = heat_map("Types", ["city", "person"], ["city", "person"], [[9, 1], [0, 4]])
    >>> "city, person: 1" in picture
    True
    """
    if len(values) != len(rows) or any(len(row) != len(columns) for row in values):
        raise DataError(f"The map has {len(rows)} rows and {len(columns)} columns; the numbers do not fill them.")
    shown = [value for row in values for value in row if math.isfinite(value)]
    if not shown:
        return no_data(title, description)
    names = [shortened(name, _MAX_NAME) for name in rows]
    left = _EDGE + (20 if y_label else 0) + max(map(text_width, names)) + 8
    width = min(90.0, (WIDTH - 20 - left) / len(columns))
    is_turned = max(map(text_width, columns)) > width - 6
    top = top_of(0) + (min(_MAX_NAME, max(map(text_width, columns))) + 12 if is_turned else 20)
    height = min(_CELL, max(14.0, 480 / len(rows)))
    area = Area(left, top, left + width * len(columns), top + height * len(rows))
    most = max(0.0, *shown)
    numbers = _numbers(values, width - 4, is_percent)
    cells: list[Html] = []
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if math.isfinite(value):
                tip = f"{rows[i]}, {columns[j]}: {exact_label(value, is_percent)}"
                corner = (left + j * width, top + i * height)
                fraction = max(0.0, value / most) if most else 0.0
                cells += _cell(Area(*corner, corner[0] + width, corner[1] + height), fraction, numbers[i][j], tip)
    parts: list[Content] = [
        group(cells),
        _row_names(rows, names, area, height),
        _column_names(columns, area, is_turned),
    ]
    if y_label:
        parts.append(text(shortened(y_label, max(area.height, 60)), _EDGE + 8, (top + area.bottom) / 2,
                          anchor="middle", turn=-90, full=y_label))  # fmt: skip
    if x_label:
        parts.append(below(x_label, area, area.bottom + 22))
    total = area.bottom + (36 if x_label else 16)
    return sheet(title, description or _summary(rows, columns, values, is_percent), total, parts)


def _numbers(values: Sequence[Sequence[float]], width: float, is_percent: bool) -> list[list[str]]:
    """What stands in the cells: the numbers, or short forms of them, or nothing anywhere if some would not fit."""
    wide = [[_number(value, is_percent) for value in row] for row in values]
    short = [[tick_labels([value])[0] if abs(value) >= 1000 else words for value, words in zip(*rows, strict=True)]
             for rows in zip(values, wide, strict=True)]  # fmt: skip
    for table in (wide, short):
        if max(text_width(words) for row in table for words in row) <= width:
            return table
    return [[""] * len(row) for row in values]


def _number(value: float, is_percent: bool) -> str:
    if not math.isfinite(value) or value == 0:
        return ""
    return f"{100 * value:.0f}" if is_percent else exact_label(round(value, 2))


def _cell(area: Area, fraction: float, words: str, tip: str) -> list[Html]:
    look = look_of(0)
    opacity = 0.05 + 0.95 * fraction**0.7 if fraction else 0.03
    kind = f"{look.name} dx-f dx-hit"
    parts = [
        box(area.left + 1, area.top + 1, area.width - 2, area.height - 2, kind, look.colour, tip,
            fill_opacity=f"{opacity:.2f}", rx="2")
    ]  # fmt: skip
    if words:
        # On a middling blue dark words read best in light and dark alike; on the strongest, white ones do in light.
        colour = "dx-ink" if opacity <= 0.6 else "dx-dark" if opacity <= 0.85 else "dx-on"
        middle = ((area.left + area.right) / 2, (area.top + area.bottom) / 2 + 4)
        parts.append(text(words, *middle, kind=colour, anchor="middle"))
    return parts


def _row_names(rows: Sequence[str], names: list[str], area: Area, height: float) -> Html:
    parts = [
        text(shown, area.left - 6, area.top + (i + 0.5) * height + 4, anchor="end", full=rows[i], kind="dx-soft")
        for i, shown in enumerate(names)
    ]
    return group(parts)


def _column_names(columns: Sequence[str], area: Area, is_turned: bool) -> Html:
    width = area.width / len(columns)
    parts: list[Html] = []
    for j, name in enumerate(columns):
        x = area.left + (j + 0.5) * width
        if is_turned:
            shown = shortened(name, _MAX_NAME)
            parts.append(text(shown, x + 4, area.top - 6, kind="dx-soft", turn=-90, full=name))
        else:
            parts.append(text(name, x, area.top - 8, kind="dx-soft", anchor="middle"))
    return group(parts)


def _summary(rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], is_percent: bool) -> str:
    cells = [
        (value, rows[i], columns[j])
        for i, row in enumerate(values)
        for j, value in enumerate(row)
        if math.isfinite(value) and value > 0
    ]
    largest = sorted(cells, key=lambda cell: -cell[0])[:10]
    summary = ", ".join(f"{row} and {column} {exact_label(value, is_percent)}" for value, row, column in largest)
    return f"Largest: {summary}." if summary else "All cells are 0."
