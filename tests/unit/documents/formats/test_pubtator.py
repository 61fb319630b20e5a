"""PubTator in and out: titles and abstracts, offsets into both, ids of several kinds."""

import io

import pytest

from deixis.documents.formats.pubtator import read_pubtator, write_pubtator
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

SAMPLE = """\
354896|t|Lidocaine-induced cardiac asystole.
354896|a|A single 50-mg bolus of lidocaine (|t| < 5) was given.
354896\t0\t9\tLidocaine\tChemical\tD008012
354896\t18\t34\tcardiac asystole\tDisease\tD006323
354896\t60\t69\tlidocaine\tChemical\t-1
354896\tCID\tD008012\tD006323

3403780|t|Renal and hepatic failure.
3403780|a|
3403780\t0\t25\tRenal and hepatic failure\tDisease\tD051437|D017093\trenal failure|hepatic failure
3403780\t0\t5\tRenal\tOrgan\t-
"""


def read(text):
    return list(read_pubtator(enumerate(text.split("\n"), start=1), "cdr.txt"))


def only(line, title="Paris fled.", abstract="Troy burns."):
    return read(f"1|t|{title}\n1|a|{abstract}\n1\t{line}")[0].mentions[0]


def written(*documents):
    stream = io.StringIO()
    write_pubtator(documents, stream, "out.txt")
    return stream.getvalue()


def test_the_text_is_title_and_abstract_with_one_character_between():
    first, second = read(SAMPLE)
    assert first.text == ("Lidocaine-induced cardiac asystole.\nA single 50-mg bolus of lidocaine (|t| < 5) was given.")
    assert (second.id, second.text) == ("3403780", "Renal and hepatic failure.")


def test_mentions_have_their_ids_and_relations_are_passed_over():
    first, _ = read(SAMPLE)
    assert [(m.text, m.entity, m.is_nil) for m in first.mentions] == [
        ("Lidocaine", "D008012", False),
        ("cardiac asystole", "D006323", False),
        ("lidocaine", None, True),
    ]


def test_a_composite_mention_keeps_its_joined_ids_and_overlaps_are_read_in_order():
    _, second = read(SAMPLE)
    assert [(m.end, m.entity, m.is_nil) for m in second.mentions] == [(5, None, True), (25, "D051437|D017093", False)]


@pytest.mark.parametrize(
    ("column", "entity", "is_nil"),
    [
        ("\tMESH:D1;MESH:D2", "MESH:D1|MESH:D2", False),
        ("\tD1+D2", "D1+D2", False),
        ("\tOMIM:1 ", "OMIM:1", False),
        ("\t-1", None, True),
        ("\t-", None, True),
        ("\t", None, False),
        ("", None, False),
    ],
)
def test_the_id_column_says_entity_nil_or_nothing(column, entity, is_nil):
    mention = only(f"0\t5\tParis\tPlace{column}")
    assert (mention.entity, mention.is_nil) == (entity, is_nil)


def test_offsets_count_code_points():
    mention = only("14\t18\tTroy\tPlace\tD1", title="Zoë 😀 naïve.", abstract=" Troy")
    assert (mention.start, mention.end) == (14, 18)


def test_offsets_in_utf16_units_are_named_as_such():
    with pytest.raises(DataError, match="line 3: .*says 'Troy'.*The offsets count UTF-16 units"):
        only("8\t12\tTroy\tPlace\tD1", title="😀 fled", abstract="Troy burns.")


def test_a_title_alone_is_a_document_and_blank_lines_between_documents_may_be_missing():
    documents = read("1|t|Paris\n2|t|Troy\n2|a|burns\n2\t0\t4\tTroy\tPlace\tD1")
    assert [(d.id, d.text, len(d.mentions)) for d in documents] == [("1", "Paris", 0), ("2", "Troy\nburns", 1)]


def test_an_empty_title_keeps_its_line():
    (document,) = read("1|t|\n1|a|Troy\n1\t1\t5\tTroy\tPlace\tD1")
    assert (document.text, document.mentions[0].text) == ("\nTroy", "Troy")


