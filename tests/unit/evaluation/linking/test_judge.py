"""Every gold mention and every spurious prediction meets one outcome, and the counts agree with them."""

import pytest

from deixis.errors import DataError
from deixis.evaluation.linking.judge import MISSED_TYPE, NIL_TYPE, NO_TYPE, Judge
from deixis.evaluation.linking.outcomes import Outcome
from deixis.types import Candidate, Document, Mention

TEXT = "Paris left Troy for New York City"
KNOWN = {"a", "b", "c"}


def resolve(name):
    return {"alt-a": "a"}.get(name, name if name in KNOWN else None)


def paris(entity=None, *, nil=False, candidates=(), score=None):
    listed = tuple(Candidate(name, 0.5) for name in candidates)
    return Mention(0, 5, "Paris", entity, score, is_nil=nil or entity is None, candidates=listed)


def judged(gold, guesses, **options):
    document = Document("d", TEXT, mentions=tuple(gold))
    return Judge(resolve, **options).judge(document, document.with_mentions(guesses))


def outcomes(gold, guesses):
    outcome = judged(gold, guesses)
    return [mention.outcome for mention in outcome.mentions], [kind for kind, _ in outcome.spurious]


@pytest.mark.parametrize(
    ("gold", "guesses", "outcome"),
    [
        (paris("a"), [paris("a", candidates="ab")], Outcome.RIGHT),
        (paris("a|b"), [paris("b")], Outcome.RIGHT),
        (paris("a"), [paris("alt-a")], Outcome.RIGHT),
        (paris(nil=True), [paris(nil=True)], Outcome.RIGHTLY_NIL),
        (paris("zzz"), [paris("a")], Outcome.NOT_IN_KB),
        (paris("zzz"), [paris(nil=True)], Outcome.NOT_IN_KB),
        (paris("zzz"), [], Outcome.NOT_IN_KB),
        (paris("a"), [], Outcome.MISSED),
        (paris("a"), [Mention(0, 10, "Paris left", "a")], Outcome.WRONG_SPAN),
        (paris("a"), [Mention(0, 10, "Paris left", "b")], Outcome.WRONG_SPAN),
        (paris("a"), [paris("b", candidates="bc")], Outcome.NOT_A_CANDIDATE),
        (paris("a"), [paris(nil=True, candidates="bc")], Outcome.NOT_A_CANDIDATE),
        (paris("a"), [paris("b", candidates="ba")], Outcome.LOST_IN_RANKING),
        (paris("a"), [paris(nil=True, candidates="ba")], Outcome.LOST_IN_RANKING),
        (paris("a"), [paris("b")], Outcome.WRONG_LINK),
        (paris("a"), [paris(nil=True, candidates="ab")], Outcome.WRONGLY_NIL),
        (paris("a"), [paris(nil=True)], Outcome.WRONGLY_NIL),
        (paris(nil=True), [paris("a")], Outcome.NIL_LINKED),
        (paris(nil=True), [], Outcome.NIL_MISSED),
    ],
)
def test_a_gold_mention_meets_the_outcome_that_tells_what_to_do(gold, guesses, outcome):
    assert outcomes([gold], guesses) == ([outcome], [])


def test_predictions_where_gold_has_nothing_are_spurious():
    troy, new = Mention(11, 15, "Troy", "a"), Mention(20, 23, "New", is_nil=True)
    assert outcomes([paris("a")], [paris("a"), troy, new]) == (
        [Outcome.RIGHT],
        [Outcome.SPURIOUS, Outcome.SPURIOUS_NIL],
    )


def test_what_is_predicted_where_gold_is_undecided_is_neither_right_nor_wrong():
    troy = Mention(11, 15, "Troy")
    outcome = judged([paris("a"), troy], [paris("a"), Mention(11, 15, "Troy", "b")])
    assert [mention.outcome for mention in outcome.mentions] == [Outcome.RIGHT]
    assert outcome.spurious == []
    assert (outcome.counts.n_links, outcome.counts.n_predicted_spans) == (1, 1)


def test_the_same_mention_twice_is_one():
    counts = judged([paris("a"), paris("a")], [paris("a"), paris("a")]).counts
    assert (counts.n_in_kb, counts.n_links, counts.n_right) == (1, 1, 1)


def test_a_span_with_two_gold_entities_wants_two_answers():
    outcome = judged([paris("a"), paris("b")], [paris("b"), paris("c")])
    assert [mention.outcome for mention in outcome.mentions] == [Outcome.WRONG_LINK, Outcome.RIGHT]
    assert (outcome.counts.n_in_kb, outcome.counts.n_right, outcome.counts.n_links) == (2, 1, 2)


