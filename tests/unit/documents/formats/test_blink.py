"""BLINK in and out: contexts with and without their spaces, and labels of all kinds."""

import io
import json

import pytest

from deixis.documents.formats.blink import read_blink, write_blink
from deixis.errors import DataError
from deixis.types import Document, Mention


def read(**record):
    basics = {"context_left": "so", "mention": "paris", "context_right": "fled ."}
    (document,) = read_blink([(2, json.dumps({**basics, **record}))], "test.jsonl")
    return document


def complaint(**record) -> str:
    with pytest.raises(DataError) as raised:
        read(**record)
    assert (raised.value.path, raised.value.line) == ("test.jsonl", 2)
    return str(raised.value)


def test_a_line_of_the_wikipedia_benchmarks_becomes_a_document():
    document = read(
        context_left="CRICKET - TOP .",
        mention="LONDON",
        context_right="1996-08-30",
        query_id="1094testa CRICKET:1",
        label_id="17867",
        Wikipedia_ID="17867",
        Wikipedia_URL="http://en.wikipedia.org/wiki/London",
        Wikipedia_title="London",
    )
    assert (document.id, document.text) == ("1094testa CRICKET:1", "CRICKET - TOP . LONDON 1996-08-30")
    assert [(m.start, m.text, m.entity) for m in document.mentions] == [(16, "LONDON", "London")]


def test_a_line_of_the_fandom_worlds_becomes_a_document():
    document = read(label="Paris was a prince ...", label_id=4711, label_title="Paris (prince)", world="troy")
    assert (document.id, document.text) == ("2", "so paris fled .")
    assert document.mentions[0].entity == "Paris (prince)"


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("", "", "paris"),
        ("", "fled", "paris fled"),
        ("so ", " fled", "so paris fled"),
        ("so\n", "", "so\nparis"),
        ("(", ")", "( paris )"),
        ("😀\u00a0", "東", "😀\u00a0paris 東"),
    ],
)
def test_contexts_get_one_space_where_nothing_divides_them_from_the_mention(left, right, text):
    document = read(context_left=left, context_right=right)
    assert document.text == text
    (mention,) = document.mentions
    assert document.text[mention.start : mention.end] == mention.text == "paris"


def test_contexts_that_were_cut_out_as_they_stand_are_joined_as_they_are():
    assert read(context_left="(", context_right=")", start_pos=1, end_pos=6).text == "(paris)"
    assert read(context_left="(", context_right=")", start_pos=99, end_pos=104).text == "( paris )"


@pytest.mark.parametrize(
    ("label", "entity", "is_nil"),
    [
        ({}, None, False),
        ({"label": "unknown", "label_id": -1}, None, False),
        ({"label_id": "-1"}, None, False),
        ({"label_id": None}, None, True),
        ({"label_id": 0}, "0", False),
        ({"label_id": None, "Wikipedia_title": "Paris"}, "Paris", False),
        ({"label_id": 7, "label_title": ""}, "7", False),
        ({"label_id": 7, "label_title": "Paris", "Wikipedia_title": "Troy"}, "Paris", False),
    ],
)
def test_the_title_wins_over_the_number_and_minus_one_is_undecided(label, entity, is_nil):
    (mention,) = read(**label).mentions
    assert (mention.entity, mention.is_nil) == (entity, is_nil)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"context_left": None}, "needs a 'context_left' that is a string"),
        ({"context_right": ["fled"]}, "needs a 'context_right'"),
        ({"mention": 7}, "needs a 'mention'"),
        ({"mention": ""}, "at least one character"),
        ({"label_title": {"en": "x"}}, "'label_title' must be a string"),
        ({"label_id": 0.5}, "'label_id' must be a string"),
    ],
)
def test_broken_lines_are_told_what_was_expected(record, words):
    assert words in complaint(**record)


def test_an_empty_file_holds_no_documents():
    assert list(read_blink([(1, "")], "x")) == []


def test_each_mention_is_written_on_its_own_line_with_the_whole_text_around_it():
    stream = io.StringIO()
    mentions = (Mention(1, 6, "Paris", "Q90"), Mention(8, 12, "Troy", is_nil=True), Mention(14, 15, "X"))
    assert write_blink([Document("d1", "(Paris) Troy; X", mentions=mentions), Document("d2", "none")], stream) == 2
    linked, nil, undecided = map(json.loads, stream.getvalue().splitlines())
    assert linked == {
        "id": "d1:0",
        "context_left": "(",
        "mention": "Paris",
        "context_right": ") Troy; X",
        "start_pos": 1,
        "end_pos": 6,
        "label": "",
        "label_id": "Q90",
        "label_title": "Q90",
    }
    assert (nil["label_id"], nil["label_title"]) == (None, None)
    assert (undecided["label"], undecided["label_id"]) == ("unknown", -1)
