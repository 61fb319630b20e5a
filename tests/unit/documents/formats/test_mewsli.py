"""Mewsli-9 in and out: a table of mentions, and texts in files of their own."""

import io

import pytest

from deixis.documents.formats.mewsli import write_mewsli
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

HEADER = "docid\tposition\tlength\tmention\turl\tlang\tqid\tqid_in_refs\tfreq_bin"
TEXTS = {"es-44": "Zapatero viajó a\n\nBogotá 😀 y a Ñuñoa.", "tr-8": "“Bugün” Türkiye", "fa-1": ""}
ROWS = [
    HEADER,
    "es-44\t18\t6\tBogotá\thttp://es.wikipedia.org/wiki/Bogot%C3%A1\tes\tQ2841\tTrue\t5",
    "es-44\t31\t5\tÑuñoa\thttp://es.wikipedia.org/wiki/%C3%91u%C3%B1oa\tes\tQ13193\tTrue\t2",
    "es-44\t0\t8\tZapatero\thttp://es.wikipedia.org/wiki/Zapatero\tes\tQ30056\tTrue\t3",
    "tr-8\t8\t7\tTürkiye\thttp://tr.wikipedia.org/wiki/T%C3%BCrkiye\ttr\tQ43\tTrue\t5",
]


def folder_with(tmp_path, rows=ROWS, texts=TEXTS, end="\n"):
    (tmp_path / "text").mkdir()
    for docid, text in texts.items():
        (tmp_path / "text" / docid).write_bytes(text.encode())
    path = tmp_path / "mentions.tsv"
    path.write_bytes(end.join([*rows, ""]).encode())
    return path


def write(path, *documents):
    with path.open("w", encoding="utf-8", newline="") as stream:
        return write_mewsli(documents, stream, str(path))


def test_mentions_find_their_texts_beside_them(tmp_path):
    first, second = read_documents(folder_with(tmp_path))
    assert (first.id, first.lang, first.text) == ("es-44", "es", TEXTS["es-44"])
    assert [(m.start, m.text, m.entity) for m in first.mentions] == [
        (0, "Zapatero", "Q30056"),
        (18, "Bogotá", "Q2841"),
        (31, "Ñuñoa", "Q13193"),
    ]
    assert (second.lang, second.mentions[0].text) == ("tr", "Türkiye")


def test_carriage_returns_in_the_table_leave_no_trace_and_those_in_a_text_count(tmp_path):
    rows = ["docid\tposition\tlength\tmention\tqid", "a\t2\t5\tParis\tQ90"]
    (document,) = read_documents(folder_with(tmp_path, rows, {"a": "\r\nParis"}, end="\r\n"))
    assert (document.text, document.mentions[0].entity, document.lang) == ("\r\nParis", "Q90", None)


def test_a_field_with_a_quote_is_quoted_as_in_csv(tmp_path):
    rows = ["docid\tposition\tlength\tmention\tqid", 'a\t0\t7\t"""Paris"""\tQ90']
    (document,) = read_documents(folder_with(tmp_path, rows, {"a": '"Paris" fled'}))
    assert document.mentions[0].text == '"Paris"'


def test_without_a_qid_a_mention_is_undecided(tmp_path):
    rows = ["docid\tposition\tlength\tmention\turl", "a\t0\t5\tParis\thttp://x"]
    (document,) = read_documents(folder_with(tmp_path, rows, {"a": "Paris"}))
    assert not document.mentions[0].is_decided


def test_documents_that_only_the_list_names_have_no_mentions_and_come_last(tmp_path):
    path = folder_with(tmp_path)
    (tmp_path / "docs.tsv").write_text('docid\ttitle\nfa-1\t"""x"""\ntr-8\tBugün\n', encoding="utf-8")
    assert [(d.id, len(d.mentions)) for d in read_documents(path)] == [("es-44", 3), ("tr-8", 1), ("fa-1", 0)]


def test_a_text_is_opened_only_when_its_document_is_due(tmp_path):
    path = folder_with(tmp_path, [*ROWS, "de-1\t0\t1\tx\t\tde\tQ1\tTrue\t1"])
    documents = read_documents(path, "mewsli")
    assert [next(documents).id, next(documents).id] == ["es-44", "tr-8"]
    with pytest.raises(DataError, match=r"mentions\.tsv, line 6: the text of 'de-1' is not at .*text.de-1"):
        next(documents)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["docid\tposition\tmention"], 1, "length not in"),
        (["docid\tposition\tlength", "a\t0"], 2, "needs 3 columns, got 2"),
        (["docid\tposition\tlength", "a\t0\t-5"], 2, "length must be a whole number, got '-5'"),
        (["docid\tposition\tlength", "a\tx\t5"], 2, "position must be a whole number"),
        (["docid\tposition\tlength", "a\t9\t50"], 2, "lies outside the text"),
        (["docid\tposition\tlength", "a\t0\t0"], 2, "at least one character"),
        (["docid\tposition\tlength\tmention", "a\t1\t4\tTroy"], 2, "It stands at 5-9"),
        (["docid\tposition\tlength\tmention", "a\t8\t4\tTroy"], 2, "count UTF-8 bytes"),
        (["docid\tposition\tlength\tmention", "a\t6\t4\tTroy"], 2, "count UTF-16 units"),
        (["docid\tposition\tlength", "a\t0\t1", "b\t0\t1", "a\t1\t1"], 4, "must stand together"),
        (["docid\tposition\tlength\tlang", "a\t0\t1\ten", "a\t1\t1\tde"], 3, "is in 'en' above and in 'de' here"),
        (["docid\tposition\tlength", "../mentions.tsv\t0\t1"], 2, "a plain file name"),
        (["docid\tposition\tlength\tmention", 'a\t0\t1\t"x'], 2, "quoted as in CSV"),
        (["docid\tposition\tlength", "latin\t0\t1"], None, "not valid UTF-8 at byte 2"),
    ],
)
def test_a_row_that_does_not_fit_is_named_with_what_was_expected(tmp_path, rows, line, message):
    path = folder_with(tmp_path, rows, {"a": "s😀 a Troy burns", "b": "b"})
    (tmp_path / "text" / "latin").write_bytes(b"Z\xfcrich")
    with pytest.raises(DataError) as caught:
        list(read_documents(path, "mewsli"))
    assert caught.value.line == line
    assert message in str(caught.value)


