"""Which spans are kept so that none overlap."""

import numpy as np

from deixis.decision.overlaps import best_apart, is_touched


def taken(spans: list[tuple[int, int, float]]) -> list[int]:
    starts, ends, gains = (np.array(column) for column in zip(*spans, strict=True))
    return np.flatnonzero(best_apart(starts, ends, gains)).tolist()


def test_two_spans_inside_are_taken_if_they_are_worth_more_than_the_one_around() -> None:
    assert taken([(0, 8, 0.7), (0, 3, 0.3), (4, 8, 0.3)]) == [0]
    assert taken([(0, 8, 0.5), (0, 3, 0.3), (4, 8, 0.3)]) == [1, 2]


def test_spans_that_touch_do_not_overlap() -> None:
    assert taken([(0, 3, 0.2), (3, 5, 0.2)]) == [0, 1]
    assert is_touched(*(np.array(each) for each in ([0, 5], [3, 7], [3], [5]))).tolist() == [False, False]


def test_of_equals_the_longer_is_taken() -> None:
    assert taken([(0, 3, 0.5), (0, 8, 0.5), (4, 8, 0.5)]) == [0, 2]
    assert taken([(0, 3, 0.5), (0, 8, 0.5)]) == [1]
    assert taken([(4, 8, 0.5), (0, 8, 0.5)]) == [1]


def test_what_is_worth_nothing_is_not_taken() -> None:
    assert taken([(0, 3, 0.0), (4, 6, -1.0)]) == []
    assert best_apart(np.empty(0, int), np.empty(0, int), np.empty(0)).tolist() == []


def test_spans_that_overlap_one_of_the_others_are_found() -> None:
    starts, ends = np.array([0, 2, 9, 20]), np.array([3, 12, 10, 21])
    assert is_touched(starts, ends, np.array([4, 15]), np.array([8, 18])).tolist() == [False, True, False, False]
    nothing = np.empty(0, dtype=np.int64)
    assert not is_touched(starts, ends, nothing, nothing).any()
