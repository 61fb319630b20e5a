"""Documents of every format through the commands."""

import json

import pytest

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents

TEXT = "To save Troy , Paris had to be sacrificed ."
SUFFIXES = {"bioc-xml": "xml", "nif": "ttl", "pubtator": "txt", "aida": "tsv", "hipe": "tsv", "mewsli": "tsv"}


@pytest.mark.parametrize("format", sorted(set(WRITERS) & set(READERS) - {"html"}))
def test_links_are_written_in_every_format_and_read_back_without_naming_it(deixis_inside, model, format):
    (deixis_inside.folder / "in.jsonl").write_text(json.dumps({"id": "d1", "text": TEXT}) + "\n", encoding="utf-8")
    name = f"links.{SUFFIXES.get(format, 'jsonl')}"
    deixis_inside("link", model, "in.jsonl", "--to", format, "-o", name)
    mentions = [mention for document in read_documents(deixis_inside.folder / name) for mention in document.mentions]
    assert [mention.text for mention in mentions] == ["Troy", "Paris"]
    assert mentions[0].entity == "troy"


def test_links_are_written_as_web_annotations(deixis_inside, model):
    done = deixis_inside("link", model, "--to", "web-annotation", stdin=TEXT)
    (page,) = (json.loads(line) for line in done.stdout.splitlines())
    assert page["type"] == "AnnotationPage"
    assert page["items"][0]["body"]["source"] == "urn:deixis:entity:troy"
    assert page["items"][0]["target"]["selector"][1]["exact"] == "Troy"


@pytest.mark.parametrize("format", ["zeshel", "mewsli"])
def test_a_format_that_makes_several_files_needs_a_name_for_them(deixis_inside, model, format):
    done = deixis_inside("link", model, "--to", format, stdin="Troy", code=1)
    assert "give a file name" in done.stderr


def test_link_reads_the_format_it_is_told(deixis_inside, model):
    done = deixis_inside("link", model, "--format", "pubtator", stdin="1|t|Troy fell\n1\t0\t4\tTroy\tPlace\n")
    (document,) = (json.loads(line) for line in done.stdout.splitlines())
    assert [(mention["text"], mention["entity"]) for mention in document["mentions"]] == [("Troy", "troy")]


@pytest.mark.parametrize("option", ["--format", "--to"])
def test_an_unknown_format_is_an_error_that_lists_those_there_are(deixis_inside, option):
    done = deixis_inside("link", "no-such-model", option, "pubtaor", stdin="Troy", code=1)
    assert "Did you mean 'pubtator'?" in done.stderr
    assert "bioc-xml" in done.stderr


def test_build_learns_from_mentions_in_another_format(deixis_inside):
    (deixis_inside.folder / "more.dat").write_text("1|t|Ilios fell\n1\t0\t5\tIlios\tPlace\ttroy\n", encoding="utf-8")
    deixis_inside("build", "kb.jsonl", "-o", "learned", "--mentions", "more.dat", "--mentions-format", "pubtator")
    question = json.dumps({"text": "Ilios stood", "mentions": [{"start": 0, "end": 5}]})
    (document,) = (json.loads(line) for line in deixis_inside("link", "learned", stdin=question).stdout.splitlines())
    assert document["mentions"][0]["candidates"][0]["id"] == "troy"
    done = deixis_inside(
        "build", "kb.jsonl", "-o", "m2", "--mentions", "more.dat", "--mentions-format", "pubtatr", code=1
    )
    assert "Did you mean 'pubtator'?" in done.stderr


def test_the_help_names_every_format(deixis_inside):
    words = deixis_inside("link", "--help").stdout.replace(",", " ").replace(".", " ").split()
    assert set(READERS) | set(WRITERS) <= set(words)
