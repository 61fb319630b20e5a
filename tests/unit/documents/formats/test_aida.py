"""AIDA/CoNLL in and out: texts rebuilt from tokens, page titles from URLs and YAGO names."""

import io

import pytest

from deixis.documents.formats.aida import read_aida, write_aida
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

SAMPLE = """\
-DOCSTART- (1 EU)
EU\tB\tEU\t--NME--
rejects
German\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h
call
.

Peter\tB\tPeter Blackburn\t--NME--
Blackburn\tI\tPeter Blackburn\t--NME--

-DOCSTART- (947testa CRICKET)
Paris\tB\tParis\tParis_\\u0028mythology\\u0029\thttp://en.wikipedia.org/wiki/Paris_%28mythology%29\t168646
Troy\tB\tTroy\tTroy
"""


def read(text):
    return list(read_aida(enumerate(text.split("\n"), start=1), "aida.tsv"))


def written(*documents):
    stream = io.StringIO()
    write_aida(documents, stream, "out.tsv")
    return stream.getvalue()


def only_entity(*columns):
    (document,) = read("-DOCSTART- (1)\n" + "\t".join(["Paris", "B", "Paris", *columns]))
    return document.mentions[0].entity


def test_the_text_is_the_tokens_joined_by_spaces_and_the_sentences_by_line_ends():
    first, second = read(SAMPLE)
    assert (first.id, first.text) == ("1 EU", "EU rejects German call .\nPeter Blackburn")
    assert (second.id, second.text) == ("947testa CRICKET", "Paris Troy")


def test_offsets_point_into_the_rebuilt_text():
    first, _ = read(SAMPLE)
    spans = [(m.start, m.end, m.text, m.entity, m.is_nil) for m in first.mentions]
    assert spans == [
        (0, 2, "EU", None, True),
        (11, 17, "German", "Germany", False),
        (25, 40, "Peter Blackburn", None, True),
    ]


def test_two_mentions_side_by_side_are_two():
    _, second = read(SAMPLE)
    assert [m.text for m in second.mentions] == ["Paris", "Troy"]


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (["X", "http://en.wikipedia.org/wiki/Paris_%28mythology%29"], "Paris (mythology)"),
        (["X", "http://en.wikipedia.org/wiki/Paris_(mythology)"], "Paris (mythology)"),
        (["X", "http://en.wikipedia.org/wiki/S%C3%A3o_Paulo"], "São Paulo"),
        (["X", "http://en.wikipedia.org/wiki/S\\u00e3o_Paulo"], "São Paulo"),
        (["X", "http://en.wikipedia.org/wiki/AC/DC"], "AC/DC"),
        (["X", "https://www.wikidata.org/wiki/Q90"], "Q90"),
        (["X", "http://dbpedia.org/resource/Paris"], "Paris"),
        (["Paris_\\u0028mythology\\u0029"], "Paris (mythology)"),
        (["S\\u00e3o_Paulo", ""], "São Paulo"),
        (["100%25"], "100%25"),
        (["\\ud83d\\ude00_Movie"], "😀 Movie"),
        (["\\ud83d"], "\ufffd"),
        ([], None),
    ],
)
def test_an_entity_is_its_page_title(columns, title):
    assert only_entity(*columns) == title


def test_a_mention_without_an_entity_is_undecided_and_an_emerging_one_is_nil():
    (document,) = read("-DOCSTART- (1)\nParis\tB\tParis\nTroy\tB\tTroy\t--OOKBE--")
    assert [(m.is_decided, m.is_nil) for m in document.mentions] == [(False, False), (True, True)]


def test_an_o_in_the_second_column_says_nothing():
    (document,) = read("-DOCSTART- (1)\nthe\tO\nParis\tB\tParis\nfled\t\t")
    assert (document.text, len(document.mentions)) == ("the Paris fled", 1)


def test_an_empty_document_has_an_empty_text():
    assert [d.text for d in read("-DOCSTART- (1 A)\n\n-DOCSTART- (2 B)\n\n\nParis\n-DOCSTART- (3 C)")] == [
        "",
        "Paris",
        "",
    ]


def test_a_file_with_nothing_in_it_has_no_documents():
    assert read("\n\n") == []


def test_documents_come_before_the_rest_of_the_file_is_read():
    def lines():
        yield from enumerate(["-DOCSTART- (1)", "Paris", "-DOCSTART- (2)"], start=1)
        raise AssertionError("read too far")

    assert next(read_aida(lines(), "x")).text == "Paris"


