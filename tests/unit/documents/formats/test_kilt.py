"""KILT in and out: markers, answers, provenance, and lines that KILT's scorers take."""

import io
import json

import pytest

from deixis.documents.formats.kilt import read_kilt, write_kilt
from deixis.errors import DataError
from deixis.types import Candidate, Document, Mention


def read(record):
    (document,) = read_kilt([(9, json.dumps(record))], "aidayago2-dev-kilt.jsonl")
    return document


def marked(text):
    return read({"id": "1", "input": text})


def meaning(*outputs):
    return read({"id": "1", "input": "[START_ENT] Paris [END_ENT] fled", "output": list(outputs)}).mentions[0]


def complaint(record) -> str:
    with pytest.raises(DataError) as raised:
        read(record)
    assert (raised.value.path, raised.value.line) == ("aidayago2-dev-kilt.jsonl", 9)
    return str(raised.value)


LONDON = {
    "id": "9a1d_1094testa CRICKET:1",
    "input": "CRICKET - TOP . [START_ENT] LONDON [END_ENT] 1996-08-30 West Indian",
    "output": [{"answer": "London", "provenance": [{"wikipedia_id": "17867", "title": "London"}]}],
    "meta": {"left_context": "CRICKET - TOP .", "mention": "LONDON", "right_context": "1996-08-30 West Indian"},
}


def test_a_published_line_becomes_a_document_without_markers():
    document = read(LONDON)
    assert document.id == "9a1d_1094testa CRICKET:1"
    assert document.text == "CRICKET - TOP . LONDON 1996-08-30 West Indian"
    (mention,) = document.mentions
    assert (mention.start, mention.end, mention.text) == (16, 22, "LONDON")
    assert (mention.entity, mention.candidates) == ("London", ())


@pytest.mark.parametrize(
    ("text", "plain", "surface"),
    [
        (" [START_ENT] Paris [END_ENT] fled", " Paris fled", "Paris"),
        ("[START_ENT]Paris[END_ENT]", "Paris", "Paris"),
        ("the [START_ENT] City of Light [END_ENT]", "the City of Light", "City of Light"),
        ("un[START_ENT] Paris [END_ENT]ian", "unParisian", "Paris"),
        ("😀 [START_ENT] Zu\u0308rich [END_ENT] 東", "😀 Zu\u0308rich 東", "Zu\u0308rich"),
        ("[START_ENT]   [END_ENT]", " ", " "),
    ],
)
def test_a_marker_goes_with_the_one_space_inside_it(text, plain, surface):
    document = marked(text)
    (mention,) = document.mentions
    assert (document.text, mention.text) == (plain, surface)
    assert document.text[mention.start : mention.end] == surface


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who won in 1936?", "[START_ENT] 0 times"),
        ("[START_ENT] Paris", "[END_ENT] 0 times"),
        ("[START_ENT] Paris [END_ENT] and [START_ENT] Troy [END_ENT]", "[START_ENT] 2 times"),
        ("[START_ENT] Paris [END_ENT] [END_ENT]", "[END_ENT] 2 times"),
        ("[END_ENT] Paris [START_ENT]", "[END_ENT] stands before [START_ENT]"),
        ("[START_ENT] [END_ENT]", "nothing stands between"),
    ],
)
def test_missing_doubled_and_swapped_markers_are_told(text, words):
    assert words in complaint({"id": "1", "input": text})


def test_the_answer_names_the_entity_where_there_is_no_page():
    assert meaning({"answer": "Paris (mythology)"}).entity == "Paris (mythology)"


def test_a_test_set_without_output_is_undecided():
    assert not marked("[START_ENT] Paris [END_ENT]").mentions[0].is_decided
    assert not meaning().is_decided


def test_several_outputs_are_alternatives():
    pages = [{"provenance": [{"title": "Paris"}]}, {"provenance": [{"title": "Troy"}]}, {"answer": "Paris"}]
    assert meaning(*pages).entity == "Paris|Troy"


