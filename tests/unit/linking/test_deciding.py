"""The joint decision: which spans are taken, and how likely a link is right."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.linking.deciding import EVIDENCE, Decider, best_apart, decision_evidence, default_decision


def taken(spans: list[tuple[int, int, float]]) -> list[int]:
    starts, ends, gains = (np.array(column) for column in zip(*spans, strict=True))
    return np.flatnonzero(best_apart(starts, ends, gains)).tolist()


def test_two_spans_inside_are_taken_if_they_are_worth_more_than_the_one_around() -> None:
    assert taken([(0, 8, 0.7), (0, 3, 0.3), (4, 8, 0.3)]) == [0]
    assert taken([(0, 8, 0.5), (0, 3, 0.3), (4, 8, 0.3)]) == [1, 2]


def test_spans_that_touch_do_not_overlap() -> None:
    assert taken([(0, 3, 0.2), (3, 5, 0.2)]) == [0, 1]


def test_of_equals_the_longer_is_taken() -> None:
    assert taken([(0, 3, 0.5), (0, 8, 0.5), (4, 8, 0.5)]) == [0, 2]
    assert taken([(0, 3, 0.5), (0, 8, 0.5)]) == [1]
    assert taken([(4, 8, 0.5), (0, 8, 0.5)]) == [1]


def test_what_is_worth_nothing_is_not_taken() -> None:
    assert taken([(0, 3, 0.0), (4, 6, -1.0)]) == []
    assert best_apart(np.empty(0, int), np.empty(0, int), np.empty(0)).tolist() == []


def test_a_decider_learns_what_counts() -> None:
    rng = np.random.default_rng(0)
    log_odds, ranked = rng.normal(0, 3, 2000), np.abs(rng.normal(size=(2000, 2)))
    evidence = decision_evidence(log_odds, ranked, np.zeros(2000, dtype=bool))
    decider = Decider.fit(evidence, log_odds + rng.normal(0, 1, 2000) > 1, Decider.default("described"))
    assert decider.weights[0] > 3 * abs(decider.weights[1])
    assert decider.chances(evidence)[log_odds > 4].min() > 0.8


@pytest.mark.parametrize("kind", ["described", "bare"])
def test_the_shipped_decision_has_a_weight_for_each_evidence_and_a_threshold(kind: str) -> None:
    assert set(default_decision(kind)) <= {*EVIDENCE, "threshold"}
    assert 0 < default_decision(kind)["threshold"] < 1
    low, high = Decider.default(kind).chances(
        decision_evidence(np.array([-3.0, 3.0]), np.array([[-3.0, 0.0], [3.0, 2.0]]), np.array([False, False]))
    )
    assert low < high


def test_a_decider_comes_back_the_same_and_a_damaged_one_does_not() -> None:
    decider = Decider.default("bare")
    assert (Decider.from_arrays(decider.to_arrays("d"), "d").weights == decider.weights).all()
    with pytest.raises(StoreError):
        Decider.from_arrays({"d.weights": np.zeros(2)}, "d")
