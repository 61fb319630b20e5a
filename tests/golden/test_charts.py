"""One small chart, frozen letter by letter: a change of how charts look is a change somebody meant."""

from pathlib import Path

from deixis.reports.charts import Axis, Series, line_chart

FROZEN = Path(__file__).parent / "data" / "chart.svg"


def test_a_small_chart_is_drawn_as_it_was(golden_reason):
    tree = Series("tree", [1, 10, 100], [0.5, 0.8, 0.9], [0.4, 0.75, 0.875], [0.6, 0.85, 0.925])
    names = Series("names < all", [1, 10, 100], [0.25, 0.5, 0.6])
    drawn = line_chart("Recall", [tree, names], Axis("k", is_log=True), Axis("recall@k", 0, 1, is_percent=True)) + "\n"
    if golden_reason is not None:
        FROZEN.write_text(drawn, encoding="utf-8")
    assert drawn == FROZEN.read_text(encoding="utf-8")
