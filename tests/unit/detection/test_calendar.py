"""Days, months and dates are told from other names, in any case and in a dozen languages."""

import pytest

from deixis.detection.calendar import is_calendar
from deixis.detection.names import NameMatcher
from deixis.detection.spans import Sign, SpanTable


def told(name: str, text: str) -> bool:
    (here,) = is_calendar(NameMatcher.build([name]).spans([text])).tolist()
    return here


@pytest.mark.parametrize(
    "name",
    ["THURSDAY", "thursdays", "July", "August 22", "22 August", "Mittwoch", "14 juillet", "sábado", "terça-feira",
     "Среда"],
)  # fmt: skip
def test_days_and_dates_are_told(name: str) -> None:
    assert told(name, f"On {name} they came")


@pytest.mark.parametrize("name", ["Theresa May", "Troy", "Good Friday Agreement", "August 1914", "Marching band"])
def test_other_names_are_not(name: str) -> None:
    assert not told(name, f"It was {name} again")


def test_no_spans_are_no_days() -> None:
    assert is_calendar(SpanTable.of_spans([], [], Sign.RECOGNIZED)).tolist() == []