def test_a_retrievers_pages_without_an_answer_are_candidates_and_no_decision():
    pages = [{"wikipedia_id": "1", "title": "Paris", "score": 2.5}, {"wikipedia_id": "2", "title": "Troy", "score": 1}]
    mention = meaning({"provenance": pages})
    assert not mention.is_decided
    assert mention.candidates == (Candidate("Paris", 2.5), Candidate("Troy", 1.0))


def test_pages_with_an_answer_are_candidates_of_which_the_first_is_the_link():
    mention = meaning({"answer": "Paris", "provenance": [{"title": "Paris"}, {"title": "Troy"}]})
    assert mention.entity == "Paris"
    assert [candidate.id for candidate in mention.candidates] == ["Paris", "Troy"]


def test_a_page_without_a_title_is_called_by_its_wikipedia_id():
    assert meaning({"provenance": [{"wikipedia_id": 17867}]}).entity == "17867"


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"input": 5}, "needs a 'input'"),
        ({"text": "Paris"}, "Keys here: 'text'"),
        ({"input": LONDON["input"], "output": {"answer": "x"}}, "'output' must be a list"),
        ({"input": LONDON["input"], "output": ["London"]}, "'output' must hold objects"),
        ({"input": LONDON["input"], "output": [{"provenance": [{"start": 3}]}]}, "needs a 'title' or a 'wikipedia_id'"),
        ({"input": LONDON["input"], "output": [{"provenance": [{"title": "x", "score": "1"}]}]}, "finite number"),
        ({"input": LONDON["input"], "output": [{"answer": ["x"]}]}, "'answer' must be a string"),
    ],
)
def test_broken_lines_are_told_what_was_expected(record, words):
    assert words in complaint(record)


def test_an_empty_file_holds_no_documents():
    assert list(read_kilt([], "x")) == list(read_kilt([(1, " ")], "x")) == []


def written(*mentions, text="Paris fled Troy"):
    stream = io.StringIO()
    assert write_kilt([Document("d1", text, mentions=mentions)], stream, "out.jsonl") == 1
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_candidates_are_written_as_provenance_under_the_entitys_id_and_title():
    candidates = (Candidate("17867", 0.75, "London"), Candidate("92478", 0.25, "London, Ontario"))
    (record,) = written(Mention(11, 15, "Troy", "17867", 0.75, candidates=candidates))
    assert record == {
        "id": "d1",
        "input": "Paris fled [START_ENT] Troy [END_ENT]",
        "output": [
            {
                "answer": "London",
                "score": 0.75,
                "provenance": [
                    {"id": "17867", "wikipedia_id": "17867", "title": "London", "score": 0.75},
                    {"id": "92478", "wikipedia_id": "92478", "title": "London, Ontario", "score": 0.25},
                ],
            }
        ],
    }


def test_a_link_that_is_not_the_first_candidate_still_leads_the_pages():
    (record,) = written(Mention(0, 5, "Paris", "Troy", candidates=(Candidate("Paris", 0.9), Candidate("Troy", 0.1))))
    assert [page["wikipedia_id"] for page in record["output"][0]["provenance"]] == ["Troy", "Paris", "Troy"]


def test_each_mention_of_a_document_has_its_own_line_and_number():
    first, second = written(Mention(0, 5, "Paris"), Mention(11, 15, "Troy", is_nil=True))
    assert (first["id"], second["id"]) == ("d1:0", "d1:1")
    assert first["output"] == []
    assert second["output"] == [{"answer": "NIL", "provenance": []}]


def test_a_published_line_is_written_as_it_was():
    stream = io.StringIO()
    write_kilt([read(LONDON)], stream)
    record = json.loads(stream.getvalue())
    assert (record["id"], record["input"]) == (LONDON["id"], LONDON["input"])
    assert record["output"][0]["answer"] == "London"


def test_a_text_with_a_marker_of_its_own_cannot_be_written():
    with pytest.raises(DataError, match=r"out.jsonl: the mention 0-5 of document 'd1' cannot be marked"):
        written(Mention(0, 5, "Paris"), text="Paris [END_ENT]")
