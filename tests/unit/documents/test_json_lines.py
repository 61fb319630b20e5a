"""The checks that all readers of JSON lines share."""

import io

import pytest

from deixis.documents.json_lines import (
    entity_in,
    json_object,
    name_in,
    read_records,
    records_in,
    score_in,
    text_in,
    write_record,
)
from deixis.documents.places import Place
from deixis.errors import DataError

HERE = Place("docs.jsonl", 3)


def test_blank_lines_are_passed_over_and_the_others_keep_their_numbers():
    found = list(read_records([(1, "{}"), (2, "  "), (3, '{"a": 1}')], "x.jsonl"))
    assert [(record, place.line) for record, place in found] == [({}, 1), ({"a": 1}, 3)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
        ("[]", "must be a JSON object, got \\[\\]. Write one JSON object a line"),
    ],
)
def test_what_is_no_object_is_told_so_with_file_and_line(line, words):
    with pytest.raises(DataError, match=words) as raised:
        json_object(line, HERE)
    assert (raised.value.path, raised.value.line) == ("docs.jsonl", 3)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("score", [True, "1", [], float("inf"), float("nan"), 10**400])
def test_a_score_must_be_a_finite_number(score):
    with pytest.raises(DataError, match="finite number"):
        score_in({"score": score}, HERE)


@pytest.mark.parametrize("name", [1.5, True, ["x"], {}])
def test_a_name_must_be_a_string_or_a_whole_number(name):
    with pytest.raises(DataError, match="'id'"):
        name_in({"id": name}, "id", HERE)


def test_a_missing_text_is_told_with_the_keys_that_are_there_and_an_example():
    with pytest.raises(DataError, match=r"needs a 'input'.*'body', 'n'.*Example: EX"):
        text_in({"body": "x", "n": 1}, "input", HERE, "EX")


@pytest.mark.parametrize("values", ["abc", {"a": 1}, [1], [{}, "x"]])
def test_a_list_of_objects_may_hold_nothing_else(values):
    with pytest.raises(DataError, match="'links' must .* objects with 'start'"):
        records_in({"links": values}, "links", HERE, "'start'")


def test_a_null_list_is_empty():
    assert records_in({"links": None}, "links", HERE, "'start'") == []


def test_a_record_is_written_as_one_line_of_readable_text():
    stream = io.StringIO()
    write_record({"text": "東京\n"}, stream)
    assert stream.getvalue() == '{"text": "東京\\n"}\n'


def test_an_empty_entity_is_neither_an_entity_nor_nil():
    assert (entity_in({"entity": "Q1"}, "entity", HERE), entity_in({"entity": None}, "entity", HERE)) == ("Q1", None)
    with pytest.raises(DataError, match="docs.jsonl, line 3: 'entity' must not be empty: .* or null if it has none"):
        entity_in({"entity": ""}, "entity", HERE)
