"""What a reader's numbers say, by hand."""

from __future__ import annotations

import numpy as np

from deixis.neural.reader.passages import Passage
from deixis.neural.reader.run import best_rows, merged, spans_of
from deixis.neural.reader.spans import PairNumbers, Reading, readings_of, softmax

OFFSETS = np.array([[0, 0], [0, 5], [6, 8], [9, 13]])  # "Paris of Troy", the first token before it


def numbers(start: list[float], end: list[float], rank: float = 0.0) -> PairNumbers:
    logits = np.zeros((4, 3), dtype=np.float32)
    logits[:, 0], logits[:, 1], logits[0, 2] = start, end, rank
    return PairNumbers(logits, OFFSETS)


def test_a_span_has_the_product_of_its_two_ends() -> None:
    own = numbers([0, 2, 0, 1], [0, 0, 0, 3])
    start, end, share = own.spans(max_tokens=3)[0]
    expected = softmax(np.array([0, 2, 0, 1.0]))[1] * softmax(np.array([0, 0, 0, 3.0]))[3]
    assert (start, end) == (0, 13)
    assert np.isclose(share, expected)


def test_no_span_is_longer_than_allowed_or_ends_before_it_begins() -> None:
    own = numbers([0, 9, 0, 8], [0, 0, 0, 9])
    assert own.spans(max_tokens=2, n=1)[0][:2] == (9, 13)
    backwards = numbers([0, 0, 0, 9], [0, 9, 0, 0])
    assert all(start < end for start, end, _ in backwards.spans(max_tokens=3))


def test_an_entity_that_is_not_mentioned_gives_its_share_to_the_first_token() -> None:
    own = numbers([9, 0, 0, 0], [9, 0, 0, 0])
    assert max(share for *_, share in own.spans(max_tokens=3)) < 0.01


def test_the_score_is_that_of_span_and_rank_together() -> None:
    likely, unlikely = numbers([0, 9, 0, 0], [0, 9, 0, 0], rank=2.0), numbers([0, 9, 0, 0], [0, 9, 0, 0])
    found = readings_of((4, 100), [7, 8], [likely, unlikely], max_tokens=2, threshold=0.5)
    assert [(each.document, each.start, each.end, each.row) for each in found] == [(4, 100, 105, 7)]
    assert np.isclose(found[0].rank_probability, softmax(np.array([2.0, 0.0]))[0])


def test_a_passage_without_candidates_has_no_readings() -> None:
    assert readings_of((0, 0), [], [], 3, 0.1) == []


def test_one_span_read_in_two_passages_counts_once_at_its_best() -> None:
    weak, strong = Reading(0, 0, 5, 1, 0.5, 0.5), Reading(0, 0, 5, 1, 0.9, 0.9)
    assert merged([weak, strong]) == [strong]


def test_spans_go_to_the_passages_that_hold_them() -> None:
    passages = [Passage(0, 0, "Paris of"), Passage(0, 6, "of Troy"), Passage(1, 0, "Paris")]
    readings = [Reading(0, 0, 5, 1, 1, 1), Reading(0, 9, 13, 2, 1, 1), Reading(0, 0, 13, 3, 1, 1)]
    assert spans_of(passages, readings) == [[(0, 5)], [(3, 7)], []]


def test_the_best_rows_come_in_order_and_ties_by_their_number() -> None:
    scores = np.array([0.1, 0.9, 0.9, 0.3, 0.3])
    assert best_rows(scores, 2) == [1, 2]
    assert best_rows(scores, 4) == [1, 2, 3, 4]
    assert best_rows(scores, 10) == [1, 2, 3, 4, 0]
