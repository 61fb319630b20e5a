"""Days, months and dates are told from other names, in any case and in a dozen languages."""

import numpy as np
import pytest

from deixis.detection.calendar import calendar_keys
from deixis.detection.names import NameMatcher


def told(name: str, text: str) -> bool:
    (here,) = np.isin(NameMatcher.build([name]).spans([text]).keys, calendar_keys()).tolist()
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
