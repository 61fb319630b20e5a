"""Wikipedia's XML: pages, redirects, links, and what is wrong with a dump."""

import bz2
import logging
import random

import pytest

from deixis.errors import DataError
from deixis.kb.dumps.page import DumpPage
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.formats.wikipedia import wikipedia_pages
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.records import BadRecord
from tests.list_files import MEDIAWIKI_HEAD, mediawiki_page

TROY = "'''Troy''' is a city.{{cn}}<ref>[[Homer]]</ref>\n== Sources ==\n[[Homer]] and [[homer]] on [[Ilium|Ilion]]."
PARIS = "[[Paris (mythology)|Paris]]"
PAGES = [
    mediawiki_page(
        1, "Paris (mythology)", "'''Paris''' of [[Troy]] fled with [[Helen of Troy|Helen]].\n\nMore of [[Ilion]]."
    ),
    mediawiki_page(2, "Troy", TROY),
    mediawiki_page(3, "Ilion", "#REDIRECT [[Troy]] {{R from name}}", redirect="Troy"),
    mediawiki_page(4, "Ilium", "#redirect [[Ilion]]", redirect="Ilion"),
    mediawiki_page(5, "Wilusa", "#REDIRECT [[Wilusha]]", redirect="Wilusha"),
    mediawiki_page(6, "Wilusha", "#REDIRECT [[Wilusa]]", redirect="Wilusa"),
    mediawiki_page(7, "Nowhere", "#REDIRECT [[Never written]]", redirect="Never written"),
    mediawiki_page(8, "Paris", f"'''Paris''' may be:\n* {PARIS} of Troy\n{{{{Disambiguation}}}}"),
    mediawiki_page(9, "Homer", f"'''Homer''' sang of {PARIS}, {PARIS} and [[Paris (mythology)|him]]."),
    mediawiki_page(10, "Template:Cn", "[[Citation needed]]", namespace=10),
    mediawiki_page(11, "Data.json", '{"a": "[[Troy]]"}').replace("<model>wikitext", "<model>json"),
]


def write(folder, pages=PAGES, head=MEDIAWIKI_HEAD, name="enwiki-latest-pages-articles.xml"):
    path = folder / name
    path.write_text(head + "".join(pages) + "</mediawiki>\n", encoding="utf-8")
    return path


def names(entity):
    return {(alias.text, alias.lang, alias.count) for alias in entity.aliases}


def test_pages_have_the_names_of_their_redirects_and_links(tmp_path):
    kb = KnowledgeBase.read(write(tmp_path))
    assert list(kb.ids) == ["Paris (mythology)", "Troy", "Homer"]
    troy, paris, homer = (kb.entity(name) for name in ("Troy", "Paris (mythology)", "Homer"))
    assert names(troy) == {("Troy", "en", 1), ("Ilion", "en", 2), ("Ilium", "", 0)} and troy.count == 3
    assert troy.alt_ids == ("Ilion", "Ilium") and kb.own_id("Ilium") == "Troy"
    assert names(paris) == {("Paris (mythology)", "en", 0), ("Paris", "en", 3)} and paris.count == 4
    assert homer.count == 2 and names(homer) == {("Homer", "en", 1)}
    assert troy.descriptions == {"en": "Troy is a city."} and paris.descriptions == {
        "en": "Paris of Troy fled with Helen."
    }
    assert paris.url == "https://en.wikipedia.org/wiki/Paris_(mythology)"


def test_a_text_that_links_to_a_page_once_is_no_name_of_it(tmp_path):
    kb = KnowledgeBase.read(write(tmp_path))
    assert "him" not in {alias.text for alias in kb.entity("Paris (mythology)").aliases}


def test_a_query_takes_pages_with_enough_links_and_dumps_in_a_language(tmp_path, caplog):
    path = write(tmp_path)
    assert list(KnowledgeBase.read(path, query="count=3").ids) == ["Paris (mythology)", "Troy"]
    assert len(KnowledgeBase.read(path, query="languages=en")) == 3
    with caplog.at_level(logging.WARNING), pytest.raises(DataError, match="no entities"):
        KnowledgeBase.read(path, query="languages=de")
    assert "in the language 'en'" in caplog.text


def test_texts_have_their_links_as_mentions_at_their_places(tmp_path):
    lines = enumerate(write(tmp_path).read_bytes().splitlines(), start=1)
    pages = dict(
        (page.document.id, page.document)
        for _, page in wikipedia_pages(lines, "x", DumpQuery(), has_texts=True)
        if page.document
    )
    paris = pages["Paris (mythology)"]
    assert list(pages) == ["Paris (mythology)", "Troy", "Homer"] and paris.lang == "en"
    assert paris.text == "Paris of Troy fled with Helen.\nMore of Ilion."
    assert [(m.text, m.entity) for m in paris.mentions] == [
        ("Troy", "Troy"),
        ("Helen", "Helen of Troy"),
        ("Ilion", "Ilion"),
    ]
    assert all(document.text[m.start : m.end] == m.text for document in pages.values() for m in document.mentions)


