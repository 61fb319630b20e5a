"""`deixis link` as a part of a pipe: lines as they come, long texts in pieces, HTML, and files that are no text."""

import json
import os
import subprocess
import threading

import pytest

from deixis.documents.formats import plain_text
from deixis.documents.reading import read_batches
from tests.processes import PATIENCE


def answers(deixis, arguments, lines):
    """The answer to each line, which is read before the next line is sent."""
    process = deixis.start("link", *arguments)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        for line in lines:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            yield process.stdout.readline().decode()
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.mark.parametrize("how", [("--lines",), ("--format", "lines", "-q")], ids=" ".join)
def test_every_line_is_answered_before_the_next_one_comes(deixis, model, how):
    documents = [json.loads(line) for line in answers(deixis, (model, *how), ["London calls", "nobody", "Troy fell"])]
    assert [document["text"] for document in documents] == ["London calls", "nobody", "Troy fell"]
    assert [len(document["mentions"]) for document in documents] == [1, 0, 1]


def test_documents_in_json_are_answered_as_they_come(deixis, model):
    sent = ['{"id": "a", "text": "London"}', '{"id": "b", "text": "Troy"}']
    assert [json.loads(line)["id"] for line in answers(deixis, (model,), sent)] == ["a", "b"]


def test_a_table_grows_as_lines_come(deixis, model):
    first, second = answers(deixis, (model, "--lines", "--to", "csv"), ["London", "London"])
    assert first.startswith("document,start") and second.startswith("1,0,6,London,london")


def test_lines_give_the_same_links_from_a_pipe_and_from_a_file(deixis, model):
    text = "To save Troy, Paris left.\nLondon calls\n\n" * 400
    (deixis.folder / "lines.txt").write_text(text, encoding="utf-8")
    piped = deixis("link", model, "--lines", stdin=text).stdout
    assert piped == deixis("link", model, "--lines", "lines.txt").stdout and len(piped.splitlines()) == 800


def test_what_has_come_is_one_batch_and_nothing_is_waited_for():
    reading, writing = os.pipe()
    path = f"/dev/fd/{reading}"
    os.write(writing, b"one\ntwo\nthr")
    batches = read_batches([path], "lines")
    assert [document.text for document in next(batches)] == ["one", "two"]
    os.write(writing, b"ee\n")
    assert [document.text for document in next(batches)] == ["three"]
    os.close(writing)
    assert list(batches) == []
    os.close(reading)


def test_small_files_are_linked_together_and_large_ones_apart(tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(5)]
    for path in paths:
        path.write_text("Troy", encoding="utf-8")
    assert [len(batch) for batch in read_batches(paths, max_documents=3)] == [3, 2]
    paths[1].write_text("Troy " * 300_000, encoding="utf-8")
    assert [len(batch) for batch in read_batches(paths)] == [2, 3]


def test_a_long_text_comes_in_pieces_that_have_the_links_of_the_whole(deixis_inside, model, monkeypatch):
    paragraph = "To save Troy, Paris had to go.\nThe capital on the Thames is London."
    text = "\n\n".join([paragraph] * 40)
    (deixis_inside.folder / "long.txt").write_text(text, encoding="utf-8")

    def links():
        documents = [json.loads(line) for line in deixis_inside("link", model, "long.txt").stdout.splitlines()]
        begins = [int(each["id"].partition("#char=")[2].partition(",")[0] or 0) for each in documents]
        return documents, [
            (begin + mention["start"], begin + mention["end"], mention["text"], mention["entity"])
            for begin, document in zip(begins, documents, strict=True)
            for mention in document["mentions"]
        ]

    (whole,), expected = links()
    assert whole["id"] == "long.txt" and len(expected) == 120
    monkeypatch.setattr(plain_text, "MAX_CHARACTERS", 300)
    pieces, found = links()
    assert len(pieces) > 5 and found == expected
    assert all(text[start:end] == surface for start, end, surface, _ in found)


def test_a_text_without_paragraphs_is_cut_at_a_line_end(monkeypatch):
    monkeypatch.setattr(plain_text, "MAX_CHARACTERS", 10)
    lines = [(number, "Paris fled") for number in range(1, 6)]
    pieces = list(plain_text.read_text(lines, "iliad.txt"))
    assert [piece.id for piece in pieces] == ["iliad.txt#char=0,21", "iliad.txt#char=22,43", "iliad.txt#char=44,54"]
    assert "\n".join(piece.text for piece in pieces) == "\n".join(line for _, line in lines)


PAGE = """<!-- saved --><!DOCTYPE html>
<html><head><title>London</title><style>.Troy { }</style><script>Troy("Paris")</script></head>
<body><p>Caf&eacute; &amp; Lon<b>don</b>, <code>Paris</code> <p title="Troy">Troy&#33; City
of Light</body></html>"""


@pytest.mark.parametrize("name", ["page.html", "page", "-"])
def test_a_page_is_read_without_its_markup_and_links_have_offsets_into_it(deixis_inside, model, name):
    (deixis_inside.folder / "page.html").write_text(PAGE, encoding="utf-8")
    (deixis_inside.folder / "page").write_text(PAGE, encoding="utf-8")
    (document,) = [json.loads(line) for line in deixis_inside("link", model, name, stdin=PAGE).stdout.splitlines()]
    assert document["text"] == PAGE
    spans = [PAGE[mention["start"] : mention["end"]] for mention in document["mentions"]]
    assert spans == [mention["text"] for mention in document["mentions"]]
    assert spans == ["London", "Lon<b>don", "Troy", "City\nof Light"]


def test_what_people_read_of_a_page_is_its_text(deixis_inside, model):
    for how in (("--pretty",), ("--to", "html")):
        shown = deixis_inside("link", model, "--html", *how, stdin=PAGE).stdout
        assert "Café" in shown and "saved" not in shown and "&lt;p" not in shown


def test_one_input_has_one_format(deixis_inside, model):
    assert "not kilt and lines" in deixis_inside("link", model, "--format", "kilt", "--lines", code=2).stderr


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "my letter.pdf",
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
            "is a PDF file; give its text, such as that of: pdftotext",
        ),
        ("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture"),
        ("letter.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "older Word"),
        ("letter.docx", b"PK\x03\x04" + bytes(30), "is a document of a word processor; save it as plain text"),
        ("letter.rtf", b"{\\rtf1\\ansi Paris}", "in RTF"),
        ("links.parquet", b"PAR1\x15\x04\x15" + bytes(60), "Parquet"),
        ("a.out", b"\x7fELF\x02\x01\x01" + bytes(60), "is a program"),
        ("noise", bytes(range(256)) * 4, "is no text"),
        ("letter.txt", "Paris fled".encode("utf-16-le"), "is UTF-16 text; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_named_for_what_it_is(deixis_inside, model, name, content, words):
    (deixis_inside.folder / name).write_bytes(content)
    done = deixis_inside("link", model, name, code=1)
    assert words in done.stderr and name in done.stderr and done.stdout == ""
    assert done.stderr.isascii() and done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["MZ is a code", "ID3 tags", "RIFF raff in Troy", "PAR1S", "London\0calling"])
def test_a_text_that_begins_like_a_binary_file_is_a_text(deixis_inside, model, text):
    (deixis_inside.folder / "a.txt").write_text(text, encoding="utf-8")
    assert json.loads(deixis_inside("link", model, "a.txt").stdout)["text"] == text


def test_a_pdf_in_a_pipe_is_named_too(deixis, model):
    done = subprocess.run(
        deixis.command("link", model),
        input=b"%PDF-1.4\n\xff\xfe",
        env=deixis.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1 and b"is a PDF file" in done.stderr
