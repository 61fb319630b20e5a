"""The page of all methods: every figure is a recorded row."""

import pytest

from benchmarks.methods import METHODS, hours_per_million, method_lines, minutes
from benchmarks.rows import RESULTS
from benchmarks.suites.results import read_results, row_key
from benchmarks.tables import ROOT, cell


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_has_its_rows_and_a_page(name):
    by_key = {row_key(row): row for row in read_results(RESULTS)}
    assert len(method_lines(name, by_key, cell)) == 2 + len(METHODS[name])
    for method in METHODS[name]:
        assert (ROOT / "docs" / "explanation" / method.page).is_file(), method.page


def test_a_figure_without_a_row_is_an_error():
    with pytest.raises(ValueError, match=r"No row .* in results"):
        method_lines("linking", {}, cell)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(3.6, "s/1000", "1.0 h"), (0.36, "ms", "6 min"), (1000.0, "1/s", "17 min"), (0.03, "s/1000", "30 s")],
)
def test_costs_are_processor_time_of_a_million(value, unit, shown):
    assert hours_per_million({"suite": "s", "metric": "m", "value": value, "unit": unit}) == shown


def test_a_unit_that_is_no_cost_is_an_error():
    with pytest.raises(ValueError, match="no cost of a million"):
        hours_per_million({"suite": "s", "metric": "m", "value": 1.0, "unit": "share"})


def test_training_is_told_in_seconds_or_minutes():
    assert [minutes({"value": value}) for value in (12.4, 300.0)] == ["12 s", "5 min"]