def test_carriage_returns_leave_no_trace(tmp_path):
    path = tmp_path / "aida.tsv"
    path.write_bytes(SAMPLE.replace("\n", "\r\n").encode())
    assert list(read_documents(path)) == read(SAMPLE)


def test_odd_characters_inside_a_token_stay_there():
    (document,) = read("-DOCSTART- (1)\n10\u00a0000\n\u200f東京😀\tB\t\u200f東京😀\t東京\n\u2028")
    assert document.text == "10\u00a0000 \u200f東京😀 \u2028"
    assert (document.mentions[0].start, document.mentions[0].end) == (7, 11)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("Paris", 1, "must begin with a line like '-DOCSTART- (1 EU)'"),
        ("-DOCSTART- -X- O O", 1, "must name it"),
        ("-DOCSTART- (1)\nEU NNP B-NP B-ORG", 2, "one token, then a tab"),
        ("-DOCSTART- (1)\n\tB\tEU", 2, "one token"),
        ("-DOCSTART- (1)\n0\t--NME--", 2, "annotations without the text"),
        ("-DOCSTART- (1)\nParis\tB", 2, "third column"),
        ("-DOCSTART- (1)\nthe\nParis\tI\tParis\tParis", 3, "begin one with 'B'"),
        ("-DOCSTART- (1)\nParis\tB\tTroy\tTroy", 2, "said to be 'Troy', but its tokens are 'Paris'"),
        ("-DOCSTART- (1)\nNew\tB\tNew York\t--NME--\nfled", 2, "tokens are 'New'"),
        ("-DOCSTART- (1)\nParis\tB\tParis\tParis\t168646", 2, "fifth column"),
    ],
)
def test_a_line_that_does_not_fit_is_named_with_what_was_expected(rows, line, message):
    with pytest.raises(DataError) as caught:
        read(rows)
    assert (caught.value.path, caught.value.line) == ("aida.tsv", line)
    assert message in str(caught.value)


def test_the_written_file_has_the_columns_of_the_published_one():
    paris = Mention(0, 5, "Paris", entity="Paris (mythology)", score=0.9)
    document = Document("1 EU", "Paris fled\nPeter Blackburn", mentions=(paris, Mention(11, 26, "x", is_nil=True)))
    assert written(document) == (
        "-DOCSTART- (1 EU)\n"
        "Paris\tB\tParis\tParis_\\u0028mythology\\u0029\thttp://en.wikipedia.org/wiki/Paris_(mythology)\n"
        "fled\n\n"
        "Peter\tB\tPeter Blackburn\t--NME--\n"
        "Blackburn\tI\tPeter Blackburn\t--NME--\n\n"
    )


@pytest.mark.parametrize("title", ["a_b c", "100%", "50%25", "\\u0028", "C#", "What?", "😀 Movie", "A&B", "/m/0345h"])
def test_any_title_comes_back_from_the_url_and_from_the_yago_name(title):
    text = written(Document("1", "Paris", mentions=(Mention(0, 5, "Paris", entity=title),)))
    assert read(text)[0].mentions[0].entity == title
    without_url = text.split("\thttp:")[0]
    assert read(without_url)[0].mentions[0].entity == title


def test_a_mention_inside_a_word_cuts_it_and_the_cut_becomes_a_space():
    (document,) = read(written(Document("1", "Paris, fled  far.", mentions=(Mention(0, 5, "Paris"),))))
    assert (document.text, document.mentions[0].text) == ("Paris , fled far.", "Paris")


def test_a_mention_over_a_line_end_stays_one_mention():
    (document,) = read(written(Document("1", "in New\nYork\nnow", mentions=(Mention(3, 11, "New\nYork"),))))
    assert (document.text, document.mentions[0].text) == ("in New York\nnow", "New York")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document("1", "New York", mentions=(Mention(0, 8, "New York"), Mention(4, 8, "York"))), "4-8 overlaps"),
        (Document("1", "a  b", mentions=(Mention(1, 3, "  "),)), "nothing but white space"),
        (Document("1", "-DOCSTART- (2)"), "begins a document"),
        (Document("", "a"), "its id must be"),
        (Document("1\n2", "a"), "its id must be"),
        (Document("1", "a", mentions=(Mention(0, 1, "a", entity="--NME--"),)), "not '--NME--'"),
        (Document("1", "a", mentions=(Mention(0, 1, "a", entity=""),)), "an entity id"),
    ],
)
def test_what_the_format_cannot_carry_is_refused(document, message):
    with pytest.raises(DataError, match=r"out\.tsv: the document .* cannot be written as 'aida'") as caught:
        written(document)
    assert message in str(caught.value)
