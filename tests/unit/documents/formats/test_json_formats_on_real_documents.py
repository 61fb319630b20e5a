"""The JSON formats on real documents, as a stream and back."""

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.types import Document, Mention

DATA = Path(os.environ.get("DEIXIS_DATA", Path(__file__).parents[5] / "shared" / "data"))
ONE_A_LINE = ("elevant", "elevant-links", "kilt", "blink", "damuel", "damuel-all")


def real_documents(name):
    source = DATA / f"{name}.jsonl.gz"
    if not source.exists():
        pytest.skip(f"{source.name} is not there: set DEIXIS_DATA to the folder of the real data")
    return [replace(document, lang=None) for document in read_documents(source)]


def read_back(documents, format, folder):
    path = folder / "mentions.json"
    with path.open("w", encoding="utf-8", newline="") as stream:
        WRITERS[format](documents, stream, str(path))
    return list(read_documents(path, format))


@pytest.mark.parametrize(
    ("name", "format"),
    [("bc5cdr/test", "elevant"), ("bc5cdr/test", "elevant-links"), ("bc5cdr/test", "damuel"), ("aida/testa", "zeshel")],
)
def test_real_documents_come_back_as_they_were(tmp_path, name, format):
    documents = real_documents(name)
    assert read_back(documents, format, tmp_path) == documents


@pytest.mark.parametrize("format", ["kilt", "blink"])
def test_every_real_mention_comes_back_in_its_text(tmp_path, format):
    documents = real_documents("aquaint/test")
    pairs = [(document.text, mention) for document in documents for mention in document.mentions]
    found = read_back(documents, format, tmp_path)
    assert [(document.text, *document.mentions) for document in found] == pairs


@pytest.mark.parametrize("format", ONE_A_LINE)
def test_the_first_document_comes_before_the_second_line_is_read(format):
    stream = io.StringIO()
    document = Document("1", "Paris fled", mentions=(Mention(0, 5, "Paris", "Q1"),))
    WRITERS[format.removesuffix("-all")]([document], stream, "-")

    def lines():
        yield 1, stream.getvalue()
        raise AssertionError("the second line was read")

    assert next(READERS[format](lines(), "-")) == document
