"""Rows as Hugging Face's datasets have them."""

import io
import json

import pytest

from deixis.documents.formats.hf import read_hf, write_hf
from deixis.documents.formats.native import read_native
from deixis.errors import DataError
from deixis.types import Candidate, Document, Mention

DOCUMENTS = [
    Document("d0", "Nothing here."),
    Document(
        "d1",
        "😀 Paris fled Troy to see Ann.",
        "en",
        (
            Mention(
                2, 7, "Paris", "Q167646", 0.9, candidates=(Candidate("Q167646", 0.9, "Paris"), Candidate("Q90", 0.1))
            ),
            Mention(13, 17, "Troy"),
            Mention(25, 28, "Ann", is_nil=True),
        ),
    ),
]


def rows():
    stream = io.StringIO()
    assert write_hf(DOCUMENTS, stream) == 2
    return stream.getvalue().splitlines()


def read(*records):
    return list(read_hf(enumerate(map(json.dumps, records), start=1), "rows.jsonl"))


def test_every_row_has_every_column():
    records = [json.loads(row) for row in rows()]
    assert {tuple(record) for record in records} == {("id", "text", "lang", "mentions")}
    mentions = records[1]["mentions"]
    assert {tuple(mention) for mention in mentions} == {
        ("start", "end", "text", "entity", "score", "nil", "candidates", "mention_score", "entity_score", "nil_reason")
    }
    assert [(mention["entity"], mention["nil"]) for mention in mentions] == [
        ("Q167646", False), (None, None), (None, True)
    ]  # fmt: skip
    assert [candidate["title"] for candidate in mentions[0]["candidates"]] == ["Paris", ""]


@pytest.mark.parametrize("reader", [read_hf, read_native])
def test_all_is_read_back_also_by_those_who_take_it_for_native(reader):
    assert list(reader(enumerate(rows(), start=1), "rows.jsonl")) == DOCUMENTS


def test_the_datasets_library_loads_it_and_writes_what_is_read(tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    (tmp_path / "rows.jsonl").write_text("\n".join(rows()) + "\n", encoding="utf-8")
    dataset = datasets.load_dataset(
        "json", data_files=str(tmp_path / "rows.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert dataset.column_names == ["id", "text", "lang", "mentions"]
    dataset.to_json(tmp_path / "again.jsonl", force_ascii=False)
    lines = (tmp_path / "again.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(read_hf(enumerate(lines, start=1), "again.jsonl")) == DOCUMENTS


def test_mentions_may_be_columns():
    columns = {"start": [0, 11], "end": [5, 15], "entity": ["Q1", None], "nil": [False, None]}
    (document,) = read({"id": 7, "text": "Paris fled Troy.", "mentions": columns})
    assert document.mentions == (Mention(0, 5, "Paris", "Q1"), Mention(11, 15, "Troy"))
    assert document.id == "7"


def test_candidates_may_be_columns():
    columns = {"start": [0], "end": [5], "candidates": [{"id": ["Q1", "Q2"], "score": [0.7, 0.3]}]}
    (document,) = read({"text": "Paris", "mentions": columns})
    assert document.mentions[0].candidates == (Candidate("Q1", 0.7), Candidate("Q2", 0.3))


@pytest.mark.parametrize("key", ["entity", "entity_id", "kb_id", "qid"])
def test_other_names_of_columns_are_known(key):
    (document,) = read(
        {"document_id": "a", "language": "de", "text": "Troja", "entities": [{"start": 0, "end": 5, key: "Q1"}]}
    )
    assert document == Document("a", "Troja", "de", (Mention(0, 5, "Troja", "Q1"),))


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ({"start": [0], "end": [5, 6]}, "equally long"),
        ({"start": 0, "end": 5}, "must hold lists"),
        ([3], "must hold objects"),
        ("x", "must be a list"),
    ],
)
def test_columns_that_do_not_fit_are_errors_with_their_place(mentions, message):
    with pytest.raises(DataError, match=f"rows.jsonl, line 1: .*{message}"):
        read({"text": "Paris", "mentions": mentions})


def test_native_names_the_format_of_columns():
    line = json.dumps({"text": "Paris", "mentions": {"start": [0], "end": [5]}})
    with pytest.raises(DataError, match="format 'hf'"):
        list(read_native([(1, line)], "rows.jsonl"))
