"""A document that comes again: refused, or left out and counted."""

import pytest

from deixis.errors import DataError
from deixis.evaluation.pairing import distinct
from deixis.types import Document


def documents(*names):
    return (Document(name, f"text {number}") for number, name in enumerate(names))


def test_a_repeated_id_is_refused_and_the_way_out_is_named():
    with pytest.raises(DataError, match=r"^gold.jsonl: has the document 'a' twice.*deixis eval --skip-duplicates"):
        list(distinct(documents("a", "b", "a"), "gold.jsonl"))


def test_the_first_of_each_id_is_kept_where_duplicates_are_skipped():
    skipped = {}
    kept = [(document.id, document.text) for document in distinct(documents(*"abacab"), "gold", skipped)]
    assert kept == [("a", "text 0"), ("b", "text 1"), ("c", "text 3")]
    assert skipped == {"gold": 3}


def test_a_file_read_again_is_counted_once():
    skipped = {"other": 7}
    for _ in range(2):
        list(distinct(documents("a", "a"), "gold", skipped))
    assert skipped == {"other": 7, "gold": 1}


def test_a_file_read_along_itself_is_counted_once():
    skipped = {}
    pairs = zip(*(distinct(documents(*"abba"), "gold", skipped) for _ in range(2)), strict=True)
    assert [gold.id for gold, _ in pairs] == ["a", "b"]
    assert skipped == {"gold": 2}


def test_a_file_without_duplicates_is_told_to_have_none():
    skipped = {}
    list(distinct(documents("a", "b"), "gold", skipped))
    assert skipped == {"gold": 0}
