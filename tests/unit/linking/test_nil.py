import pytest

from deixis.errors import ConfigError
from deixis.linking.nil import NilRule
from deixis.types import Candidate, Mention

PARIS = Mention(0, 5, "Paris")


def decide(threshold, *listed):
    return NilRule(threshold).decide([PARIS], [list(listed)])[0]


def test_the_best_candidate_is_linked_from_the_threshold_up():
    best, other = Candidate("a", 0.5), Candidate("b", 0.4)
    linked = decide(0.5, best, other)
    assert (linked.entity, linked.score, linked.is_nil, linked.candidates) == ("a", 0.5, False, (best, other))


def test_below_the_threshold_a_mention_is_nil_and_keeps_score_and_candidates():
    best = Candidate("a", 0.5)
    refused = decide(0.51, best)
    assert (refused.entity, refused.score, refused.is_nil, refused.candidates) == (None, 0.5, True, (best,))


def test_without_candidates_a_mention_is_nil_whatever_the_threshold():
    nothing = decide(0.0)
    assert (nothing.entity, nothing.score, nothing.is_nil, nothing.candidates) == (None, None, True, ())
    assert decide(0.0, Candidate("a", 0.0)).entity == "a"


def test_an_answer_that_was_there_before_is_replaced():
    before = Mention(0, 5, "Paris", entity="old", score=1.0, candidates=(Candidate("old", 1.0),))
    after = NilRule(0.5).decide([before], [[]])[0]
    assert (after.entity, after.score, after.is_nil, after.candidates) == (None, None, True, ())


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(ConfigError, match="0..1"):
        NilRule(threshold)


@pytest.mark.parametrize("target", [0.0, 1.1, float("nan")])
def test_a_target_precision_is_a_share_above_nothing(target):
    with pytest.raises(ConfigError, match="target precision"):
        NilRule(target_precision=target)


def test_a_rule_that_says_nothing_has_the_threshold_for_raw_scores():
    assert NilRule().least_score == NilRule(target_precision=0.9).least_score == 0.1
    assert NilRule(0.0).least_score == 0.0
