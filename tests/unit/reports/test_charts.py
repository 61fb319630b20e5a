"""Charts that are well-formed, hold what they were given, and draw it where it belongs."""

import html
import re
from xml.etree import ElementTree

import pytest

from deixis.errors import ConfigError, DataError
from deixis.reports.charts import Axis, Bars, Series, bar_chart, heat_map, line_chart
from deixis.reports.charts.theme import STYLE, look_of
from deixis.reports.markup import joined
from deixis.reports.shell import html_page

NAN = float("nan")
SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</title><script>alert('1')</script> & \"x\" \x00\ud800"
SHARE = Axis("recall", 0, 1, is_percent=True)

RECALL = line_chart(
    "Recall",
    [
        Series("tree", [1, 10, 100], [0.5, 0.8, 0.9], [0.4, 0.7, 0.85], [0.6, 0.9, 0.95]),
        Series("BM25", [1, 10, 100], [0.4, 0.7, 0.9]),
    ],
    Axis("k", is_log=True),
    SHARE,
)
ACCURACY = bar_chart(
    "Accuracy",
    ["de", "fr", "it"],
    [Bars("tree", [0.5, 0.8, NAN], [0.4, 0.7, NAN], [0.6, 0.9, NAN]), Bars("BM25", [0.4, 0.2, 0.0])],
    SHARE,
    x_label="language",
)
TYPES = heat_map("Types", ["city", "person"], ["city", "person"], [[90, 1], [0, NAN]], x_label="said", y_label="is")
NASTY_CHARTS = [
    line_chart(NASTY, [Series(NASTY, [1, 2], [1, 2]), Series("b", [1, 2], [3, 4])], Axis(NASTY), Axis(NASTY)),
    bar_chart(NASTY, [NASTY, "b"], [Bars(NASTY, [1, 2]), Bars("c", [1, 2])], Axis(NASTY), x_label=NASTY),
    heat_map(NASTY, [NASTY], [NASTY], [[1]], x_label=NASTY, y_label=NASTY, description=NASTY),
    line_chart(NASTY, []),
]


def root(picture):
    return ElementTree.fromstring(picture)


def words(picture):
    return [found.text for found in root(picture).iter(f"{SVG}text")]


def tips(picture):
    return [found.text for found in root(picture).iter(f"{SVG}title")]


def points(picture, tag):
    return [
        [tuple(map(float, pair.split(","))) for pair in found.get("points").split()]
        for found in root(picture).iter(f"{SVG}{tag}")
    ]


def frame(picture):
    """The edges of the data: the grid's lines give left, right, top and bottom."""
    lines = [found for found in root(picture).iter(f"{SVG}line") if found.get("class") == "dx-rule"]
    heights = [float(line.get("y1")) for line in lines]
    return float(lines[0].get("x1")), float(lines[0].get("x2")), min(heights), max(heights)


@pytest.mark.parametrize("picture", [RECALL, ACCURACY, TYPES, *NASTY_CHARTS])
def test_every_chart_is_well_formed_and_says_what_it_is(picture):
    svg = root(picture)
    assert svg.tag == f"{SVG}svg"
    assert svg.get("role") == "img"
    assert svg.get("viewBox").startswith("0 0 640 ")
    assert svg[0].tag == f"{SVG}title"
    assert svg[0].text == svg.get("aria-label")
    assert svg[1].tag == f"{SVG}desc"
    assert svg[1].text


@pytest.mark.parametrize("picture", NASTY_CHARTS)
def test_names_are_shown_and_never_obeyed(picture):
    assert not list(root(picture).iter(f"{SVG}script"))
    assert "<script" not in picture
    assert root(picture)[0].text == "</title><script>alert('1')</script> & \"x\" \ufffd\ufffd"


@pytest.mark.parametrize("picture", [RECALL, ACCURACY, TYPES])
def test_a_chart_needs_no_script_no_network_and_no_inline_style(picture):
    assert "style=" not in picture
    assert "url(" not in picture
    assert "href" not in picture
    assert re.findall(r"<style>(.*?)</style>", picture) == [STYLE]


def test_a_page_lets_charts_have_their_style():
    page = html_page("Two charts", joined([RECALL, ACCURACY]))
    policy = re.search(r"style-src (.*?); script-src", html.unescape(page)).group(1)
    assert len(policy.split()) == 2


def test_lines_stay_inside_and_larger_numbers_stand_higher():
    left, right, top, bottom = frame(RECALL)
    lines = points(RECALL, "polyline")
    assert [len(line) for line in lines] == [3, 3]
    for line in [*lines, points(RECALL, "polygon")[0]]:
        assert all(left <= x <= right and top <= y <= bottom for x, y in line)
    assert lines[0][0][1] > lines[0][1][1] > lines[0][2][1]
    assert lines[0][0][1] == pytest.approx((top + bottom) / 2, abs=0.1)


