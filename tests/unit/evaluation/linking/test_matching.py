"""Who answers whom: same spans, overlapping spans, and what happens in ties."""

from deixis.evaluation.linking.matching import Matching, overlapping_pairs, same_span_pairs
from deixis.types import Mention


def spans(*pairs):
    return [Mention(start, end, "x" * (end - start)) for start, end in pairs]


def by_entity(gold, guesses):
    return lambda place, answer: gold[place].entity == guesses[answer].entity


def never(place, answer):
    return False


def test_only_equal_borders_are_the_same_span():
    assert same_span_pairs(spans((0, 5), (6, 9)), spans((0, 4), (6, 9)), never) == [(1, 1)]


def test_a_prediction_answers_one_gold_mention_only():
    assert same_span_pairs(spans((0, 5), (0, 5)), spans((0, 5)), never) == [(0, 0)]
    assert same_span_pairs(spans((0, 5)), spans((0, 5), (0, 5)), never) == [(0, 0)]


def test_of_several_on_one_span_the_right_ones_are_paired_first():
    gold = [Mention(0, 5, "Paris", "a"), Mention(0, 5, "Paris", "b")]
    guesses = [Mention(0, 5, "Paris", "c"), Mention(0, 5, "Paris", "a")]
    assert same_span_pairs(gold, guesses, by_entity(gold, guesses)) == [(0, 1), (1, 0)]


def test_spans_that_only_touch_do_not_overlap():
    assert overlapping_pairs(spans((0, 5)), spans((5, 9))) == []
    assert overlapping_pairs(spans((0, 5)), spans((4, 9))) == [(0, 0)]


def test_the_longest_overlap_is_paired_first():
    """Gold 0-10 shares 3 characters with 0-3 and 6 with 4-10: it takes the second, the first stays alone."""
    assert overlapping_pairs(spans((0, 10)), spans((0, 3), (4, 10))) == [(0, 1)]


def test_of_equal_overlaps_the_earlier_gold_mention_and_the_earlier_prediction_win():
    assert overlapping_pairs(spans((0, 4), (2, 6)), spans((2, 4))) == [(0, 0)]
    assert overlapping_pairs(spans((2, 4)), spans((0, 4), (2, 6))) == [(0, 0)]


def test_a_long_prediction_far_to_the_left_is_still_found():
    assert overlapping_pairs(spans((90, 95)), spans((0, 100), (1, 2), (3, 4))) == [(0, 0)]


def test_nested_gold_mentions_each_get_an_answer_of_their_own():
    gold, guesses = spans((0, 13), (0, 8)), spans((0, 13), (4, 8))
    assert overlapping_pairs(gold, guesses) == [(0, 0), (1, 1)]


def test_a_wrong_answer_on_the_span_leaves_room_for_a_right_one_beside_it():
    """'New York' gold Q60; predicted 'New York' -> Q1384 and 'York' -> Q60: weakly right, but strongly wrong."""
    matching = Matching.of(spans((0, 8)), spans((0, 8), (4, 8)), [frozenset({"Q60"})], ["Q1384", "Q60"])
    assert matching.answers == [0]
    assert matching.right == frozenset()
    assert matching.n_right_beside == 1
    assert matching.spurious == [1]


def test_a_prediction_beside_a_missed_mention_is_not_spurious():
    matching = Matching.of(spans((0, 8)), spans((4, 8)), [frozenset({"Q60"})], ["Q42462"])
    assert (matching.beside, matching.spurious, matching.n_right_beside, matching.n_spans_beside) == ({0: 0}, [], 0, 1)


def test_a_right_prediction_beside_a_mention_goes_before_a_longer_one():
    matching = Matching.of(spans((0, 8)), spans((0, 7), (4, 8)), [frozenset({"Q60"})], ["Q1", "Q60"])
    assert matching.beside == {0: 1}
    assert matching.spurious == [0]
