import pickle
from dataclasses import FrozenInstanceError, replace
from functools import partial

import pytest

from deixis.types import Candidate, Document, Mention, MentionInContext

TEXT = "To save Troy, Paris had to be sacrificed."
PARIS = MentionInContext("Paris", TEXT, 14, 19)


def test_a_document_shows_each_mention_in_its_text():
    document = Document("d", TEXT, "en", (Mention(8, 12, "Troy"), Mention(14, 19, "Paris", entity="Q1")))
    assert document.mentions_in_context() == [
        MentionInContext("Troy", TEXT, 8, 12, "en", "d"),
        MentionInContext("Paris", TEXT, 14, 19, "en", "d"),
    ]
    assert Document("d", TEXT).mentions_in_context() == []


@pytest.mark.parametrize(
    ("window", "context"),
    [
        (0, "Paris"),
        (5, "Paris"),
        (6, "Paris"),
        (7, " Paris "),
        (15, "roy, Paris had "),
        (16, "roy, Paris had "),
        (1000, TEXT),
    ],
)
def test_the_context_has_the_mention_in_its_middle(window, context):
    # One code point that cannot be shared is left out, so that both sides are equal.
    assert PARIS.context(window) == context


def test_a_context_never_exceeds_its_window_unless_the_mention_does():
    for window in range(5, 60):
        assert len(PARIS.context(window)) <= window
    assert PARIS.context(2) == "Paris"
    assert MentionInContext(TEXT, TEXT, 0, len(TEXT)).context(10) == TEXT


def test_a_context_stops_at_the_ends_of_the_text():
    assert MentionInContext("To", TEXT, 0, 2).context(10) == "To sav"
    assert MentionInContext(".", TEXT, 40, 41).context(9) == "iced."
    assert MentionInContext("", "", 0, 0).context(100) == ""


def test_contexts_count_code_points():
    text = "🦕🦕 パリ e\u0301🦕"
    assert MentionInContext("パリ", text, 3, 5).context(6) == "🦕 パリ e"


def test_with_mentions_leaves_the_document_as_it_was():
    document = Document("d", TEXT, "en")
    other = document.with_mentions([Mention(8, 12, "Troy")])
    assert (other.id, other.text, other.lang) == ("d", TEXT, "en")
    assert other.mentions == (Mention(8, 12, "Troy"),) and document.mentions == ()


def test_a_mention_is_decided_by_a_link_or_by_nil():
    assert not Mention(0, 1, "x").is_decided
    assert Mention(0, 1, "x", entity="Q1").is_decided and Mention(0, 1, "x", is_nil=True).is_decided


@pytest.mark.parametrize(
    ("record", "name"),
    [(Candidate("a", 0.5), "score"), (Mention(0, 1, "x"), "start"), (Document("d", "x"), "text"), (PARIS, "end")],
)
def test_records_are_frozen(record, name):
    with pytest.raises(FrozenInstanceError):
        setattr(record, name, 3)


def test_candidates_that_nobody_has_read_yet_are_made_once_and_equal_to_others():
    calls = []

    def made():
        calls.append(1)
        return (Candidate("Q90", 0.9, "Paris"),)

    later, now = (Mention(0, 5, "Paris", "Q90", 0.9, candidates=each) for each in (made, made()))
    assert calls == [1]
    assert later.entity == "Q90" and calls == [1]
    assert later == now and hash(later) == hash(now) and repr(later) == repr(now) and later.title == "Paris"
    assert replace(later, score=0.8).candidates is later.candidates
    assert pickle.loads(pickle.dumps(later)) == now and calls == [1, 1]


def test_a_mention_whose_candidates_were_not_read_can_be_pickled():
    later = Mention(0, 5, "Paris", candidates=partial(tuple, [Candidate("Q90", 0.9, "Paris")]))
    assert pickle.loads(pickle.dumps(later)).candidates == (Candidate("Q90", 0.9, "Paris"),)


def test_candidates_cannot_be_replaced_in_place():
    with pytest.raises(AttributeError):
        Mention(0, 5, "Paris").candidates = ()
