"""Mentions on tokens: where they end inside a token, and which of overlapping ones are entities."""

import pytest

from deixis.integrations.spacy.alignment import aligned, apart
from deixis.types import Mention

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
TEXT = "pre-Parisian 😀Troy fell"


def doc_of():
    """The text in tokens that stand between spaces."""
    tokens = TEXT.split(" ")
    return spacy.tokens.Doc(spacy.blank("en").vocab, words=tokens, spaces=[True] * (len(tokens) - 1) + [False])


def mention(start, end, entity="Q1", score=0.5):
    return Mention(start, end, TEXT[start:end], entity, score, is_nil=entity is None)


PARIS = mention(4, 9)


def test_a_name_inside_a_token_grows_to_the_whole_token():
    assert aligned(doc_of(), [PARIS], "expand") == {(0, 1): PARIS}


@pytest.mark.parametrize("alignment", ["contract", "strict"])
def test_a_name_inside_a_token_is_left_out_if_it_may_not_grow(alignment):
    assert aligned(doc_of(), [PARIS], alignment) == {}


def test_a_name_over_one_token_and_a_part_of_another_shrinks_to_the_first():
    parisian_smile = mention(0, 14)
    assert TEXT[0:14] == "pre-Parisian 😀"
    assert aligned(doc_of(), [parisian_smile], "contract") == {(0, 1): parisian_smile}
    assert aligned(doc_of(), [parisian_smile], "expand") == {(0, 2): parisian_smile}
    assert aligned(doc_of(), [parisian_smile], "strict") == {}


@pytest.mark.parametrize("alignment", ["expand", "contract", "strict"])
def test_whole_tokens_stay_as_they_are_and_offsets_are_code_points(alignment):
    fell = mention(19, 23)
    assert fell.text == "fell"
    assert aligned(doc_of(), [fell], alignment) == {(2, 3): fell}


def test_of_two_names_in_one_token_the_likelier_link_stays():
    others = [mention(0, 3, "Q2", 0.9), mention(9, 12, None, 0.99)]
    assert aligned(doc_of(), [PARIS, *others], "expand") == {(0, 1): others[0]}
    assert aligned(doc_of(), [others[1], PARIS], "expand") == {(0, 1): PARIS}


def test_mentions_come_in_the_order_of_the_text():
    late, early = mention(19, 23), mention(0, 12)
    assert list(aligned(doc_of(), [late, early], "expand")) == [(0, 1), (2, 3)]


def test_an_empty_document_has_no_spans():
    assert aligned(spacy.blank("en").make_doc(""), [], "expand") == {}
    assert apart({}, 0.1) == {}


def test_links_are_chosen_so_that_what_is_above_the_threshold_adds_up_to_the_most():
    whole, first, second = mention(0, 12, score=0.8), mention(0, 3, score=0.55), mention(4, 12, score=0.55)
    spans = {(0, 2): whole, (0, 1): first, (1, 2): second}
    assert list(apart(spans, threshold=0.5)) == [(0, 2)]
    assert list(apart(spans, threshold=0.0)) == [(0, 1), (1, 2)]


def test_an_earlier_entity_gives_way_to_a_link_and_to_nothing_else():
    spans = {(0, 2): mention(0, 12), (3, 5): mention(13, 17, None)}
    assert apart(spans, 0.1, earlier=[(1, 3), (4, 6), (7, 8)]) == {(0, 2): spans[0, 2], (4, 6): None, (7, 8): None}


def test_an_earlier_entity_is_told_that_it_means_nothing_known():
    spans = {(3, 5): mention(13, 17, None)}
    assert apart(spans, 0.1, earlier=[(3, 5)]) == spans


def test_of_two_that_mean_nothing_known_the_longer_stays():
    spans = {(0, 1): mention(0, 3, None), (0, 2): mention(0, 12, None), (5, 6): mention(19, 23, None)}
    assert list(apart(spans, 0.1)) == [(0, 2), (5, 6)]
