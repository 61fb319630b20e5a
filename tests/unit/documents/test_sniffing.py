"""The format of a file that nobody has named: from its name, then from how it begins."""

import json

import pytest

from deixis.documents.formats import READERS
from deixis.documents.reading import read_documents
from deixis.documents.sniffing import MAX_LINES, format_of, opening_of
from deixis.errors import DataError

HIPE = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNEL-LIT"
MEWSLI = "docid\tposition\tlength\tmention\turl\tlang\tqid"
OPENING_TO_FORMAT = {
    "-DOCSTART- (1 EU)": "aida",
    HIPE: "hipe",
    MEWSLI: "mewsli",
    "354896|t|Lidocaine": "pubtator",
    "letter 5|t|Lidocaine": "pubtator",
    "354896|a|No title": "pubtator",
    "x\ny|t|z": "text",
    '<collection xmlns="http://x.org/">': "bioc-xml",
    "<collections>": "text",
    '<?xml version="1.0" encoding="UTF-8"?>': "bioc-xml",
    "<!DOCTYPE collection SYSTEM 'BioC.dtd'>": "bioc-xml",
    "<collection>": "bioc-xml",
    "@prefix nif: <http://x.org/> .": "nif",
    "<http://x.org/a> <http://x.org/b> 'c' .": "nif",
    "Dear Paris,": "text",
    "<p>Dear Paris</p>": "text",
    "[1] Homer": "text",
}
KEYS_TO_FORMAT = {
    ("id", "text"): "native",
    ("mentions", "id", "text"): "native",
    ("text", "mentions", "labels"): "native",
    ("id", "title", "text", "labels"): "elevant",
    ("id", "title", "text", "entity_mentions"): "elevant",
    ("id", "input", "output"): "kilt",
    ("id", "text", "input"): "native",
    ("context_left", "mention", "context_right"): "blink",
    ("mention_id", "context_document_id", "text", "label_document_id"): "zeshel",
    ("source", "documents"): "bioc-json",
    ("id", "passages"): "bioc-json",
    ("PubTator3",): "bioc-json",
    ("qid", "wiki"): "damuel",
    ("qid", "text", "tokens", "links"): "damuel",
}


def sniffed(name, text):
    return format_of(name, opening_of(enumerate(text.split("\n"), start=1)))


@pytest.mark.parametrize(("opening", "format"), OPENING_TO_FORMAT.items())
def test_a_file_without_a_telling_name_is_known_by_its_first_line(opening, format):
    assert sniffed("-", f"\n{opening}\nmore") == format


@pytest.mark.parametrize(("keys", "format"), KEYS_TO_FORMAT.items(), ids="-".join)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["gold.jsonl", "gold.json.gz", "-"])
def test_json_is_told_apart_by_the_keys_of_the_first_object(keys, format, indent, name):
    record = dict.fromkeys(keys, [{"text": 'a "}{" \\', "passages": []}])
    assert sniffed(name, json.dumps(record, indent=indent)) == format
    assert sniffed(name, json.dumps([record], indent=indent)) == format


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.xml", "bioc-xml"), ("a.XML.gz", "bioc-xml"), ("a.ttl", "nif"), ("a.md", "text"), ("a.PubTator", "pubtator")],
)
def test_some_names_tell_it_all(name, format):
    assert format_of(name, [(1, "-DOCSTART- (1)")]) == format


@pytest.mark.parametrize("name", ["corpus.tar", "corpus.tar.gz", "corpus.tgz"])
def test_an_archive_is_no_text(name):
    with pytest.raises(DataError, match=f"{name}: is an archive of files; unpack it"):
        format_of(name, [(1, "letter.txt\0\0\0")])


def test_somebodys_own_labels_do_not_make_elevant():
    assert sniffed("a.jsonl", '{"text": "x", "labels": ["sports", "news"]}') == "native"
    assert sniffed("a.jsonl", '{"text": "x", "labels": []}') == "elevant"


def test_a_text_file_with_braces_is_a_text():
    assert sniffed("notes.txt", '{"documents": 1}') == "text"
    assert sniffed("corpus.PubTator.txt", "1|t|Title") == "pubtator"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [("gold.tsv", "word\ttag", "no table that is known"), ("gold.jsonl", '{"body": "x", "n": {"text": 1}}', "body, n")],
)
def test_a_file_that_could_be_anything_is_refused_with_the_list_of_formats(name, text, words):
    with pytest.raises(DataError, match=f"{name}, line 1: .*{words}") as caught:
        sniffed(name, text)
    assert "--format" in str(caught.value)
    assert all(format in str(caught.value) for format in READERS)


@pytest.mark.parametrize("name", ["none.tsv", "none.jsonl", "none.xml", "none.ttl", "none"])
def test_an_empty_file_of_any_name_holds_no_documents(tmp_path, name):
    (tmp_path / name).write_text("\n\n", encoding="utf-8")
    assert list(read_documents(tmp_path / name)) == []


def test_no_more_is_read_than_shows_the_format():
    lines = iter([(1, "{"), (2, '"documents": ['), (3, "{}")])
    assert len(opening_of(lines)) == 2
    assert next(lines) == (3, "{}")
    assert len(opening_of(iter([(1, '{"text": "x"}'), (2, "y")]))) == 1
    assert len(opening_of((number, '{"a":') for number in range(1000))) == MAX_LINES


def test_what_was_looked_at_is_read_all_the_same(tmp_path):
    path = tmp_path / "corpus"
    path.write_text(
        '\n{\n"documents": [\n{"id": "1", "passages": [{"offset": 0, "text": "x"}]}\n]}\n', encoding="utf-8"
    )
    assert [document.text for document in read_documents(path)] == ["x"]
