"""What counts as right."""

import pytest

from deixis.errors import DataError
from deixis.evaluation.gold import acceptable_ids
from deixis.evaluation.judge import mention_outcomes
from deixis.types import Candidate, Document, Mention

KNOWN = {"a", "b", "c", "C++", "Google+"}


def resolve(name):
    return {"alt-a": "a"}.get(name, name if name in KNOWN else None)


def document(*mentions):
    return Document("d", "Paris Troy Rome", mentions=mentions)


def ranked(*ids):
    return Mention(0, 5, "Paris", entity=ids[0], candidates=tuple(Candidate(name, 1.0) for name in ids))


@pytest.mark.parametrize(
    ("gold", "accepted"),
    [
        ("a", {"a"}),
        ("a|b", {"a", "b"}),
        ("a+zzz", {"a"}),
        ("a|zzz+c", {"a", "c"}),
        ("C++", {"C++"}),
        ("Google+|b", {"Google+", "b"}),
        ("alt-a", {"a"}),
        ("zzz", set()),
        ("", set()),
        ("|+", set()),
    ],
)
def test_any_of_the_joined_ids_is_right_and_a_known_id_is_never_taken_apart(gold, accepted):
    assert acceptable_ids(gold, resolve) == accepted


def test_rank_is_the_place_of_the_first_right_candidate():
    gold = document(Mention(0, 5, "Paris", entity="b|c"))
    (outcome,) = mention_outcomes([gold], [document(ranked("a", "c", "b"))], resolve)
    assert (outcome.rank, outcome.is_right, outcome.is_in_kb) == (2, False, True)


def test_a_gold_entity_outside_the_knowledge_base_has_no_rank_and_is_not_in_kb():
    gold = document(Mention(0, 5, "Paris", entity="zzz"))
    (outcome,) = mention_outcomes([gold], [document(ranked("a"))], resolve)
    assert (outcome.rank, outcome.is_in_kb, outcome.is_nil) == (None, False, False)


def test_nil_gold_is_kept_apart_and_undecided_mentions_are_not_gold():
    gold = document(Mention(0, 5, "Paris", is_nil=True), Mention(6, 10, "Troy"))
    (outcome,) = mention_outcomes([gold], [document(ranked("a"))], resolve)
    assert outcome.is_nil
    assert not outcome.is_right


def test_a_mention_that_was_not_predicted_counts_as_wrong():
    gold = document(Mention(6, 10, "Troy", entity="a"))
    (outcome,) = mention_outcomes([gold], [document(ranked("a"))], resolve)
    assert (outcome.rank, outcome.is_right, outcome.is_in_kb) == (None, False, True)


def test_a_link_without_candidates_still_has_a_rank():
    gold = document(Mention(0, 5, "Paris", entity="a"))
    (outcome,) = mention_outcomes([gold], [document(Mention(0, 5, "Paris", entity="a"))], resolve)
    assert outcome.rank == 1


def test_predictions_of_another_document_are_refused():
    with pytest.raises(DataError, match="'d' was given the prediction of 'e'"):
        mention_outcomes([document()], [Document("e", "Paris Troy Rome")], resolve)
