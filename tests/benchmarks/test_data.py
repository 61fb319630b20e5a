import gzip
import hashlib

import pytest

from benchmarks.suites.data import DataFolder, half_of, sha256_of, with_language
from benchmarks.suites.melo import melo_documents, melo_records
from benchmarks.suites.suite import KbSource, Part, Suite
from deixis.errors import DataError
from deixis.kb.entity import Alias
from deixis.kb.knowledge_base import KnowledgeBase

MELO = {
    "queries.tsv": "Q1\tSchmied\nQ2\tMaler\nQ3\tVager Beruf\n",
    "corpus_elements.tsv": "C1_0\tHufschmied\nC1_1\tSchmiedin\nC2_0\tMaler\nC3_0\tMaler\n",
    "concept_mapping.tsv": "C1_0\thttp://esco/1\nC1_1\thttp://esco/1\nC2_0\thttp://esco/2\nC3_0\thttp://esco/3\n",
    "annotations.tsv": "Q1\t0\tC1_0\t1\nQ1\t0\tC1_1\t1\nQ1\t0\tC2_0\t0\nQ2\t0\tC2_0\t1\nQ2\t0\tC3_0\t1\n",
}


@pytest.fixture
def melo(tmp_path):
    folder = tmp_path / "melo"
    folder.mkdir()
    for name, text in MELO.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def suite(**changes):
    values = {
        "name": "tiny",
        "kb": {"path": "demo:entities.jsonl"},
        "dev": [{"name": "dev", "path": "demo:sentences.jsonl"}],
        "systems": ["exact"],
    }
    return Suite.from_dict(values | changes)


def test_a_job_title_may_mean_every_concept_with_a_relevant_name(melo):
    assert melo_records(melo)[0] == {"id": "http://esco/1", "title": "Hufschmied", "aliases": ["Schmiedin"]}
    documents = list(melo_documents(melo))
    assert [(d.text, d.mentions[0].text, d.mentions[0].entity) for d in documents] == [
        ("Schmied", "Schmied", "http://esco/1"),
        ("Maler", "Maler", "http://esco/2|http://esco/3"),
        ("Vager Beruf", "Vager Beruf", None),
    ]


def test_melo_files_may_be_compressed(melo):
    raw = (melo / "queries.tsv").read_bytes()
    (melo / "queries.tsv").unlink()
    (melo / "queries.tsv.gz").write_bytes(gzip.compress(raw))
    assert len(list(melo_documents(melo))) == 3


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("queries.tsv", "Q1 Schmied\n", "queries.tsv, line 1: 1 fields, expected 2"),
        ("annotations.tsv", "Q1\t0\tC9_0\t1\n", "'C9_0' is used but concept_mapping.tsv"),
        ("annotations.tsv", "Q1\t0\tC1_0\tyes\n", "line 1: relevance must be a number, got 'yes'"),
        ("queries.tsv", None, "no queries.tsv or queries.tsv.gz"),
    ],
)
def test_a_damaged_melo_set_says_where(melo, file, text, words):
    if text is None:
        (melo / file).unlink()
    else:
        (melo / file).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        list(melo_documents(melo))


def test_halves_are_disjoint_complete_and_about_even(melo):
    data = DataFolder(melo.parent)
    melo_suite = suite(kb={"path": "melo", "format": "melo"})
    halves = {
        half: [d.id for d in data.read_part(melo_suite, Part(half or "all", "melo", half))]
        for half in ("", "dev", "test")
    }
    assert sorted(halves["dev"] + halves["test"]) == halves[""] == ["Q1", "Q2", "Q3"]
    assert 450 < sum(half_of(f"document {number}") == "dev" for number in range(1000)) < 550


def test_numbered_documents_of_one_source_stay_on_one_side():
    for number in range(50):
        assert len({half_of(f"n{number}{tail}") for tail in ("", "#1", "#2")}) == 1


def test_shipped_files_are_found_without_a_data_folder(tmp_path):
    data = DataFolder(tmp_path / "nowhere")
    data.check(suite())
    assert len(data.read_kb(KbSource("demo:entities.jsonl"))) > 1000
    assert data.read_mentions("") == []
    assert len(data.read_mentions("demo:sentences.jsonl")) > 200


def test_the_data_folder_is_the_one_given_then_the_environments_then_beside_the_source(tmp_path, monkeypatch):
    monkeypatch.delenv("DEIXIS_DATA", raising=False)
    assert DataFolder.choose(None, beside=tmp_path / "main").root == tmp_path / "shared" / "data"
    monkeypatch.setenv("DEIXIS_DATA", "/some/where")
    assert str(DataFolder.choose(None, beside=tmp_path).root) == "/some/where"
    assert str(DataFolder.choose("here", beside=tmp_path).root) == "here"


def test_files_that_are_missing_are_named(tmp_path):
    data = DataFolder(tmp_path)
    wanting = suite(mentions="train.jsonl", kb={"path": "kb.jsonl"})
    assert data.missing(wanting) == ["kb.jsonl", "train.jsonl"]
    with pytest.raises(
        DataError, match="'tiny' needs files that are not there: kb.jsonl, train.jsonl.*--data or DEIXIS"
    ):
        data.check(wanting)


def test_another_file_than_the_one_meant_is_an_error_with_both_checksums(tmp_path):
    (tmp_path / "kb.jsonl").write_text("{}\n")
    found = hashlib.sha256(b"{}\n").hexdigest()
    assert sha256_of(tmp_path / "kb.jsonl") == found
    DataFolder(tmp_path).check(suite(files={"kb.jsonl": found}))
    with pytest.raises(DataError, match=rf"kb.jsonl: is not the file .* its sha256 is {found}, expected {'0' * 64}"):
        DataFolder(tmp_path).check(suite(files={"kb.jsonl": "0" * 64}))


def test_the_folder_tells_the_language_of_queries_and_the_suite_that_of_names(melo):
    folder = melo.rename(melo.parent / "deu_q_de_c_en")
    assert {document.lang for document in melo_documents(folder)} == {"de"}
    kb = DataFolder(folder.parent).read_kb(KbSource(folder.name, format="melo", lang="en"))
    assert kb.langs == ("en",)
    assert kb.entity("http://esco/1").aliases == (Alias("Schmiedin", "en"),)


def test_a_language_is_given_only_to_names_and_descriptions_without_one():
    kb = KnowledgeBase.from_records(
        [{"id": "1", "title": "a", "aliases": ["b", {"text": "c", "lang": "fr"}], "description": "d"}]
    )
    entity = with_language(kb, "de").entity("1")
    assert entity.aliases == (Alias("b", "de"), Alias("c", "fr"))
    assert entity.descriptions == {"de": "d"}
