"""Gold and predictions find each other by id, or say why not."""

import itertools

import pytest

from deixis.errors import DataError
from deixis.evaluation.pairing import paired
from deixis.types import Document


def documents(*names):
    return [Document(name, f"text of {name}") for name in names]


def ids(pairs):
    return [(truth.id, guess.id) for truth, guess in pairs]


def test_documents_in_one_order_come_out_in_that_order():
    assert ids(paired(documents("a", "b"), documents("a", "b"))) == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize("order", list(itertools.permutations("abcd")))
def test_any_order_of_predictions_pairs_every_document_with_its_own(order):
    pairs = list(paired(documents(*"abcd"), documents(*order)))
    assert sorted(ids(pairs)) == [(name, name) for name in "abcd"]


def test_gold_is_on_the_left_even_where_it_had_to_wait():
    gold = [Document("a", "x", lang="en"), Document("b", "y", lang="en")]
    predicted = [Document("b", "y", lang="de"), Document("a", "x", lang="de")]
    assert {(truth.lang, guess.lang) for truth, guess in paired(gold, predicted)} == {("en", "de")}


def test_files_in_one_order_are_never_read_ahead():
    """A gigabyte of documents costs the memory of one pair."""
    read = []

    def watched(name):
        for document in documents("a", "b", "c"):
            read.append((name, document.id))
            yield document

    next(paired(watched("gold"), watched("guess")))
    assert read == [("gold", "a"), ("guess", "a")]


def test_missing_predictions_are_counted_and_the_first_few_named():
    gold = documents(*"abcdefgh")
    with pytest.raises(DataError, match=r"guess.jsonl: lacks 7 of the 8 documents of gold.jsonl: 'b', 'c'.*and 2 more"):
        list(paired(gold, gold[:1], "gold.jsonl", "guess.jsonl"))


def test_predictions_for_documents_without_gold_are_an_error_too():
    with pytest.raises(DataError, match=r"gold.jsonl: lacks 1 of the 2 documents of guess.jsonl: 'b'"):
        list(paired(documents("a"), documents("a", "b"), "gold.jsonl", "guess.jsonl"))


@pytest.mark.parametrize(("gold", "predicted", "blamed"), [("aba", "ab", "gold"), ("ab", "abb", "guess")])
def test_a_document_that_comes_twice_is_refused_with_the_name_of_its_file(gold, predicted, blamed):
    with pytest.raises(DataError, match=f"^{blamed}: has the document '[ab]' twice"):
        list(paired(documents(*gold), documents(*predicted), "gold", "guess"))


def test_a_text_that_differs_is_shown_where_it_begins_to_differ():
    gold, predicted = [Document("a", "To save Troy")], [Document("a", "To have Troy")]
    with pytest.raises(DataError, match="from character 3 on 'have Troy' instead of 'save Troy'"):
        list(paired(gold, predicted))


def test_a_text_that_breaks_off_is_another_text():
    with pytest.raises(DataError, match=r"from character 2 on '' instead of ' save' \(2 characters against 7\)"):
        list(paired([Document("a", "To save")], [Document("a", "To")]))


def test_nothing_and_nothing_pair_to_nothing():
    assert list(paired([], [])) == []
