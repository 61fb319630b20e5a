"""Words beside the figures: short enough for a terminal, and for every figure there is."""

import pytest

from deixis.evaluation.linking.figures import Figure, linking_figures
from deixis.evaluation.linking.headlines import headlines
from deixis.reports.glossary import explained, grouped, overview_names

NAMES = [
    *(figure.name for figure in linking_figures((1, 10, 100))),
    "ece",
    "brier",
    "risk_coverage_area",
    "lang_macro_accuracy",
    "mentions_per_second",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_has_words_that_fit_beside_it(name):
    assert 0 < len(explained(name)) <= 24
    assert grouped([name])[0].title != "Others"


def test_groups_hold_every_figure_once():
    assert sorted(name for group in grouped(NAMES) for name in group.names) == sorted(NAMES)
    assert grouped(["new_figure"])[0].names == ("new_figure",)


def figures(*names):
    return [Figure(name, lambda columns: columns["n"], "n") for name in names]


def test_end_to_end_other_figures_come_first_than_with_given_mentions():
    given = [figure.name for figure in headlines(figures(*NAMES), is_end_to_end=False)]
    found = [figure.name for figure in headlines(figures(*NAMES), is_end_to_end=True)]
    assert "recall@100" in given and "span_f1" not in given
    assert "span_f1_weak" in found and "recall@100" not in found


def test_the_overview_has_only_what_all_datasets_have():
    assert overview_names([figures("accuracy", "recall@1"), figures("accuracy")], is_end_to_end=False) == ["accuracy"]
    assert overview_names([], is_end_to_end=False) == []
    assert len(overview_names([figures(*NAMES)], is_end_to_end=True, is_brief=True)) == 4
