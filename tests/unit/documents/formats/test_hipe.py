"""HIPE-2022 in and out: texts rebuilt from tokens and their spacing, links from NEL-LIT."""

import io

import pytest

from deixis.documents.formats.hipe import read_hipe, write_hipe
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

HEADER = (
    "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tNE-FINE-METO\tNE-FINE-COMP\tNE-NESTED\tNEL-LIT\tNEL-METO\tMISC"
)


def row(token, tag="O", link="_", misc="_"):
    return f"{token}\t{tag}\tO\tO\tO\tO\tO\t{link}\t_\t{misc}"


def named(id):
    return f"# hipe2022:document_id = {id}"


SAMPLE = [
    HEADER,
    named("EXP-1888-08-03-a-i0030"),
    "# hipe2022:date = 1888-08-03",
    "# hipe2022:language = fr",
    "# hipe2022:applicable_columns = TOKEN NE-COARSE-LIT NEL-LIT MISC",
    row("cortège"),
    row("de"),
    row("Munich", "B-loc", "Q1726", "NoSpaceAfter"),
    row(".", misc="EndOfLine|EndOfSentence"),
    row("M", "B-pers", "NIL", "NoSpaceAfter"),
    row(".", "I-pers", "NIL", "EndOfLine"),
    row("Hagenbeck", "I-pers", "NIL"),
    row("Six"),
    row("d", misc="NoSpaceAfter"),
    row("'", misc="EndOfLine|NoSpaceAfter"),
    row("entre", misc="PySBDSegment"),
    row("1888", "B-time", "_", "EndOfLine|EndOfSentence"),
    "",
    named("sn_1860"),
    row("Neueſte", misc="EndOfSentence"),
]


def read(rows):
    return list(read_hipe(enumerate(rows, start=1), "hipe.tsv"))


def written(*documents):
    stream = io.StringIO()
    write_hipe(documents, stream, "out.tsv")
    return stream.getvalue()


def only(*rows):
    (document,) = read([HEADER, named("d"), *rows])
    return document


def test_the_text_has_the_spaces_and_lines_that_misc_tells_of():
    first, second = read(SAMPLE)
    assert first.text == "cortège de Munich.\nM.\nHagenbeck Six d'entre 1888"
    assert (first.id, first.lang) == ("EXP-1888-08-03-a-i0030", "fr")
    assert (second.id, second.lang, second.text) == ("sn_1860", None, "Neueſte")


def test_mentions_have_their_link_nil_or_nothing():
    first, _ = read(SAMPLE)
    assert [(m.start, m.text, m.entity, m.is_nil) for m in first.mentions] == [
        (11, "Munich", "Q1726", False),
        (19, "M.\nHagenbeck", None, True),
        (44, "1888", None, False),
    ]


def test_a_masked_file_has_the_text_and_no_mentions():
    document = only("Paris\t_\t_\t_\t_\t_\t_\t_\t_\tNoSpaceAfter", "!\t_\t_\t_\t_\t_\t_\t_\t_\t_")
    assert (document.text, document.mentions) == ("Paris!", ())


@pytest.mark.parametrize(
    ("tags", "texts"),
    [
        (["B-loc", "I-loc", "B-loc"], ["a b", "c"]),
        (["I-loc", "I-loc", "O"], ["a b"]),
        (["B-loc", "I-pers", "I-pers"], ["a", "b c"]),
        (["S-loc", "I-loc", "O"], ["a", "b"]),
        (["B-loc", "E-loc", "E-loc"], ["a b", "c"]),
        (["B-loc", "O", "I-loc"], ["a", "c"]),
    ],
)
def test_tags_are_taken_apart_as_the_scorer_does(tags, texts):
    document = only(*(row(token, tag, "Q1") for token, tag in zip("abc", tags, strict=True)))
    assert [m.text for m in document.mentions] == texts


def test_columns_are_known_by_their_names():
    header = "TOKEN\tNE-COARSE-LIT\tMISC\tNEL-LIT"
    (document,) = read([header, named("d"), "Paris\tB-loc\tNoSpaceAfter\tQ90", "!\tO\t_\t_"])
    assert (document.text, document.mentions[0].entity) == ("Paris!", "Q90")