def test_mentions_before_the_abstract_are_checked_against_the_whole_text():
    (document,) = read("1|t|Paris\n1\t6\t10\tTroy\tPlace\tD1\n1|a|Troy")
    assert document.mentions[0].text == "Troy"


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_blank_file_has_no_documents(text):
    assert read(text) == []


def test_carriage_returns_leave_no_trace(tmp_path):
    path = tmp_path / "cdr.pubtator"
    path.write_bytes(SAMPLE.replace("\n", "\r\n").encode())
    assert list(read_documents(path)) == read(SAMPLE)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("Paris fled.", 1, "neither 'PMID|t|title'"),
        ("1|a|Troy", 1, "must begin with its title, as in '1|t|title'"),
        ("1\t0\t5\tParis\tPlace\tD1", 1, "must begin with its title"),
        ("1|t|Paris\n2|a|Troy", 2, "a line of '2' among those of '1'"),
        ("1|t|Paris\n2\t0\t5\tParis\tPlace\tD1", 2, "a line of '2' among those of '1'"),
        ("1|t|Paris\n1|a|x\n1|a|y", 3, "a second abstract"),
        ("1|t|Paris\n1\t0\t5", 2, "Is the file cut off?"),
        ("1|t|Paris\n1\tCID\tD1", 2, "Is the file cut off?"),
        ("1|t|Paris\n1\t-1\t5\tParis\tPlace\tD1", 2, "whole numbers"),
        (f"1|t|Paris\n1\t0\t{'9' * 5000}\tParis\tPlace\tD1", 2, "whole numbers"),
        ("1|t|Paris\n1\t0\tx\tParis\tPlace\tD1", 2, "whole numbers"),
        ("1|t|Paris\n1\t0\t9\tParis fle\tPlace\tD1", 2, "lies outside the text"),
        ("1|t|Paris\n1\t3\t3\t\tPlace\tD1", 2, "at least one character"),
        ("1|t|Paris\n1\t0\t4\tParis\tPlace\tD1", 2, "says 'Paris', but the text has 'Pari'"),
    ],
)
def test_a_line_that_does_not_fit_is_named_with_what_was_expected(rows, line, message):
    with pytest.raises(DataError) as caught:
        read(rows)
    assert (caught.value.path, caught.value.line) == ("cdr.txt", line)
    assert message in str(caught.value)


def test_the_first_line_is_the_title_and_the_rest_the_abstract():
    mentions = (
        Mention(0, 5, "Paris", entity="D1|D2", score=0.9),
        Mention(0, 10, "Paris fled", is_nil=True),
        Mention(12, 16, "Troy"),
    )
    assert written(Document("d1", "Paris fled.\nTroy\n\tburns", mentions=mentions)) == (
        "d1|t|Paris fled.\nd1|a|Troy  burns\n"
        "d1\t0\t5\tParis\tEntity\tD1|D2\n"
        "d1\t0\t10\tParis fled\tEntity\t-1\n"
        "d1\t12\t16\tTroy\tEntity\n\n"
    )


def test_a_mention_over_lines_keeps_its_offsets():
    document = Document(
        "1", "Paris of\nTroy in\nAsia", mentions=(Mention(0, 21, "Paris of\nTroy in\nAsia", entity="D1"),)
    )
    (found,) = read(written(document))
    assert [(m.start, m.end, m.text) for m in found.mentions] == [(0, 21, "Paris of\nTroy in Asia")]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document("a|b", "x"), "must not have a '|'"),
        (Document("a\tb", "x"), "its id must be"),
        (Document("1", "x\n", mentions=(Mention(0, 2, "x\n"),)), "the line end that ends the text"),
        (Document("1", "x", mentions=(Mention(0, 1, "x", entity="-1"),)), "not '-1'"),
        (Document("1", "x", mentions=(Mention(0, 1, "x", entity="a;b"),)), "no ';'"),
        (Document("1", "x", mentions=(Mention(0, 1, "x", entity=" a"),)), "no white space"),
    ],
)
def test_what_the_format_cannot_carry_is_refused(document, message):
    with pytest.raises(DataError, match=r"out\.txt: the document .* cannot be written as 'pubtator'") as caught:
        written(document)
    assert message in str(caught.value)