def test_a_logarithmic_axis_gives_every_power_of_ten_the_same_room():
    (one, _), (ten, _), (hundred, _) = points(RECALL, "polyline")[0]
    assert ten - one == pytest.approx(hundred - ten, abs=0.2)
    assert {"1", "2", "5", "10", "20", "50", "100"} <= set(words(RECALL))


def test_numbers_outside_of_the_axis_are_drawn_at_its_end():
    picture = line_chart("Out", [Series("a", [0, 1, 2], [-5, 0.5, 7])], Axis(low=0, high=1), Axis(low=0, high=1))
    left, right, top, bottom = frame(picture)
    assert points(picture, "polyline")[0] == [(left, bottom), (right, (top + bottom) / 2), (right, top)]


def test_the_band_goes_along_the_upper_ends_and_back_along_the_lower():
    upper_then_lower = next(shape for shape in points(RECALL, "polygon") if len(shape) == 6)
    assert [x for x, _ in upper_then_lower[:3]] == [x for x, _ in reversed(upper_then_lower[3:])]
    assert all(
        up[1] < down[1] for up, down in zip(upper_then_lower, reversed(upper_then_lower), strict=True) if up < down
    )


def test_titles_labels_names_and_numbers_are_there_to_read():
    assert {"Recall", "k", "recall", "tree", "BM25", "0%", "100%"} <= set(words(RECALL))
    assert {"Accuracy", "language", "recall", "de", "fr", "it", "tree", "BM25", "80"} <= set(words(ACCURACY))
    assert {"Types", "said", "is", "city", "person", "90", "1"} <= set(words(TYPES))


def test_a_pointer_is_told_the_exact_numbers():
    assert "tree: 80.0% at 10, 70.0% to 90.0%" in tips(RECALL)
    assert "tree, fr: 80.0%, 70.0% to 90.0%" in tips(ACCURACY)
    assert "city, person: 1" in tips(TYPES)


def test_the_description_tells_the_numbers_to_those_who_do_not_see_them():
    assert "tree: 50.0% at 1, 90.0% at 100." in root(RECALL)[1].text
    assert "BM25: de 40.0%, fr 20.0%, it 0.0%." in root(ACCURACY)[1].text
    assert root(TYPES)[1].text == "Largest: city and city 90, city and person 1."


def test_series_differ_in_more_than_colour():
    assert len({(look_of(i).dash, look_of(i).mark) for i in range(4)}) == 4
    assert len({(look_of(i).name, look_of(i).dash) for i in range(30)}) == 30
    dashes = [line.get("stroke-dasharray") for line in root(RECALL).iter(f"{SVG}polyline")]
    assert len(set(dashes)) == 2


def test_a_gap_in_the_numbers_is_a_gap_in_the_line():
    picture = line_chart("Gap", [Series("a", [1, 2, 3, 4, 5], [1, 2, NAN, 3, 4])])
    assert [len(line) for line in points(picture, "polyline")] == [2, 2]


def test_a_long_line_has_no_marks_but_can_be_pointed_at():
    picture = line_chart("Long", [Series("a", list(range(5000)), list(range(5000)))])
    assert 30 <= len(list(root(picture).iter(f"{SVG}circle"))) <= 60
    assert all(circle.get("fill-opacity") == "0" for circle in root(picture).iter(f"{SVG}circle"))


def test_the_diagonal_runs_where_y_is_x():
    picture = line_chart("Calibration", [Series("a", [0.5], [0.4])], Axis(low=0, high=1), SHARE, has_diagonal=True)
    left, right, top, bottom = frame(picture)
    (line,) = (found for found in root(picture).iter(f"{SVG}line") if found.get("stroke-dasharray"))
    assert [float(line.get(end)) for end in ("x1", "y1", "x2", "y2")] == pytest.approx([left, bottom, right, top])


@pytest.mark.parametrize(
    "picture",
    [
        line_chart("Empty", []),
        line_chart("Empty", [Series("a", [], [])]),
        line_chart("Empty", [Series("a", [1, 2], [NAN, float("inf")])]),
        line_chart("Empty", [Series("a", [0, -1], [1, 2])], Axis(is_log=True)),
        bar_chart("Empty", [], []),
        bar_chart("Empty", ["a"], [Bars("b", [NAN])]),
        heat_map("Empty", [], [], []),
        heat_map("Empty", ["a"], ["b"], [[NAN]]),
    ],
)
def test_without_data_a_chart_says_so(picture):
    assert words(picture) == ["Empty", "No data"]