def test_the_older_comments_before_the_id_belong_to_the_document_they_precede():
    rows = ["# language = fr", "# document_id = a", row("Paris"), "# segment_iiif_link = http://x", row("fled")]
    first, second = read([HEADER, *rows, "# language = de", "# document_id = b", row("Troja")])
    assert [(d.id, d.lang, d.text) for d in (first, second)] == [("a", "fr", "Paris fled"), ("b", "de", "Troja")]


def test_a_hash_can_be_a_token_or_begin_one():
    assert only(row("#", misc="NoSpaceAfter"), row("#paris"), row("TOKEN")).text == "##paris TOKEN"


def test_documents_without_tokens_are_empty_documents():
    assert [(d.id, d.text) for d in read([HEADER, named("a"), named("b"), row("x"), "", named("c")])] == [
        ("a", ""),
        ("b", "x"),
        ("c", ""),
    ]


@pytest.mark.parametrize("rows", [[], [""], [HEADER], [HEADER, "# hipe2022:date = 1888"]])
def test_a_file_without_documents_has_none(rows):
    assert read(rows) == []


def test_files_that_were_put_together_have_the_header_again():
    assert [d.text for d in read([HEADER, named("a"), row("x"), HEADER, named("b"), row("y")])] == ["x", "y"]


def test_carriage_returns_and_a_byte_order_mark_leave_no_trace(tmp_path):
    path = tmp_path / "hipe.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(SAMPLE).encode())
    assert list(read_documents(path)) == read(SAMPLE)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ([named("d"), row("Paris")], 2, "the first line must be the header"),
        (["TOKEN\tNE-COARSE-LIT\tMISC"], 1, "the header lacks NEL-LIT"),
        ([HEADER, row("Paris")], 2, "document_id"),
        ([HEADER, named("d"), "Paris\tB-loc"], 3, "needs 10 columns as in the header, got 2"),
        ([HEADER, named("d"), row("Paris", "loc")], 3, "like 'B-loc'"),
        ([HEADER, named("d"), row("")], 3, "TOKEN column is empty"),
    ],
)
def test_a_line_that_does_not_fit_is_named_with_what_was_expected(rows, line, message):
    with pytest.raises(DataError) as caught:
        read(rows)
    assert (caught.value.path, caught.value.line) == ("hipe.tsv", line)
    assert message in str(caught.value)


def test_the_written_file_has_every_column_and_the_spacing():
    mentions = (Mention(0, 5, "Paris", entity="Q90", score=0.9), Mention(7, 15, "New York", is_nil=True))
    text = written(Document("d", "Paris, New York\nnow", "fr", mentions))
    assert text.split("\n") == [
        HEADER,
        named("d"),
        "# hipe2022:language = fr",
        row("Paris", "B-ent", "Q90", "NoSpaceAfter"),
        row(","),
        row("New", "B-ent", "NIL"),
        row("York", "I-ent", "NIL", "EndOfLine"),
        row("now", misc="NoSpaceAfter"),
        "",
        "",
    ]


def test_runs_of_white_space_become_one_space_or_one_line_end():
    (document,) = read(written(Document("d", " a \t b\u00a0c \n\n d ")).split("\n"))
    assert document.text == "a b\u00a0c\nd"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document("d", "New York", mentions=(Mention(0, 8, "New York"), Mention(0, 3, "New"))), "0-8 overlaps"),
        (Document(" d", "a"), "white space"),
        (Document("d", "a", "f\nr"), "its language"),
        (Document("d", "a", mentions=(Mention(0, 1, "a", entity="NIL"),)), "not 'NIL'"),
        (Document("d", "a", mentions=(Mention(0, 1, "a", entity="_"),)), "not '_'"),
        (Document("d", "a", mentions=(Mention(0, 1, "a", entity="Q\t1"),)), "an entity id"),
    ],
)
def test_what_the_format_cannot_carry_is_refused(document, message):
    with pytest.raises(DataError, match=r"out\.tsv: the document .* cannot be written as 'hipe'") as caught:
        written(document)
    assert message in str(caught.value)
