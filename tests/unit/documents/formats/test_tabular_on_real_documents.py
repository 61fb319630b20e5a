"""The tabular formats on real documents: newswire that is tokens already, and abstracts with odd characters."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from deixis.documents.formats import WRITERS
from deixis.documents.reading import read_documents

DATA = Path(os.environ.get("DEIXIS_DATA", Path(__file__).parents[5] / "shared" / "data"))


@pytest.mark.parametrize(
    ("name", "format"),
    [("aida/testa", "aida"), ("aida/testa", "hipe"), ("bc5cdr/test", "pubtator"), ("bc5cdr/test", "mewsli")],
)
def test_real_documents_come_back_as_they_were(tmp_path, name, format):
    source = DATA / f"{name}.jsonl.gz"
    if not source.exists():
        pytest.skip(f"{source.name} is not there: set DEIXIS_DATA to the folder of the real data")
    documents = [replace(document, lang=None) for document in read_documents(source)]
    path = tmp_path / "mentions.tsv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        WRITERS[format](documents, stream, str(path))
    assert list(read_documents(path, format)) == sorted(documents, key=lambda document: not document.mentions)