def test_lines_have_the_numbers_of_the_pages_and_the_dump_is_read_however_it_is_broken_into_lines(tmp_path):
    content = write(tmp_path).read_bytes()
    lines = list(enumerate(content.splitlines(), start=1))
    numbered = [number for number, page in wikipedia_pages(iter(lines), "x", DumpQuery()) if isinstance(page, DumpPage)]
    assert [content.splitlines()[number - 1].strip() for number in numbered] == [b"<page>"] * len(numbered)
    one_line = [page for _, page in wikipedia_pages(iter([(1, content.replace(b"\n", b" "))]), "x", DumpQuery())]
    assert [page.redirect for page in one_line] == [
        page.redirect for _, page in wikipedia_pages(iter(lines), "x", DumpQuery())
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<title>Troy</title>", "<title>Troy</titel>", "not XML: mismatched tag"),
        ("<title>Troy</title>", "", "a page without a title"),
        ("<title>Troy</title>", "<title>Tr&oy;</title>", "not XML: undefined entity"),
        ("<title>Troy</title>", "<page>", "a page begins before the one before it has ended"),
        ("is a city.", "\x01", "not XML: not well-formed"),
        ("is a city.", "<!DOCTYPE a [<!ENTITY x 'y'>]>", "the DOCTYPE has declarations|not XML"),
        ("<title>Troy</title>", "<a>" * 60 + "</a>" * 60 + "<title>Troy</title>", "more than 50 deep"),
    ],
)
def test_a_page_that_is_damaged_is_an_error_with_its_line_or_left_out(old, new, said, tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    if "ENTITY" in new:
        with pytest.raises(DataError, match="DOCTYPE has declarations"):
            KnowledgeBase.read(path, skip_bad=True)
        return
    with pytest.raises(DataError, match=rf"line \d+: .*({said})"):
        KnowledgeBase.read(path)
    kb, report = KnowledgeBase.read_with_report(path, skip_bad=True)
    assert "Homer" in list(kb.ids) and report.n_skipped >= 1


def test_entities_are_refused_before_a_parser_sees_them(tmp_path):
    for doctype in ('<!DOCTYPE mediawiki [<!ENTITY a "b">]>', "<!DOCTYPE mediawiki [ ]>"):
        path = write(tmp_path, head=f"<?xml version='1.0'?>\n{doctype}\n{MEDIAWIKI_HEAD}")
        with pytest.raises(DataError, match="declarations of its own"):
            KnowledgeBase.read(path)


def test_a_page_that_is_too_long_is_left_out(tmp_path):
    huge = mediawiki_page(20, "Huge", "A word.\n" * 30_000)
    path = write(tmp_path, [*PAGES, huge])
    kb, report = KnowledgeBase.read_with_report(path, max_line=50_000, skip_bad=True)
    assert len(kb) == 3 and "more than 50,000 bytes" in str(report.skipped[0])
    assert len(KnowledgeBase.read(path)) == 4


def test_a_dump_that_is_cut_off_says_so(tmp_path):
    content = write(tmp_path).read_bytes()
    path = tmp_path / "cut.xml"
    path.write_bytes(content[: content.index(b"Homer</title>") + 30])
    with pytest.raises(DataError, match="the file ends within a page"):
        KnowledgeBase.read(path)
    packed = tmp_path / "cut.xml.bz2"
    packed.write_bytes(bz2.compress(content)[:-20])
    with pytest.raises(DataError, match="compressed data ends too early"):
        KnowledgeBase.read(packed)


def test_a_dump_of_several_streams_is_read_as_one(tmp_path):
    content = write(tmp_path).read_bytes()
    middle = content.index(b"  <page>", 3000)
    path = tmp_path / "enwiki-latest-pages-articles-multistream.xml.bz2"
    path.write_bytes(bz2.compress(content[:1500]) + bz2.compress(content[1500:middle]) + bz2.compress(content[middle:]))
    assert list(KnowledgeBase.read(path).ids) == ["Paris (mythology)", "Troy", "Homer"]


def test_titles_with_any_characters_come_back(tmp_path):
    titles = ['"Ω" & <b>', "C++", "AC/DC", "50%", "%41", "a" * 255, "é" * 100, "ﷺ", "Q:A", "\u202eabc"]
    pages = [mediawiki_page(number, title, f"About {number}.") for number, title in enumerate(titles, start=1)]
    kb = KnowledgeBase.read(write(tmp_path, pages))
    assert [kb.title(row) for row in range(len(kb))] == [title.strip() for title in titles]


def test_a_damaged_dump_is_read_or_refused(tmp_path):
    content = write(tmp_path).read_bytes()
    outcomes = set()
    for seed in range(60):
        chance = random.Random(seed)
        at = chance.randrange(len(content))
        damaged = (
            content[:at]
            + chance.choice([b"", b"<", b"</page>", b"<page>", b"\0", b"&"])
            + content[at + chance.choice([0, 1, 50]) :]
        )
        path = tmp_path / "damaged.xml"
        path.write_bytes(damaged)
        try:
            outcomes.add(len(KnowledgeBase.read(path, skip_bad=True)) > 0)
        except DataError as error:
            assert str(path) in str(error)
            outcomes.add("refused")
        for _, page in wikipedia_pages(
            iter(list(enumerate(damaged.split(b"\n"), 1))), path, DumpQuery(), head=b"<mediawiki>"
        ):
            assert isinstance(page, (DumpPage, BadRecord))
    assert True in outcomes
