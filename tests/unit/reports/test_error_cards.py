"""What a person sees of one mistake."""

import re

import pytest

from deixis.evaluation.linking.error_examples import ErrorExample
from deixis.evaluation.linking.outcomes import Outcome
from deixis.reports.content import EntityNames
from deixis.reports.error_cards import error_card, marked_text
from deixis.types import Candidate, Document, Mention

NAMES = EntityNames(lambda name: (f"title of {name}", "some words"))


def example(
    outcome=Outcome.LOST_IN_RANKING, gold=(8, 12), guess=(8, 12), entity="Q1", linked="Q2", candidates=(), nil=False
):
    document = Document("d", "To save Troy, Paris had to go.")
    truth = None if gold is None else Mention(*gold, "?", entity=entity, is_nil=nil)
    answer = None if guess is None else Mention(*guess, "?", entity=linked, score=0.5, candidates=tuple(candidates))
    return ErrorExample.of(outcome, document, truth, answer)


@pytest.mark.parametrize(
    ("guess", "marked"),
    [
        ((8, 12), "To save <mark>Troy</mark>, Paris had to go."),
        (None, "To save <mark>Troy</mark>, Paris had to go."),
        ((3, 12), 'To <mark class="guess">save </mark><mark class="both">Troy</mark>, Paris had to go.'),
        ((8, 10), 'To save <mark class="both">Tr</mark><mark>oy</mark>, Paris had to go.'),
        ((14, 19), 'To save <mark>Troy</mark>, <mark class="guess">Paris</mark> had to go.'),
    ],
)
def test_gold_is_marked_and_the_prediction_where_it_has_other_borders(guess, marked):
    assert marked_text(example(guess=guess)) == marked


def test_only_a_text_that_was_cut_ends_in_dots():
    document = Document("d", "x" * 200 + "Troy")
    cut = ErrorExample.of(Outcome.MISSED, document, Mention(200, 204, "Troy", entity="Q1"), None)
    assert marked_text(cut).startswith("…x")
    assert marked_text(cut).endswith("</mark>")


def test_the_right_candidate_is_shown_however_deep_it_stands():
    listed = [Candidate(f"Q{n}", 1 / n) for n in range(2, 11)]
    card = error_card(example(candidates=[*listed, Candidate("Q1", 0.01)]), NAMES)
    rows = re.findall("<tr>.*?</tr>", card, re.DOTALL)[1:]
    assert len(rows) == 6
    assert "✗ linked" in rows[0]
    assert "✓ annotated" in rows[-1] and ">10</td>" in rows[-1]


def test_an_equivalent_id_is_the_right_candidate_too():
    names = EntityNames(resolve={"old": "Q2", "Q2": "Q2"}.get)
    card = error_card(example(entity="old|other", candidates=[Candidate("Q3", 0.6), Candidate("Q2", 0.4)]), names)
    assert "✓ annotated" in card


@pytest.mark.parametrize(
    ("settings", "annotated", "predicted"),
    [
        ({"outcome": Outcome.NIL_LINKED, "entity": None, "nil": True}, "NIL", "Q2"),
        ({"outcome": Outcome.MISSED, "guess": None}, "Q1", "nothing"),
        ({"outcome": Outcome.WRONGLY_NIL, "linked": None}, "Q1", "NIL"),
        ({"outcome": Outcome.SPURIOUS, "gold": None}, "no mention here", "Q2"),
    ],
)
def test_nil_nothing_and_no_mention_are_told_apart(settings, annotated, predicted):
    shown = re.findall("<dd>(.*?)</dd>", error_card(example(**settings), EntityNames()))
    assert re.sub("<.*?>", "", shown[0]) == annotated
    assert re.sub("<.*?>", "", shown[1]).split(" · ")[0] == predicted


def test_an_entity_is_shown_by_title_id_and_description():
    card = error_card(example(), NAMES)
    assert "<bdi>title of Q1</bdi>" in card and "<bdi>Q1</bdi>" in card and "<bdi>some words</bdi>" in card


def test_a_long_description_is_cut():
    card = error_card(example(), EntityNames(lambda name: ("t", "word " * 100)))
    assert "…</bdi>" in card and "word " * 40 not in card