def test_the_counts_of_a_mixed_document_are_those_done_by_hand():
    """Gold: Paris a, Troy NIL, 'New York City' b, 'left' outside the KB.

    Predicted: Paris a, Troy NIL, 'New York' b, 'left' NIL, 'for' c.
    """
    gold = [
        paris("a"),
        Mention(6, 10, "left", "zzz"),
        Mention(11, 15, "Troy", is_nil=True),
        Mention(20, 33, "New York City", "b"),
    ]
    guesses = [
        paris("a", candidates="a", score=0.9),
        Mention(6, 10, "left", is_nil=True),
        Mention(11, 15, "Troy", is_nil=True),
        Mention(16, 19, "for", "c", 0.3),
        Mention(20, 28, "New York", "b", 0.8),
    ]
    outcome = judged(gold, guesses)
    assert outcome.counts._asdict() == {
        "n_in_kb": 2,  # Paris, New York City
        "n_links": 3,  # Paris, for, New York
        "n_right": 1,  # Paris
        "n_right_weak": 2,  # and New York
        "n_links_on_in_kb": 1,  # Paris
        "n_nil": 2,  # left, Troy
        "n_nil_answers": 2,
        "n_rightly_nil": 2,
        "n_spans": 4,
        "n_predicted_spans": 5,
        "n_same_span": 3,
        "n_overlapping_span": 4,
        "n_linked_gold": 3,  # all but Troy
        "n_first_right": 1,
        "n_pages_found": 1,
    }
    assert outcome.links == [(0.9, True), (0.3, False), (0.8, False)]
    assert [kind for kind, _ in outcome.spurious] == [Outcome.SPURIOUS]


@pytest.mark.parametrize(
    ("gold", "guess", "rank"),
    [
        (paris("b|c"), paris("a", candidates="acb"), 2),
        (paris("zzz"), paris("a", candidates="a"), None),
        (paris(nil=True), paris("a", candidates="a"), None),
        (paris("a"), paris("a"), 1),
        (paris("a"), paris("b", candidates="bc"), None),
    ],
    ids=["any of two", "not in the KB", "NIL", "a link without candidates", "not proposed"],
)
def test_rank_is_the_place_of_the_first_right_candidate(gold, guess, rank):
    (mention,) = judged([gold], [guess]).mentions
    assert mention.rank == rank


def test_a_candidate_that_is_listed_twice_holds_one_place():
    (mention,) = judged([paris("c")], [paris("a", candidates=["a", "a", "alt-a", "c"])]).mentions
    assert mention.rank == 2


def test_ranks_come_from_the_longer_look_and_links_do_not():
    document = Document("d", TEXT, mentions=(paris("c"),))
    short, long = paris("a", candidates="ab"), paris("c", candidates="abc")
    outcome = Judge(resolve).judge(document, document.with_mentions([short]), document.with_mentions([long]))
    (mention,) = outcome.mentions
    assert (mention.rank, mention.is_right, mention.outcome) == (3, False, Outcome.NOT_A_CANDIDATE)


def test_gold_whose_answer_went_to_another_entity_of_its_span_still_has_a_rank():
    """A linker gives one answer to a span with two gold entities; both were among its candidates, at any depth."""
    document = Document("d", TEXT, mentions=(paris("a"), paris("b")))
    guess = document.with_mentions([paris("a", candidates="ab")])
    for ranked in (None, guess):
        mentions = Judge(resolve).judge(document, guess, ranked).mentions
        assert [(mention.outcome, mention.rank) for mention in mentions] == [(Outcome.RIGHT, 1), (Outcome.MISSED, 2)]


def test_the_frequency_is_that_of_the_most_frequent_entity_accepted():
    counts = {"a": 3, "b": 40}
    found = judged([paris("a|b"), Mention(11, 15, "Troy", "c")], [], count_of=counts.get).mentions
    assert [mention.frequency for mention in found] == [40, None]


def test_types_are_those_of_gold_and_link_or_say_why_there_is_none():
    types = {"a": ["city", "place"], "b": ["person"], "c": []}
    troy = [Mention(11, 15, "Troy", name) for name in ("a", "c")]
    gold = [paris("a"), troy[0], Mention(20, 28, "New York", "b"), Mention(16, 19, "for", is_nil=True)]
    guesses = [paris("b"), troy[1], Mention(20, 28, "New York", is_nil=True)]
    found = [mention.types for mention in judged(gold, guesses, types_of=lambda name: types[name]).mentions]
    assert found == [("city", "person"), ("city", NO_TYPE), None, ("person", NIL_TYPE)]
    assert judged([paris("a|b")], [paris("b")], types_of=types.get).mentions[0].types == ("person", "person")
    assert judged([paris("a")], [], types_of=types.get).mentions[0].types == ("city", MISSED_TYPE)


@pytest.mark.parametrize("span", [(-1, 3), (3, 3), (4, 2), (30, 34)])
def test_a_span_outside_its_text_is_refused_on_either_side(span):
    outside = Mention(*span, "x", "a")
    for gold, guesses in (([outside], []), ([], [outside])):
        with pytest.raises(DataError, match=r"Document 'd' has a mention at .* but its text has only 0\.\.33"):
            judged(gold, guesses)


def test_every_outcome_has_its_advice():
    assert all(outcome.advice.endswith(".") for outcome in Outcome)
    assert len({outcome.advice for outcome in Outcome}) == len(Outcome)
