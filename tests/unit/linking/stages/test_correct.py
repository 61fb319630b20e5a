"""Corrections hold in the very texts that were corrected, whatever the numbers say."""

import functools

import numpy as np
import pytest

from deixis.documents.corrections import Correction
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.stages.correct import gold_row, overrule, pin
from deixis.tables import Ranking
from deixis.types import Candidate, Document, Mention, MentionInContext

IDS = ("a", "b", "c", "d")
KB = KnowledgeBase.from_records([{"id": each, "title": f"Name {each.upper()}"} for each in IDS])
TEXT = "Troy saw Paris fall"
OTHER = "Troy saw Paris rise"


@functools.cache
def plain():
    return Linker.build(KB, n_threads=1)


def places_of(*mentions):
    return [(each.document_text, each.start, each.end) for each in mentions]


def corrected(*corrections):
    """The model with corrections of (start, end, verdict, entity) in TEXT."""
    return plain().correct([Correction(TEXT, *each) for each in corrections]).model


def mention(start, end, text=TEXT):
    return MentionInContext(text[start:end], text, start, end)


TROY, PARIS = mention(0, 4), mention(9, 14)
RANKING = Ranking(np.array([0, 3, 5]), np.array([2, 0, 1, 3, 0]), np.array([0.5, 0.3, 0.2, 0.6, 0.4]))


def lists(ranking):
    pairs = list(zip((IDS[row] for row in ranking.rows.tolist()), ranking.scores.tolist(), strict=True))
    return [pairs[first:last] for first, last in zip(ranking.starts, ranking.starts[1:], strict=False)]


def test_the_right_candidate_stands_alone_with_certainty_also_where_no_source_proposed_it():
    after = overrule(corrected((0, 4, "gold", "d")), places_of(TROY, PARIS), RANKING)
    assert lists(after) == [[("d", 1.0)], [("d", 0.6), ("a", 0.4)]]


def test_wrong_candidates_are_gone_and_the_others_keep_their_scores():
    after = overrule(corrected((0, 4, "wrong", "c"), (0, 4, "wrong", "b")), places_of(TROY, PARIS), RANKING)
    assert lists(after) == [[("a", 0.3)], [("d", 0.6), ("a", 0.4)]]


def test_what_is_no_entity_has_no_candidates():
    after = overrule(corrected((9, 14, "not_an_entity", None)), places_of(TROY, PARIS), RANKING)
    assert lists(after) == [lists(RANKING)[0], []]


def test_other_spans_and_the_same_words_elsewhere_stay_as_they_are():
    model = corrected((0, 4, "gold", "d"), (5, 8, "not_an_entity", None))
    elsewhere = [mention(0, 4, OTHER), mention(9, 14, OTHER)]
    assert overrule(model, places_of(*elsewhere), RANKING) is RANKING
    assert overrule(plain().model, places_of(TROY, PARIS), RANKING) is RANKING


def test_a_filter_that_the_corrected_entity_does_not_pass_leaves_nothing():
    mask = np.array([True, True, True, False])
    model = corrected((0, 4, "gold", "d"))
    assert lists(overrule(model, places_of(TROY, PARIS), RANKING, mask))[0] == []
    assert (
        gold_row(model, "d", mask) is None and gold_row(model, "d", None) == 3 and gold_row(model, None, None) is None
    )


def detected(*spans):
    return Document("d", TEXT, mentions=tuple(Mention(s, e, TEXT[s:e], "a", 0.4) for s, e in spans))


def places(document):
    return [(each.start, each.end, each.entity, each.score) for each in document.mentions]


def test_a_corrected_mention_that_was_not_detected_is_added_in_text_order():
    after = pin(corrected((5, 8, "gold", "b")), detected((0, 4), (9, 14)), None, may_overlap=False)
    assert places(after) == [(0, 4, "a", 0.4), (5, 8, "b", 1.0), (9, 14, "a", 0.4)]
    assert after.mentions[1].candidates == (Candidate("b", 1.0, "Name B"),) and not after.mentions[1].is_nil


@pytest.mark.parametrize(("may_overlap", "others"), [(False, []), (True, [(9, 14, "a", 0.4)])])
def test_what_overlaps_a_corrected_mention_goes_unless_overlaps_are_kept(may_overlap, others):
    after = pin(corrected((5, 14, "gold", "b")), detected((0, 4), (9, 14)), None, may_overlap)
    assert places(after) == [(0, 4, "a", 0.4), (5, 14, "b", 1.0), *others]


def test_a_corrected_mention_takes_the_place_of_the_detected_one():
    after = pin(corrected((0, 4, "gold", "c")), detected((0, 4)), None, may_overlap=True)
    assert places(after) == [(0, 4, "c", 1.0)]


def test_what_is_no_entity_is_no_mention_and_frees_no_other():
    after = pin(corrected((0, 4, "not_an_entity", None)), detected((0, 4), (9, 14)), None, may_overlap=False)
    assert places(after) == [(9, 14, "a", 0.4)]


def test_wrong_candidates_pin_nothing():
    document = detected((0, 4))
    assert pin(corrected((0, 4, "wrong", "a")), document, None, may_overlap=False) is document
    other = Document("d", OTHER, mentions=(Mention(0, 4, "Troy", "a", 0.4),))
    assert pin(corrected((0, 4, "gold", "b")), other, None, may_overlap=False) is other


def test_a_corrected_entity_that_the_filter_refuses_is_not_added():
    mask = np.array([True, False, True, True])
    after = pin(corrected((5, 8, "gold", "b")), detected((0, 4), (5, 8)), mask, may_overlap=False)
    assert places(after) == [(0, 4, "a", 0.4)]