def test_bars_begin_at_zero_and_their_heights_are_their_numbers():
    picture = bar_chart("Bars", ["a", "b"], [Bars("n", [2, 4])])
    first, second = (found for found in root(picture).iter(f"{SVG}rect") if found.get("class").startswith("dx-1"))
    _, _, _, bottom = frame(picture)
    for bar in (first, second):
        assert float(bar.get("y")) + float(bar.get("height")) == pytest.approx(bottom, abs=0.2)
    assert float(second.get("height")) == pytest.approx(2 * float(first.get("height")), abs=0.2)


def test_bars_of_a_group_stand_side_by_side_and_a_missing_one_leaves_its_place():
    bars = [found for found in root(ACCURACY).iter(f"{SVG}rect") if "dx-hit" in found.get("class")]
    assert len(bars) == 5
    edges = sorted((float(bar.get("x")), float(bar.get("x")) + float(bar.get("width"))) for bar in bars)
    assert all(end <= begin for (_, end), (begin, _) in zip(edges, edges[1:], strict=False))


def test_negative_bars_hang_below_zero():
    picture = bar_chart("Change", ["a", "b"], [Bars("n", [-2, 4])])
    first, second = (found for found in root(picture).iter(f"{SVG}rect") if found.get("class").startswith("dx-1"))
    assert float(first.get("y")) == pytest.approx(float(second.get("y")) + float(second.get("height")), abs=0.2)


def test_an_error_bar_spans_its_interval():
    picture = bar_chart("Bars", ["a"], [Bars("n", [0.5], [0.25], [0.75])], Axis(low=0, high=1))
    _, _, top, bottom = frame(picture)
    stem = next(line for line in root(picture).iter(f"{SVG}line") if line.get("class") == "dx-error")
    assert float(stem.get("y1")) == pytest.approx(bottom - 0.25 * (bottom - top), abs=0.1)
    assert float(stem.get("y2")) == pytest.approx(bottom - 0.75 * (bottom - top), abs=0.1)


def test_long_names_are_turned_and_shortened_but_told_in_full():
    names = [f"a very long name of an error class, number {i}" for i in range(8)]
    picture = bar_chart("Errors", names, [Bars("n", list(range(8)))])
    turned = [found for found in root(picture).iter(f"{SVG}text") if "rotate(-38" in found.get("transform", "")]
    assert len(turned) == 8
    assert all("…" in found.text for found in turned)
    assert set(names) <= set(tips(picture))


def test_hundreds_of_groups_do_not_write_over_each_other():
    picture = bar_chart("Many", [str(i) for i in range(300)], [Bars("n", [1] * 300)])
    assert len(words(picture)) < 60


def test_a_darker_cell_is_a_larger_number_and_all_numbers_are_shown_or_none():
    cells = [found for found in root(TYPES).iter(f"{SVG}rect") if "dx-hit" in found.get("class")]
    shades = [float(cell.get("fill-opacity")) for cell in cells]
    assert len(shades) == 3
    assert shades[0] == 1.0 > shades[1] > shades[2]
    wide = heat_map("Wide", ["a"], [f"c{i}" for i in range(40)], [[1] * 39 + [123456]])
    assert not {"1", "123,456"} & set(words(wide))


def test_no_two_names_at_the_ends_of_lines_overlap():
    lines = [Series(f"s{i}", [0, 1], [0, 0.5 + i / 1000]) for i in range(8)]
    picture = line_chart("Close", lines)
    heights = sorted(float(found.get("y")) for found in root(picture).iter(f"{SVG}text") if found.text[0] == "s")
    assert len(heights) == 8
    assert all(below - above >= 15.9 for above, below in zip(heights, heights[1:], strict=False))


def test_many_series_get_a_legend_above():
    lines = [Series(f"system {i}", [0, 1], [i, i]) for i in range(12)]
    assert {f"system {i}" for i in range(12)} <= set(words(line_chart("Many", lines)))


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(DataError, match="'a' needs as many y, low and high as x, got 2 x, 1 y, 0 low and 0 high"):
        Series("a", [1, 2], [1])
    with pytest.raises(DataError, match="1 low and 0 high"):
        Series("a", [1], [1], low=[1])
    with pytest.raises(DataError, match="'b' need as many low and high as values"):
        Bars("b", [1, 2], [1], [2])
    with pytest.raises(DataError, match="'b' have 1 values for 2 groups"):
        bar_chart("Bars", ["x", "y"], [Bars("b", [1])])
    with pytest.raises(DataError, match="1 rows and 2 columns"):
        heat_map("Heat", ["x"], ["y", "z"], [[1]])
    with pytest.raises(ConfigError, match="Bars begin at 0"):
        bar_chart("Bars", ["x"], [Bars("b", [1])], Axis(is_log=True))
