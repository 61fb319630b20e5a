"""Files of corrections: what they may say, and what is said to those who say something else."""

import json

import pytest

from deixis.documents.corrections import Correction, corrections_from, read_corrections
from deixis.documents.places import Place
from deixis.errors import DataError

PLACE = Place("told.jsonl", 3)
TEXT = "So Paris fled to Zürich."


def told(**changes):
    return {"text": TEXT, "start": 3, "end": 8, "gold": "Q167646"} | changes


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_each_verdict_is_read_with_the_span_it_is_about(tmp_path):
    other = without(told(), "gold")
    path = write(tmp_path / "c.jsonl", told(surface="Paris", lang="en"), other | {"wrong": 90}, other | {"gold": None})
    gold, wrong, null = read_corrections(path)
    assert (gold.surface, gold.verdict, gold.entity, gold.lang) == ("Paris", "gold", "Q167646", "en")
    assert (wrong.verdict, wrong.entity) == ("wrong", "90")
    assert null.verdict == corrections_from(other | {"not_an_entity": True}, PLACE)[0].verdict == "not_an_entity"
    assert gold.key == wrong.key == null.key


def test_a_text_is_given_once_and_named_by_its_id_in_this_file_and_the_next(tmp_path):
    short = {"id": "d1", "start": 17, "end": 23, "not_an_entity": True}
    first = write(tmp_path / "a.jsonl", told(id="d1", lang="de"), short)
    second = write(tmp_path / "b.jsonl", short | {"start": 3, "end": 8})
    found = read_corrections([first, second])
    assert [one.surface for one in found] == ["Paris", "Zürich", "Paris"] and {one.lang for one in found} == {"de"}
    with pytest.raises(DataError, match=r"b.jsonl, line 1: no line before .* the document 'd1'.*'text'"):
        read_corrections(second)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (told(end=99), "the mention 3-99 lies outside the text, which has 24 characters"),
        (told(start=8), "at least one character"),
        (told(start=None), "whole numbers 'start' and 'end', got start=None"),
        (told(surface="Troy"), "says 'Troy', but the text has 'Paris' there.*leave out 'surface'"),
        (told(start=17, end=24, surface="Zürich."), None),
        (told(start=17, end=25, surface="Zürich"), "outside the text"),
        (without(told(), "gold"), "one of 'gold', 'wrong', 'not_an_entity', got none of them"),
        (told(wrong="Q90"), "got 'gold', 'wrong' at once"),
        (told(golden="Q90"), "no key 'golden'.*Did you mean 'gold'"),
        (told(gold=""), "must not be empty"),
        (told(gold=["Q90"]), "'gold' must be a string"),
        (without(told(wrong=None), "gold"), "'wrong' names the entity that is not meant, got null"),
        (without(told(not_an_entity=False), "gold"), "is true or is left out, got False"),
        (without(told(), "text"), "needs a 'text'"),
    ],
)
def test_what_cannot_be_is_told_with_file_line_and_value(record, message):
    if message is None:
        assert corrections_from(record, PLACE)[0].surface == "Zürich."
        return
    with pytest.raises(DataError, match=message) as caught:
        corrections_from(record, PLACE)
    assert str(caught.value).startswith("told.jsonl, line 3: ")


def test_an_empty_file_and_a_line_that_is_not_json_are_errors(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n\n")
    with pytest.raises(DataError, match=r"empty.jsonl: there are no corrections. Write one JSON object a line"):
        read_corrections(tmp_path / "empty.jsonl")
    (tmp_path / "odd.jsonl").write_text("Paris\n")
    with pytest.raises(DataError, match=r"odd.jsonl, line 1: not JSON"):
        read_corrections(tmp_path / "odd.jsonl")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((TEXT, 3, 99, "gold", "Q90"), "outside the text"),
        ((TEXT, 3, 8, "golden", "Q90"), "one of 'gold', 'wrong', 'not_an_entity', got 'golden'"),
        ((TEXT, 3, 8, "gold", None), "name an entity"),
        (("So Paris \ud83d", 3, 8, "gold", "Q90"), "lone surrogate"),
        ((TEXT, 3, 8, "not_an_entity", "Q90"), "names none; got 'Q90'"),
    ],
)
def test_corrections_made_in_python_are_checked_too(values, message):
    with pytest.raises(DataError, match=message):
        Correction(*values)


def test_a_correction_of_all_equal_mentions_is_one_for_each_of_them(tmp_path):
    text = "Paris fled. PARIS, Parisian, Paris-born: Paris"
    path = tmp_path / "corrections.jsonl"
    path.write_text(json.dumps({"text": text, "start": 0, "end": 5, "gold": "Q167646", "all_equal": True}))
    everywhere = read_corrections(path)
    assert [each.start for each in everywhere] == [0, 29, 41]
    assert {(each.surface, each.verdict, each.entity) for each in everywhere} == {("Paris", "gold", "Q167646")}
    path.write_text(json.dumps({"text": text, "start": 0, "end": 5, "gold": "Q167646"}))
    assert [each.start for each in read_corrections(path)] == [0]
    assert read_corrections(path, all_equal=True) == everywhere
    path.write_text(json.dumps({"text": text, "start": 0, "end": 5, "gold": "Q167646", "all_equal": False}))
    assert len(read_corrections(path, all_equal=True)) == 1


def test_equal_mentions_in_scripts_without_spaces_are_found():
    assert [each.start for each in Correction("東京は東京です", 0, 2, "gold", "Q1490").for_all_equal()] == [0, 3]


def test_all_equal_is_true_or_false():
    record = {"text": "Paris", "start": 0, "end": 5, "gold": "Q90", "all_equal": "yes"}
    with pytest.raises(DataError, match="'all_equal' is true or false, got 'yes'"):
        corrections_from(record, PLACE)
