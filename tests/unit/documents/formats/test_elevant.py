"""ELEVANT in and out: benchmarks, linking results, and what each mistake is told."""

import io
import json

import pytest

from deixis.documents.formats.elevant import read_elevant, read_elevant_links, write_elevant, write_elevant_links
from deixis.documents.formats.native import read_native
from deixis.errors import DataError
from deixis.types import Candidate, Document, Mention

TEXT = "Angelina, her father Jon, and her partner Brad never played together."
ARTICLE = {"id": 16, "title": "CEL07", "text": TEXT, "hyperlinks": [], "evaluation_span": [0, len(TEXT)]}


def label(start, end, entity, **more):
    basics = {"id": 0, "span": [start, end], "entity_id": entity, "name": "x", "parent": None, "children": []}
    return {**basics, "optional": False, "type": "Q215627", **more}


def read(record, reader=read_elevant):
    (document,) = reader([(4, json.dumps(record))], "kore50.benchmark.jsonl")
    return document


def complaint(record, reader=read_elevant) -> str:
    with pytest.raises(DataError) as raised:
        read(record, reader)
    assert (raised.value.path, raised.value.line) == ("kore50.benchmark.jsonl", 4)
    return str(raised.value)


def test_labels_become_mentions_in_the_order_of_the_text():
    document = read({**ARTICLE, "labels": [label(42, 46, "Q35332"), label(0, 8, "Q13909")]})
    assert document.id == "16"
    assert [(m.start, m.text, m.entity) for m in document.mentions] == [
        (0, "Angelina", "Q13909"),
        (42, "Brad", "Q35332"),
    ]


@pytest.mark.parametrize("entity", ["Unknown", "Unknown1", "UnknownNoMapping"])
def test_unknown_entities_are_nil(entity):
    (mention,) = read({**ARTICLE, "labels": [label(21, 24, entity)]}).mentions
    assert (mention.entity, mention.is_nil) == (None, True)


def test_dates_and_quantities_are_no_mentions():
    labels = [label(0, 8, "DATETIME", type="DATETIME"), label(21, 24, "QUANTITY"), label(42, 46, "Q35332")]
    assert [m.entity for m in read({**ARTICLE, "labels": labels}).mentions] == ["Q35332"]


def test_nested_and_optional_labels_are_kept():
    labels = [label(0, 24, "Q1", children=[1]), label(0, 8, "Q2", parent=0), label(42, 46, "Q3", optional=True)]
    assert [m.entity for m in read({**ARTICLE, "labels": labels}).mentions] == ["Q2", "Q1", "Q3"]


def test_offsets_count_code_points_past_emoji_and_accents():
    record = {"id": 1, "title": "", "text": "😀 Eva Pero\u0301n", "labels": [label(2, 12, "Q40933")]}
    assert read(record).mentions[0].text == "Eva Pero\u0301n"


LINKED = {
    **ARTICLE,
    "entity_mentions": [
        {"span": [0, 8], "recognized_by": "SpaCy_NER", "id": "Q294", "linked_by": "X", "candidates": ["Q108", "Q294"]},
        {"span": [21, 24], "recognized_by": "SpaCy_NER", "linked_by": "X", "candidates": []},
        {"span": [42, 46], "recognized_by": "SpaCy_NER"},
    ],
}


def test_a_result_without_labels_gives_its_links_and_puts_the_link_first():
    linked, nil, undecided = read(LINKED).mentions
    assert linked.entity == "Q294"
    assert [candidate.id for candidate in linked.candidates] == ["Q294", "Q108"]
    assert (nil.is_nil, undecided.is_decided) == (True, False)


def test_a_result_with_labels_gives_labels_or_links_as_the_format_says():
    record = {**LINKED, "labels": [label(0, 8, "Q13909")]}
    assert [m.entity for m in read(record).mentions] == ["Q13909"]
    assert [m.entity for m in read(record, read_elevant_links).mentions] == ["Q294", None, None]


def test_empty_labels_are_gold_without_mentions_even_beside_links():
    assert read({**LINKED, "labels": []}).mentions == ()


def test_an_empty_file_holds_no_documents():
    assert list(read_elevant([(1, ""), (2, "  ")], "x")) == []


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"text": None}, "needs a 'text'"),
        ({"labels": [{"span": [0, 8]}]}, "needs an 'entity_id'"),
        ({"labels": [label(0, 90, "Q1")]}, "lies outside the text, which has 69 characters"),
        ({"labels": [label(8, 8, "Q1")]}, "at least one character"),
        ({"labels": [{"entity_id": "Q1"}]}, "'span' must be two whole numbers"),
        ({"labels": [{"span": [1, 2, 3], "entity_id": "Q1"}]}, "'span' must be two whole numbers"),
        ({"labels": {"span": [0, 8]}}, "'labels' must be a list"),
        ({"labels": [label(0, 8, ["Q1"])]}, "'entity_id' must be a string"),
        ({"id": 1.5}, "'id' must be a string"),
    ],
)
def test_broken_articles_are_told_what_was_expected(broken, words):
    assert words in complaint({**ARTICLE, **broken})


def test_candidates_that_are_not_ids_are_refused():
    mention = {"span": [0, 8], "candidates": [{"id": "Q1"}]}
    assert "a list of entity ids" in complaint({**ARTICLE, "entity_mentions": [mention]}, read_elevant_links)


def test_native_does_not_read_a_benchmark_as_documents_without_mentions():
    assert "'elevant'" in complaint({**ARTICLE, "labels": [label(0, 8, "Q1")]}, read_native)


def written(writer, *mentions, name="d1"):
    stream = io.StringIO()
    assert writer([Document(name, "Paris fled Troy", mentions=mentions)], stream, "out.jsonl") == 1
    return json.loads(stream.getvalue())


def test_written_labels_have_every_key_that_elevant_reads():
    candidates = (Candidate("Q90", 0.1, "Paris"), Candidate("Q167646", 0.9, "Paris (mythology)"))
    linked = Mention(0, 5, "Paris", "Q167646", candidates=candidates)
    record = written(write_elevant, linked, Mention(11, 15, "Troy", is_nil=True), name="12")
    assert (record["id"], record["title"], record["evaluation_span"]) == (12, "12", [0, 15])
    first, second = record["labels"]
    assert first == {
        "id": 0,
        "span": [0, 5],
        "entity_id": "Q167646",
        "name": "Paris (mythology)",
        "parent": None,
        "children": [],
        "optional": False,
        "type": "OTHER",
    }
    assert second["entity_id"] == "Unknown"


@pytest.mark.parametrize(("name", "id_"), [("7", 7), ("007", "007"), ("-7", "-7"), ("٧", "٧"), ("d1", "d1"), ("0", 0)])
def test_only_plain_whole_numbers_become_numbers(name, id_):
    assert written(write_elevant, name=name)["id"] == id_


def test_an_undecided_mention_cannot_be_a_label_but_can_be_a_link():
    with pytest.raises(DataError, match=r"out.jsonl: the mention 0-5 of document 'd1' .*'elevant-links'"):
        written(write_elevant, Mention(0, 5, "Paris"))
    assert "linked_by" not in written(write_elevant_links, Mention(0, 5, "Paris"))["entity_mentions"][0]


@pytest.mark.parametrize("entity", ["Unknown7", "QUANTITY"])
@pytest.mark.parametrize("writer", [write_elevant, write_elevant_links])
def test_an_id_that_elevant_takes_for_no_entity_is_refused(writer, entity):
    with pytest.raises(DataError, match="takes for no entity"):
        written(writer, Mention(0, 5, "Paris", entity))