def test_the_written_folder_has_the_published_layout(tmp_path):
    path = tmp_path / "mentions.tsv"
    mentions = (Mention(0, 7, '"Paris"', entity="Q90", score=0.9), Mention(3, 7, 'ris"', is_nil=True))
    assert write(path, Document("fr-1", '"Paris"\r\n', "fr", mentions), Document("fr-2", "", "fr")) == 2
    assert path.read_text(encoding="utf-8").split("\n") == [
        "docid\tposition\tlength\tmention\turl\tlang\tqid",
        'fr-1\t0\t7\t"""Paris"""\t\tfr\tQ90',
        'fr-1\t3\t4\t"ris"""\t\tfr\tNIL',
        "",
    ]
    assert (tmp_path / "text" / "fr-1").read_bytes() == b'"Paris"\r\n'
    assert (tmp_path / "docs.tsv").read_text(encoding="utf-8").split("\n")[2].startswith("fr-2\t\t\t\t\td41d8cd98f")
    assert [(d.id, d.lang) for d in read_documents(path)] == [("fr-1", "fr"), ("fr-2", "fr")]


def test_predictions_written_beside_the_published_files_leave_those_alone(tmp_path):
    path = folder_with(tmp_path)
    (tmp_path / "docs.tsv").write_text("docid\ttitle\n", encoding="utf-8")
    gold = list(read_documents(path))
    write(tmp_path / "predicted.tsv", *gold)
    write(tmp_path / "predicted.tsv", *gold)
    assert list(read_documents(tmp_path / "predicted.tsv")) == gold
    assert (tmp_path / "docs.tsv").read_text(encoding="utf-8") == "docid\ttitle\n"
    assert (tmp_path / "predicted.docs.tsv").exists()


def test_a_list_of_documents_that_somebody_else_wrote_is_not_overwritten(tmp_path):
    (tmp_path / "docs.tsv").write_text("docid\ttitle\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"docs\.tsv: exists and was not written by Deixis"):
        write(tmp_path / "mentions.tsv", Document("a", "x"))


def test_a_text_that_says_something_else_is_not_overwritten(tmp_path):
    write(tmp_path / "mentions.tsv", Document("a", "old"))
    with pytest.raises(DataError, match=r"'a' cannot be written as 'mewsli': .*exists and has another text"):
        write(tmp_path / "mentions.tsv", Document("a", "new"))
    assert (tmp_path / "text" / "a").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([Document("a", "x"), Document("a", "x")], "written already"),
        ([Document("../a", "x")], "a plain file name, got '../a'"),
        ([Document("..", "x")], "a plain file name"),
        ([Document("a" * 256, "x")], "a plain file name"),
        ([Document("a", "x", "e\tn")], "its language"),
        ([Document("a", "x", mentions=(Mention(0, 1, "x", entity="NIL"),))], "not 'NIL'"),
    ],
)
def test_what_the_format_cannot_carry_is_refused(tmp_path, documents, message):
    with pytest.raises(DataError) as caught:
        write(tmp_path / "mentions.tsv", *documents)
    assert message in str(caught.value)
    assert not (tmp_path.parent / "a").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["mentions.tsv"]  # which is the caller's


def test_an_interrupt_takes_away_the_new_files_and_leaves_the_old_ones(tmp_path):
    def interrupted():
        yield Document("a", "old")
        yield Document("b", "new")
        raise KeyboardInterrupt

    write(tmp_path / "mentions.tsv", Document("a", "old"))
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(KeyboardInterrupt):
        write_mewsli(interrupted(), io.StringIO(), str(tmp_path / "mentions.tsv"))
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_number_that_no_text_is_long_enough_for_is_told_with_its_line(tmp_path):
    path = folder_with(tmp_path, [HEADER, "\t".join(["tr-8", "9" * 5000, *"1xxxxxx"])])
    with pytest.raises(DataError, match=r"mentions\.tsv, line 2: position must be a whole number, got '9{10}"):
        list(read_documents(path))
