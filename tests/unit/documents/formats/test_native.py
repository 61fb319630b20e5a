"""Native documents in: what is accepted, and what each mistake is told."""

import json

import pytest

from deixis.documents.formats.native import read_native
from deixis.errors import DataError

TROY = "To save Troy, Paris had to be sacrificed."


def read(*records):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return list(read_native(enumerate(lines, start=1), "docs.jsonl"))


def complaint(record) -> str:
    with pytest.raises(DataError) as raised:
        read({"text": "fine"}, record)
    assert raised.value.path == "docs.jsonl"
    assert raised.value.line == 2
    return str(raised.value)


def test_a_document_keeps_its_id_language_and_mentions():
    (document,) = read({"id": "d1", "text": TROY, "lang": "en", "mentions": [{"start": 14, "end": 19, "entity": "Q1"}]})
    assert (document.id, document.lang) == ("d1", "en")
    assert [(m.start, m.end, m.text, m.entity) for m in document.mentions] == [(14, 19, "Paris", "Q1")]


def test_a_document_without_an_id_gets_its_line_number_even_after_blank_lines():
    assert [document.id for document in read({"text": "a"}, "", "   ", {"text": "b"})] == ["1", "4"]


def test_a_missing_entity_is_undecided_and_a_null_entity_is_nil():
    (document,) = read({"text": TROY, "mentions": [{"start": 8, "end": 12}, {"start": 14, "end": 19, "entity": None}]})
    assert [(m.is_decided, m.is_nil) for m in document.mentions] == [(False, False), (True, True)]


def test_whole_numbers_serve_as_ids():
    (document,) = read({"id": 7, "text": TROY, "mentions": [{"start": 8, "end": 12, "entity": 90}]})
    assert document.id == "7"
    assert document.mentions[0].entity == "90"


def test_extra_keys_are_ignored():
    (document,) = read({"text": "Paris", "source": {"url": "x"}, "mentions": [{"start": 0, "end": 5, "type": "LOC"}]})
    assert document.mentions[0].text == "Paris"


def test_overlapping_and_equal_mentions_are_kept_and_stand_in_the_order_of_the_text():
    spans = [(4, 12), (0, 8), (0, 3), (0, 8)]
    (document,) = read({"text": "New York City", "mentions": [{"start": s, "end": e} for s, e in spans]})
    assert [(m.start, m.end) for m in document.mentions] == [(0, 3), (0, 8), (0, 8), (4, 12)]


def test_scores_and_candidates_are_read_back():
    mention = {"start": 0, "end": 5, "entity": "b", "score": 1, "candidates": [{"id": "b", "score": 0.5, "title": "B"}]}
    (document,) = read({"text": "Paris", "mentions": [mention]})
    assert document.mentions[0].score == 1.0
    assert document.mentions[0].candidates[0].title == "B"


def test_lone_surrogates_become_one_character_each_so_offsets_stay():
    line = (
        '{"text": "\\ud800\\udbff Paris \\ud83d\\ude00 Troy", "mentions": [{"start": 11, "end": 15, "text": "Troy"}]}'
    )
    (document,) = read(line)
    assert document.text == "\ufffd\ufffd Paris \U0001f600 Troy"
    assert document.mentions[0].text == "Troy"
    document.text.encode("utf-8")


def test_broken_json_says_where_and_how_to_read_plain_text():
    message = complaint('{"text": "Paris"')
    assert "docs.jsonl, line 2: not JSON" in message
    assert "column 17" in message
    assert "'lines'" in message


@pytest.mark.parametrize("record", [[1, 2], "3", "null", {"id": "x"}, {"text": None}, {"text": 5, "body": "y"}])
def test_a_line_without_a_text_is_refused(record):
    assert "document" in complaint(record)


def test_the_error_for_a_missing_text_lists_the_keys_that_are_there():
    assert "'body', 'headline'" in complaint({"body": "x", "headline": "y"})


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (14, 60, "has 41 characters"),
        (-1, 4, "lies outside the text"),
        (5, 5, "at least one character"),
        (9, 3, "'end' is exclusive"),
        ("14", "19", "start='14'"),
        (True, 4, "start=True"),
        (1.0, 4, "start=1.0"),
        (None, 4, "start=None"),
    ],
)
def test_a_span_that_does_not_fit_is_told_its_value(start, end, words):
    assert words in complaint({"text": TROY, "mentions": [{"start": start, "end": end}]})


def test_a_mention_text_that_disagrees_shows_both_and_the_right_place():
    message = complaint({"text": TROY, "mentions": [{"start": 13, "end": 18, "text": "Paris"}]})
    assert "says 'Paris', but the text has ' Pari'" in message
    assert "It stands at 14-19." in message
    assert "leave out 'text'" in message


def test_byte_and_utf16_offsets_are_recognised():
    in_bytes = {"text": "Zürich Paris", "mentions": [{"start": 8, "end": 13, "text": "Paris"}]}
    assert "The offsets count UTF-8 bytes" in complaint({**in_bytes, "text": "Zürich Paris."})
    in_utf16 = {"text": "\U0001f600 Paris.", "mentions": [{"start": 3, "end": 8, "text": "Paris"}]}
    assert "The offsets count UTF-16 units" in complaint(in_utf16)


@pytest.mark.parametrize(
    "broken",
    [
        {"mentions": {"start": 0}},
        {"mentions": [[0, 4]]},
        {"mentions": [{"start": 0, "end": 4, "text": 4}]},
        {"mentions": [{"start": 0, "end": 4, "entity": ["Q1"]}]},
        {"mentions": [{"start": 0, "end": 4, "score": "high"}]},
        {"mentions": [{"start": 0, "end": 4, "candidates": ["Q1"]}]},
        {"mentions": [{"start": 0, "end": 4, "candidates": [{"score": 1}]}]},
        {"lang": 5.5},
        {"id": ["d"]},
    ],
)
def test_values_of_the_wrong_type_are_refused_by_name(broken):
    key = next(iter(broken)) if "mentions" not in broken else ""
    message = complaint({"text": TROY, **broken})
    assert key in message
    assert "got" in message


def test_a_score_that_is_not_a_number_is_refused():
    assert "finite" in complaint('{"text": "abcd", "mentions": [{"start": 0, "end": 4, "score": NaN}]}')


def test_what_a_score_is_made_of_and_why_there_is_no_link_are_read():
    record = {"start": 14, "end": 19, "entity": None, "mention_score": 0.5, "entity_score": 1, "nil_reason": "unknown"}
    ((mention,),) = [document.mentions for document in read({"text": TROY, "mentions": [record]})]
    assert (mention.mention_score, mention.entity_score, mention.nil_reason) == (0.5, 1.0, "unknown")


@pytest.mark.parametrize("reason", ["lazy", 3, ["unknown"], True])
def test_a_reason_that_does_not_exist_is_told_with_those_that_do(reason):
    words = complaint({"text": TROY, "mentions": [{"start": 14, "end": 19, "nil_reason": reason}]})
    assert repr(reason) in words and "'unknown', 'ambiguous', 'not a mention'" in words


def test_a_mention_score_must_be_a_number():
    words = complaint({"text": TROY, "mentions": [{"start": 14, "end": 19, "mention_score": "high"}]})
    assert "'mention_score' must be a finite number, got 'high'" in words
