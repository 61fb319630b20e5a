"""DaMuEL in and out: tokens, links of authors and of machines, items without an article."""

import io
import json

import pytest

from deixis.documents.formats.damuel import read_damuel, read_damuel_all, write_damuel
from deixis.errors import DataError
from deixis.types import Document, Mention

TEXT = "Bräcke är 😀 en tätort."
WIKI = {
    "title": "Bräcke",
    "text": TEXT,
    "tokens": [
        {"start": 0, "end": 6, "lemma": "Bräcke", "upos": "PROPN"},
        {"start": 7, "end": 9},
        {"start": 10, "end": 11},
        {"start": 12, "end": 14},
        {"start": 15, "end": 21},
        {"start": 21, "end": 22},
    ],
    "links": [
        {"start": 3, "end": 5, "origin": "wiki", "title": "Tätort", "qid": "Q12813115"},
        {"start": 0, "end": 1, "origin": "title", "title": "Bräcke", "qid": "Q995545"},
        {"start": 1, "end": 2, "origin": "wiki", "title": "Ingenting"},
    ],
}
ITEM = {"qid": "Q995545", "lang": "sv", "label": "Bräcke", "wiki": WIKI}


def read(record, reader=read_damuel):
    return list(reader([(5, json.dumps(record))], "part-00247.xz"))


def complaint(**wiki) -> str:
    with pytest.raises(DataError) as raised:
        read({**ITEM, "wiki": {**WIKI, **wiki}})
    assert (raised.value.path, raised.value.line) == ("part-00247.xz", 5)
    return str(raised.value)


def test_an_article_becomes_a_document_with_its_authors_links():
    (document,) = read(ITEM)
    assert (document.id, document.lang, document.text) == ("Q995545", "sv", TEXT)
    assert [(m.start, m.end, m.text, m.entity, m.is_nil) for m in document.mentions] == [
        (7, 9, "är", None, True),
        (12, 21, "en tätort", "Q12813115", False),
    ]


def test_links_that_were_found_automatically_are_read_on_request():
    (document,) = read(ITEM, read_damuel_all)
    assert [m.entity for m in document.mentions] == ["Q995545", None, "Q12813115"]


def test_an_article_at_the_top_of_the_line_is_read_too():
    (document,) = read({"qid": "Q1", **WIKI})
    assert (document.id, len(document.mentions)) == ("Q1", 2)


def test_items_without_an_article_are_passed_over():
    assert read({"qid": "Q7", "lang": "sv", "label": "x", "description": "y"}) == []


def test_an_article_without_links_is_a_document_without_mentions():
    (document,) = read({"qid": "Q7", "wiki": {"text": "Hej."}})
    assert (document.id, document.mentions) == ("Q7", ())


def test_an_empty_file_holds_no_documents():
    assert list(read_damuel([(1, "")], "x")) == []


@pytest.mark.parametrize(
    ("wiki", "words"),
    [
        ({"text": None}, "needs a 'text'"),
        ({"tokens": None}, "among the article's 0 tokens"),
        ({"tokens": [[0, 6]]}, "'tokens' must hold objects"),
        ({"links": {"start": 0}}, "'links' must be a list"),
        ({"links": [{"start": 0, "end": 7, "qid": "Q1"}]}, "among the article's 6 tokens"),
        ({"links": [{"start": 2, "end": 2, "qid": "Q1"}]}, "'start' < 'end'"),
        ({"links": [{"start": -1, "end": 2, "qid": "Q1"}]}, "'start' < 'end'"),
        ({"links": [{"start": 0.0, "end": 1, "qid": "Q1"}]}, "'start' < 'end'"),
        ({"links": [{"start": 0, "end": 1, "qid": ["Q1"]}]}, "'qid' must be a string"),
        ({"text": "Bräcke är", "links": [{"start": 4, "end": 5, "qid": "Q1"}]}, "lies outside the text"),
        ({"tokens": [{"start": 0}], "links": [{"start": 0, "end": 1, "qid": "Q1"}]}, "whole numbers 'start' and 'end'"),
    ],
)
def test_broken_articles_are_told_what_was_expected(wiki, words):
    assert words in complaint(**wiki)


def test_an_article_that_is_no_object_is_refused():
    with pytest.raises(DataError, match="'wiki' must be an object"):
        read({"qid": "Q1", "wiki": "Bräcke är en tätort."})


def written(text, *mentions):
    stream = io.StringIO()
    assert write_damuel([Document("Q1", text, "en", mentions)], stream, "out.jsonl") == 1
    return json.loads(stream.getvalue())


def test_tokens_are_words_cut_where_mentions_begin_and_end():
    record = written("(New York)  City", Mention(1, 9, "New York", "Q60"), Mention(5, 16, "York)  City", is_nil=True))
    tokens = [(token["start"], token["end"]) for token in record["wiki"]["tokens"]]
    assert tokens == [(0, 1), (1, 4), (5, 9), (9, 10), (12, 16)]
    assert record["wiki"]["links"] == [
        {"start": 1, "end": 3, "origin": "wiki", "qid": "Q60"},
        {"start": 2, "end": 5, "origin": "wiki"},
    ]
    assert (record["qid"], record["lang"]) == ("Q1", "en")


def test_a_mention_that_ends_with_a_space_is_read_back_with_it():
    text = "New York is"
    (document,) = read(written(text, Mention(0, 9, "New York ", "Q60")))
    assert document.mentions[0].text == "New York "


def test_an_undecided_mention_cannot_be_written():
    with pytest.raises(DataError, match=r"out.jsonl: the mention 0-3 of document 'Q1' has no entity and is not NIL"):
        written("New York", Mention(0, 3, "New"))
