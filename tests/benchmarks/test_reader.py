"""The benchmark of the reader."""

import pytest

pytest.importorskip("torch")

from benchmarks.quality.reader_figures import without_overlaps
from deixis.neural.reader.spans import Reading


def test_of_readings_that_overlap_the_surest_stays() -> None:
    first, second = Reading(0, 0, 5, 1, 0.9, 0.9), Reading(0, 4, 9, 2, 0.5, 0.9)
    third, elsewhere = Reading(0, 5, 9, 3, 0.2, 0.9), Reading(1, 0, 5, 1, 0.1, 0.1)
    assert without_overlaps([second, elsewhere, third, first]) == [first, third, elsewhere]
