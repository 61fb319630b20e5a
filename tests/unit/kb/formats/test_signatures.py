"""What is no list is named for what it is, with what to do, and never shown as bytes."""

import io
import os
import tarfile
import threading
import zipfile

import pytest

from deixis.errors import DataError
from deixis.kb.formats import guess_format
from deixis.kb.knowledge_base import KnowledgeBase


def zipped(*names):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "id,title\n1,Paris\n")
    return content.getvalue()


def tarred():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("kb.csv"))
    return content.getvalue()


FOREIGN = {
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    r"an image \(PNG\)": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    r"an image \(JPEG\)": b"\xff\xd8\xff\xe0\0\x10JFIF",
    r"a zip archive \(kb\.csv\); unpack it": zipped("kb.csv"),
    r"a zip archive \(0, 1, 2, 3, 4, \.\.\.\)": zipped(*map(str, range(9))),
    "a Word document": zipped("[Content_Types].xml", "word/document.xml"),
    "a damaged zip archive": zipped("kb.csv")[:40],
    "a tar archive": tarred(),
    "a web page": b"\n<!DOCTYPE HTML>\n<html><body>1,2</body></html>",
    "a program": b"\x7fELF\x02\x01\x01\0",
    "a binary file": bytes(range(256)) * 20,
    "Feather version 1": b"FEA1\0\0\0\0",
}


@pytest.mark.parametrize(("what", "content"), FOREIGN.items(), ids=FOREIGN)
@pytest.mark.parametrize("name", ["kb.csv", "kb", "kb.xlsx"])
def test_a_file_that_is_no_list_is_named_for_what_it_is(tmp_path, name, what, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}: is {what}") as caught:
        KnowledgeBase.read(tmp_path / name)
    assert caught.value.reason.isprintable() and "\\x" not in caught.value.reason


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_with_a_name_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"id,title\n1,Paris\n",))
    writer.start()
    assert list(KnowledgeBase.read(tmp_path / "pipe").titles) == ["Paris"]
    writer.join()


def test_a_binary_format_that_comes_through_a_pipe_asks_for_the_file():
    with pytest.raises(DataError, match="parquet is not read from standard input; give the name of the file"):
        guess_format("-", b"PAR1\x15\x04")


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("go.txt", b"format-version: 1.2\ndata-version: x\n", "obo"),
        ("x", b"! a comment\n[Term]\nid: X:1\n", "obo"),
        ("desc.xml", b'<?xml version="1.0"?>\n<DescriptorRecordSet LanguageCode="eng">', "mesh"),
        ("x.rdf", b'<?xml version="1.0"?>\n<rdf:RDF>\n<owl:Ontology rdf:about="x"/>', "owl"),
        ("x.owl", b'<?xml version="1.0"?>\n<rdf:RDF>\n<skos:Concept rdf:about="x"/>', "skos"),
        ("x.nt", b"<x:a> <http://www.w3.org/x#type> <http://www.w3.org/2002/07/owl#Class> .", "owl"),
        ("x.jsonld", b'{"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@type": "owl:Class"}', "owl"),
        ("query.csv", b"item,itemLabel,itemAltLabel,itemDescription", "wikidata-query"),
        ("kb.csv", b"type,typeLabel,id,title", "csv"),
        ("kb.jsonl", b'{"id": "Q90", "title": "Paris", "labels": {"a": 1}}', "jsonl"),
        ("kb.jsonl", b'{"id": "1", "title": "[Term]"}', "jsonl"),
    ],
)  # fmt: skip
def test_a_text_is_recognised_by_what_it_holds(name, head, expected):
    assert guess_format(name, head) == expected
