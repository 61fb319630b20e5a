"""BioC and NIF on real documents, and on more documents than memory should hold."""

import io
import os
import tracemalloc
from pathlib import Path

import pytest

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.types import Document, Mention

DATA = Path(os.environ.get("DEIXIS_DATA", Path(__file__).parents[5] / "shared" / "data"))


@pytest.mark.parametrize("format", ["bioc-json", "bioc-xml", "nif"])
@pytest.mark.parametrize("name", ["bc5cdr/test", "reddit_posts/test"])
def test_real_documents_come_back_as_they_were(tmp_path, name, format):
    source = DATA / f"{name}.jsonl.gz"
    if not source.exists():
        pytest.skip(f"{source.name} is not there: set DEIXIS_DATA to the folder of the real data")
    documents = list(read_documents(source))
    path = tmp_path / "documents"
    with path.open("w", encoding="utf-8", newline="") as stream:
        WRITERS[format](documents, stream, str(path))
    assert list(read_documents(path, format)) == documents


@pytest.mark.parametrize("format", ["bioc-xml"])
def test_a_collection_costs_the_memory_of_a_document(format):
    document = Document("d", "Paris fled. " * 4000, mentions=(Mention(0, 5, "Paris", entity="Q1"),))
    stream = io.StringIO()
    WRITERS[format]([document] * 2, stream, "-")
    lines = stream.getvalue().split("\n")
    at = next(number for number, line in enumerate(lines) if "Paris fled" in line)
    n_documents = 200

    def collection():  # ten megabytes, of which no line is kept here
        yield from enumerate(lines[:at], start=1)
        for number in range(at, at + n_documents):
            yield number, lines[at] + ""
        yield from enumerate(lines[at + 1 :], start=at + n_documents)

    tracemalloc.start()
    n_read = sum(len(found.mentions) for found in READERS[format](collection(), "x"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_read == n_documents + 1
    assert peak < 20 * len(document.text)
