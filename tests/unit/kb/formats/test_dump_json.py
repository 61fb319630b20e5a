"""CirrusSearch, DaMuEL and KILT: their fields, queries, links, and records of other shapes."""

import json
import logging

import pytest

from deixis.documents.formats.damuel import read_damuel
from deixis.errors import DataError
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.formats.damuel_items import damuel_pages
from deixis.kb.formats.kilt_pages import kilt_pages
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import THINGS, cirrussearch, damuel
from tests.list_files import kilt_pages as write_kilt_pages


def changed(path, number, **fields):
    """The file with some fields of a line replaced; those that are None are removed."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[number] = {key: value for key, value in (lines[number] | fields).items() if value is not None}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "enwiki-20260101-cirrussearch-content.json"
    cirrussearch(THINGS, path)
    return path


def test_a_page_of_the_search_index_has_its_redirects_item_and_address(pages):
    paris = KnowledgeBase.read(pages).entity("Paris")
    assert paris.alt_ids == ("Q1", "City of Light", "Lutèce") and paris.count == 2138551
    assert {(alias.text, alias.lang) for alias in paris.aliases} == {
        (name, "en") for name in ("Paris", "City of Light", "Lutèce")
    }
    assert paris.descriptions == {"en": "capital of France"} and paris.url == "https://en.wikipedia.org/wiki/Paris"


@pytest.mark.parametrize(
    "fields",
    [{"namespace": 1}, {"template": ["Template:Disambiguation"]}, {"category": ["All disambiguation pages"]}],
)
def test_what_is_no_article_is_left_out_and_counted(pages, fields, caplog):
    with caplog.at_level(logging.WARNING):
        assert len(KnowledgeBase.read(changed(pages, 1, **fields))) == 2
    assert "left out: 1" in caplog.text


def test_actions_have_a_type_or_not_and_names_of_namespaces_are_no_pages(pages, caplog):
    names = [{"index": {"_type": "namespace", "_id": "1"}}, {"name": ["talk", "discussion"], "wiki": "enwiki"}]
    lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in names)
    text = pages.read_text(encoding="utf-8").replace('"_type": "_doc", ', "")
    pages.write_text(lines + text, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert list(KnowledgeBase.read(pages).ids) == [each.title for each in THINGS]
    assert "left out: 1" in caplog.text


def test_pages_lack_what_they_lack(pages):
    bare = dict.fromkeys(
        ["redirect", "wikibase_item", "opening_text", "incoming_links", "language", "template", "category"]
    )
    paris = KnowledgeBase.read(changed(pages, 1, **bare)).entity("Paris")
    assert (paris.aliases, paris.alt_ids, paris.descriptions, paris.count, paris.url) == ((), (), {}, 0, "")
    aside = [{"namespace": 2, "title": "User:Paris"}, {"namespace": 0, "title": "Paname"}]
    assert KnowledgeBase.read(changed(pages, 1, redirect=aside)).entity("Paris").alt_ids == ("Paname",)


def test_a_query_takes_pages_by_language_and_links(pages):
    assert list(KnowledgeBase.read(pages, query="count=7").ids) == [each.title for each in THINGS[:2]]
    assert list(KnowledgeBase.read(changed(pages, 1, language="fr"), query="languages=fr").ids) == ["Paris"]


@pytest.mark.parametrize(
    "fields",
    [{"title": None}, {"title": 7}, {"redirect": ["x"]}, {"redirect": {"title": "x"}}, {"template": "x"},
     {"incoming_links": "many"}, {"opening_text": ["x"]}, {"title": ""}],
)  # fmt: skip
def test_a_page_of_another_shape_is_an_error_with_its_line(pages, fields):
    with pytest.raises(DataError, match="line 4: "):
        KnowledgeBase.read(changed(pages, 3, **fields))
    assert len(KnowledgeBase.read(pages, skip_bad=True)) == 2


def test_lone_surrogates_become_a_sign_and_cut_lines_are_errors(pages):
    text = pages.read_text(encoding="utf-8")
    pages.write_text(text.replace('"capital of France"', '"capital \\ud800 of France"'), encoding="utf-8")
    assert KnowledgeBase.read(pages).entity("Paris").descriptions == {"en": "capital \ufffd of France"}
    pages.write_text(text[:-50], encoding="utf-8")
    with pytest.raises(DataError, match="line 6: not JSON"):
        KnowledgeBase.read(pages)


WIKI = {
    "title": "Bräcke (tätort)", "text": "Bräcke är 😀 en tätort i Bräcke kommun.",
    "tokens": [{"start": a, "end": b, "lemma": "x", "upos": "NOUN"} for a, b in
               [(0, 6), (7, 9), (10, 11), (12, 14), (15, 21), (22, 23), (24, 30), (31, 37), (37, 38)]],
    "links": [{"start": 3, "end": 5, "origin": "wiki", "title": "Tätort", "qid": "Q2", "flat": True},
              {"start": 6, "end": 8, "origin": "wiki", "title": "Bräcke kommun", "qid": "Q3"},
              {"start": 0, "end": 1, "origin": "title", "title": "Bräcke", "qid": "Q1"},
              {"start": 1, "end": 2, "origin": "wiki", "title": "Inget"}],
    "redirects": ["Bracke"],
}  # fmt: skip
ITEMS = [
    {"qid": "Q1", "lang": "sv", "label": "Bräcke", "aliases": ["Bracke by"], "description": "tätort", "wiki": WIKI},
    {"qid": "Q2", "lang": "sv", "label": "tätort"},
    {"qid": "Q3", "lang": "sv", "description": "kommun utan namn"},
]
CLAIMS = [
    {"qid": "Q1", "claims": {"instance of": [["qid", "Q12813115:urban area in Sweden", {}]],
                           "country": [["qid", "Q34:Sweden", {}]]},
     "named_entities": {"type": ["LOC", "ORG"]}},
    {"qid": "Q4", "claims": {}, "named_entities": {"type": ["PER"]}},
]  # fmt: skip


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_items_of_damuel_have_their_names_and_what_links_to_them(tmp_path):
    other = ITEMS[0] | {"qid": "Q9"}
    kb = KnowledgeBase.read(write(tmp_path / "part-00000", [*ITEMS, other]))
    assert list(kb.ids) == ["Q1", "Q2", "Q9"]
    assert {alias.text for alias in kb.entity("Q1").aliases} == {"Bräcke", "Bräcke (tätort)", "Bracke by", "Bracke"}
    tatort = kb.entity("Q2")
    assert {(alias.text, alias.lang, alias.count) for alias in tatort.aliases} == {
        ("tätort", "sv", 0),
        ("en tätort", "sv", 2),
    }
    assert tatort.count == 2


def test_types_of_damuel_are_joined_with_names_in_whichever_order_they_come(tmp_path):
    for number, items in enumerate([[*ITEMS, *CLAIMS], [*CLAIMS, *ITEMS]]):
        kb = KnowledgeBase.read(write(tmp_path / f"{number}.jsonl", items), query="types=LOC")
        assert list(kb.ids) == ["Q1"] and set(kb.types(0)) == {"LOC", "ORG", "Q12813115"}


def test_languages_of_damuel_are_joined_by_the_item(tmp_path):
    danish = {"qid": "Q1", "lang": "da", "label": "Bræcke", "description": "by"}
    path = write(tmp_path / "both.jsonl", [ITEMS[0], danish])
    bracke = KnowledgeBase.read(path).entity("Q1")
    assert bracke.title == "Bräcke" and bracke.descriptions == {"sv": "tätort", "da": "by"}
    assert ("Bræcke", "da") in {(alias.text, alias.lang) for alias in bracke.aliases}
    assert KnowledgeBase.read(path, query="languages=da").entity("Q1").title == "Bræcke"


def test_texts_of_damuel_are_those_that_the_reader_of_documents_gives():
    lines = [json.dumps(item) for item in ITEMS]
    pages = damuel_pages(((n, line.encode()) for n, line in enumerate(lines, 1)), "x", DumpQuery(), has_texts=True)
    texts = [page.document for _, page in pages if page.document is not None]
    assert texts == list(read_damuel(enumerate(lines, 1), "x"))


@pytest.mark.parametrize(
    "fields",
    [{"qid": None}, {"qid": 7}, {"label": 7}, {"aliases": "x"}, {"wiki": "text"},
     {"wiki": WIKI | {"links": [{"start": 0}]}},
     {"wiki": WIKI | {"links": [{"start": 8, "end": 12, "qid": "Q2"}]}}, {"wiki": WIKI | {"tokens": []}},
     {"wiki": WIKI | {"text": "short"}}],
)  # fmt: skip
def test_an_item_of_another_shape_is_an_error_with_its_line(fields, tmp_path):
    path = tmp_path / "part.jsonl"
    damuel(THINGS, path)
    with pytest.raises(DataError, match="line 2: "):
        KnowledgeBase.read(changed(path, 1, **fields), format="damuel")
    assert len(KnowledgeBase.read(path, format="damuel", skip_bad=True)) == 2


ANCHORS = [
    {"text": "capital", "href": "Capital%20city", "paragraph_id": 1, "start": 0, "end": 7},
    {
        "text": "France",
        "href": "Rome",
        "paragraph_id": 1,
        "start": 11,
        "end": 17,
        "wikipedia_title": "Rome",
        "wikipedia_id": "3",
    },
    {"text": "France", "href": "Rome", "paragraph_id": 1, "start": 11, "end": 17},
    {"text": "not there", "href": "Rome", "paragraph_id": 1, "start": 0, "end": 9},
    {"text": "x", "href": "#Section", "paragraph_id": 9, "start": 0, "end": 1},
]


@pytest.fixture
def kilt(tmp_path):
    path = tmp_path / "kilt_knowledgesource.json"
    write_kilt_pages(THINGS, path)
    return changed(path, 0, anchors=ANCHORS)


def test_pages_of_kilt_have_the_texts_of_links_as_names(kilt):
    kb = KnowledgeBase.read(kilt)
    rome = kb.entity("Rome")
    assert rome.count == 3 and ("France", "en", 2) in {(alias.text, alias.lang, alias.count) for alias in rome.aliases}
    assert kb.entity("Paris").alt_ids == ("Q1",) and kb.entity("Paris").descriptions == {"en": "capital of France"}


def test_a_page_of_kilt_without_wikidata_or_text_is_read(kilt):
    paris = KnowledgeBase.read(changed(kilt, 0, wikidata_info=None, text=["Paris\n"])).entity("Paris")
    assert (paris.descriptions, paris.alt_ids) == ({}, ())


def test_disambiguation_pages_of_kilt_are_left_out(kilt):
    assert (
        len(KnowledgeBase.read(changed(kilt, 0, categories="Disambiguation pages,Place name disambiguation pages")))
        == 2
    )


def test_texts_of_kilt_have_the_anchors_that_are_in_them(kilt):
    lines = ((number, line) for number, line in enumerate(kilt.read_bytes().splitlines(), 1))
    paris = next(kilt_pages(lines, "x", DumpQuery(), has_texts=True))[1].document
    assert paris.text.startswith("Paris\ncapital of France\n") and paris.lang == "en"
    assert [(m.start, m.end, m.text, m.entity) for m in paris.mentions] == [
        (6, 13, "capital", "Capital city"),
        (17, 23, "France", "Rome"),
    ]


@pytest.mark.parametrize(
    "fields", [{"wikipedia_title": None}, {"text": "x"}, {"anchors": "x"}, {"anchors": ["x"]}, {"categories": 1}]
)
def test_a_page_of_kilt_of_another_shape_is_an_error_with_its_line(kilt, fields):
    with pytest.raises(DataError, match="line 2: "):
        KnowledgeBase.read(changed(kilt, 1, **fields))
    assert len(KnowledgeBase.read(kilt, skip_bad=True)) == 2
