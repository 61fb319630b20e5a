"""Charts of any numbers and any words are well-formed and stay on their sheet."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.reports.charts import Axis, Bars, Series, bar_chart, heat_map, line_chart

NUMBERS = st.floats() | st.integers(-3, 3) | st.floats(0, 1)
PLACES = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height")


def check(picture):
    svg = ElementTree.fromstring(picture)
    width, height = float(svg.get("width")), float(svg.get("height"))
    for shape in svg.iter():
        for name in PLACES:
            assert 0 <= float(shape.get(name, 0)) <= max(width, height), (shape.tag, name)
        for pair in shape.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=30), st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6)), max_size=10),
    st.text(max_size=80),
    st.booleans(),
)
def test_any_lines_can_be_drawn(lines, title, is_log):
    series = [Series(name, [x for x, _ in points], [y for _, y in points]) for name, points in lines]
    check(line_chart(title, series, Axis(title, is_log=is_log), Axis(title, is_percent=is_log), has_diagonal=True))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=40), NUMBERS, NUMBERS), max_size=12), st.text(max_size=80))
def test_any_bars_can_be_drawn(bars, title):
    names, values, ends = [b[0] for b in bars], [b[1] for b in bars], [b[2] for b in bars]
    check(bar_chart(title, names, [Bars(title, values, low=ends, high=values)], x_label=title))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(st.text(max_size=40), max_size=6), st.lists(st.text(max_size=40), max_size=6))
def test_any_heat_map_can_be_drawn(data, rows, columns):
    row = st.lists(NUMBERS, min_size=len(columns), max_size=len(columns))
    check(heat_map("Map", rows, columns, [data.draw(row) for _ in rows], is_percent=data.draw(st.booleans())))
