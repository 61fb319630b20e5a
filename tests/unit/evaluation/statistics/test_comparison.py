"""Two runs side by side."""

import pytest

from deixis.errors import DataError
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.statistics.comparison import Comparison, compared
from deixis.evaluation.statistics.significance import Difference
from deixis.types import Document, Mention


def gold(number, entity="A"):
    return Document(str(number), "Troy", mentions=(Mention(0, 4, "Troy", entity),))


def run(answers, order=None):
    tally = Tally(resolve=None)
    for number in order or range(len(answers)):
        tally.add(gold(number), gold(number, answers[number]))
    return tally


def test_the_difference_is_that_of_the_figures():
    (found,) = compared(run("AAAA"), run("AAXX"), ["accuracy"])
    assert (found.value_a, found.value_b, found.difference.value) == (1.0, 0.5, 0.5)


def test_documents_are_paired_whatever_their_order():
    straight = compared(run("AXAXAXAA"), run("XXAXAXAX"), ["inkb_micro_f1"])
    mixed = compared(run("AXAXAXAA"), run("XXAXAXAX", order=[7, 3, 0, 1, 2, 6, 5, 4]), ["inkb_micro_f1"])
    assert straight == mixed


def test_a_run_does_not_differ_from_itself():
    (found,) = compared(run("AXAX"), run("AXAX"), ["accuracy"])
    assert (found.difference.value, found.difference.p_value) == (0.0, 1.0)


def test_runs_over_other_documents_are_refused():
    with pytest.raises(DataError, match="one has 3, the other 2, and 2 of them have the same 'id'"):
        compared(run("AAA"), run("AA"), ["accuracy"])


def test_runs_against_other_gold_are_refused():
    other = Tally(resolve=None)
    other.add(gold(0), gold(0))
    other.add(gold(1).with_mentions([]), gold(1))
    with pytest.raises(DataError, match="different gold: 1 documents"):
        compared(run("AA"), other, ["accuracy"])


@pytest.mark.parametrize(
    ("value", "p_value", "verdict"),
    [(0.1, 0.049, "better"), (-0.1, 0.049, "worse"), (0.1, 0.05, "unclear"), (0.0, 1.0, "unclear")],
)
def test_a_difference_that_may_be_luck_is_unclear(value, p_value, verdict):
    difference = Difference(value, value - 0.05, value + 0.05, p_value)
    assert Comparison("accuracy", 0.5 + value, 0.5, difference).verdict == verdict
