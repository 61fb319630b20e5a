"""Opening documents: formats by name and by look, compressed files, standard input."""

import gzip
import io
import os

import pytest

from deixis.documents.reading import read_documents
from deixis.errors import DataError, UnknownNameError


def test_a_text_file_is_one_document_named_after_it(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Paris,\n\nTroy burns.\n", encoding="utf-8")
    (document,) = read_documents(path)
    assert (document.id, document.text) == ("letter.txt", "Dear Paris,\n\nTroy burns.")


def test_the_format_lines_makes_a_document_of_each_line_that_is_not_blank(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Paris\n\n  \nTroy", encoding="utf-8")
    assert [(d.id, d.text) for d in read_documents(path, format="lines")] == [("1", "Paris"), ("4", "Troy")]


def test_a_compressed_jsonl_file_is_read_as_it_is(tmp_path):
    path = tmp_path / "docs.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write('{"id": "a", "text": "Zürich"}\n')
    assert [d.text for d in read_documents(path)] == ["Zürich"]


def test_a_byte_order_mark_and_carriage_returns_leave_no_trace(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "Paris"}\r\n{"text": "Troy"}\r\n')
    assert [d.text for d in read_documents(path)] == ["Paris", "Troy"]


@pytest.mark.parametrize(("name", "content"), [("none.jsonl", ""), ("none.txt", " \n\n"), ("none", ""), ("x", "\n")])
def test_an_empty_file_holds_no_documents(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert list(read_documents(tmp_path / name)) == []


@pytest.mark.parametrize(
    ("content", "texts"), [('\n{"text": "Paris"}\n', ["Paris"]), ("\nParis\nTroy\n", ["\nParis\nTroy"])]
)
def test_a_file_without_a_telling_name_is_known_by_its_first_line(tmp_path, content, texts):
    path = tmp_path / "unnamed"
    path.write_text(content, encoding="utf-8")
    assert [d.text for d in read_documents(path)] == texts


def test_a_dash_reads_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Zürich, then Paris".encode()), encoding="utf-8"))
    assert [(d.id, d.text) for d in read_documents("-")] == [("stdin", "Zürich, then Paris")]


def test_a_line_of_standard_input_is_read_before_the_next_one_is_written(monkeypatch):
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as stdin, open(writing, "wb", buffering=0) as producer:
        monkeypatch.setattr("sys.stdin", stdin)
        documents = read_documents("-", format="lines")
        for word in ("Paris", "Troy"):
            producer.write(f"{word}\n".encode())
            assert next(documents).text == word


def test_bytes_that_are_not_utf8_are_an_error_with_their_line(tmp_path):
    (tmp_path / "latin.txt").write_bytes(b"Paris\nZ\xfcrich\n")
    with pytest.raises(DataError, match=r"latin\.txt, line 2: not valid UTF-8: byte 0xfc"):
        list(read_documents(tmp_path / "latin.txt"))


def test_a_missing_file_is_a_data_error():
    with pytest.raises(DataError, match="no such file"):
        list(read_documents("missing.jsonl"))


def test_an_unknown_format_is_refused_before_anything_is_opened():
    with pytest.raises(UnknownNameError, match="Did you mean 'native'"):
        read_documents("missing.jsonl", format="nativ")


def test_a_bad_line_names_the_file(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('{"text": "ok"}\n{"text": 5}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"docs\.jsonl, line 2: .*'text'"):
        list(read_documents(path))
