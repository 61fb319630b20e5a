"""Wikidata: entities of dumps, and results of the query service in the ways it gives them."""

import bz2
import json
import logging

import pytest

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import THINGS, query_rows


def read(folder, content, name, **options):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return KnowledgeBase.read(path, **options)


PARIS = {
    "type": "item", "id": "Q90",
    "labels": {"de": {"language": "de", "value": "Paris (de)"}, "en": {"language": "en", "value": "Paris"}},
    "aliases": {"en": [{"language": "en", "value": "City of Light"}], "fr": [{"language": "fr", "value": "Lutèce"}]},
    "descriptions": {"en": {"language": "en", "value": "capital of France"}},
    "claims": {
        "P31": [
            {"mainsnak": {"snaktype": "value", "datavalue": {"value": {"id": "Q5119"}}}, "rank": "normal"},
            {"mainsnak": {"snaktype": "value", "datavalue": {"value": {"numeric-id": 515}}}, "rank": "preferred"},
            {"mainsnak": {"snaktype": "value", "datavalue": {"value": {"id": "Q1"}}}, "rank": "deprecated"},
            {"mainsnak": {"snaktype": "somevalue"}, "rank": "normal"},
        ]
    },
    "sitelinks": {"enwiki": {"site": "enwiki", "title": "Paris"}, "dewiki": {"site": "dewiki", "title": "Paris"}},
}  # fmt: skip
UNNAMED = {"type": "item", "id": "Q7", "labels": [], "descriptions": [], "aliases": [], "claims": [], "sitelinks": []}
PROPERTY = {"type": "property", "id": "P31", "labels": {"en": {"language": "en", "value": "instance of"}}}


def test_an_item_keeps_its_languages_classes_and_number_of_pages(tmp_path, caplog):
    dump = "[\n" + ",\n".join(map(json.dumps, [PARIS, UNNAMED, PROPERTY])) + "\n]\n"
    with caplog.at_level(logging.WARNING):
        kb = read(tmp_path, bz2.compress(dump.encode()), "latest-all.json.bz2")
    assert "properties and items without a label left out: 2" in caplog.text
    paris = kb.entity("Q90")
    assert len(kb) == 1 and paris.title == "Paris" and paris.count == 2
    assert {(alias.text, alias.lang) for alias in paris.aliases} == {
        ("Paris (de)", "de"), ("Paris", "en"), ("City of Light", "en"), ("Lutèce", "fr"),
    }  # fmt: skip
    assert paris.descriptions == {"en": "capital of France"} and paris.types == ("Q5119", "Q515")
    assert paris.url == "https://www.wikidata.org/wiki/Q90"


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(PARIS) + "\n",
        json.dumps([PARIS]),
        json.dumps({"entities": {"Q90": PARIS}}),
        "[\n" + json.dumps(PARIS, ensure_ascii=False) + ",\r\n]",
    ],
    ids=["lines", "array on a line", "Special:EntityData", "array"],
)
def test_items_are_read_in_every_way_they_are_given(tmp_path, written):
    assert list(read(tmp_path, written, "items.json").ids) == ["Q90"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (b'{"id": "Q1", ', "line 3: not JSON"),
        (json.dumps(PARIS | {"labels": {"en": "Paris"}}).encode(), "line 3: not an entity as Wikidata writes them"),
        (json.dumps(PARIS | {"claims": {"P31": [{}]}}).encode(), "line 3: not an entity as Wikidata writes them"),
        (b'"Q1"', "line 3: not an entity of Wikidata"),
        (b'{"id": "caf\xe9"}', "line 3: not usable JSON"),
        (b"[" * 100_000, "line 3: not usable JSON"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it_or_skipped(tmp_path, changed, said):
    dump = b"[\n" + json.dumps(PARIS).encode() + b",\n" + changed + b",\n]"
    with pytest.raises(DataError, match=said):
        read(tmp_path, dump, "dump.json")
    assert len(read(tmp_path, dump, "dump.json", skip_bad=True)) == 1


ROWS = query_rows(THINGS)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain.json", json.dumps(ROWS)),
        ("verbose.json", json.dumps([{key: {"value": text} for key, text in row.items()} for row in ROWS])),
        ("query.tsv", "item\titemLabel\n" + "".join(f"{row['item']}\t{row['itemLabel']}\n" for row in ROWS)),
        ("query", "\ufeffitem,itemLabel\r\n" + f"{ROWS[0]['item']},Paris\r\n"),
    ],
)  # fmt: skip
def test_the_page_of_the_query_service_gives_the_same_entities(tmp_path, name, written):
    kb = read(tmp_path, written, name)
    assert kb.ids[0] == "Q1" and kb.title(0) == "Paris"
    assert kb.entity(0).url == "http://www.wikidata.org/entity/Q1"


def test_the_rows_of_one_entity_make_one_entity(tmp_path):
    rows = (
        "city,cityLabel,cityAltLabel,typeLabel,sitelinks\n"
        'http://www.wikidata.org/entity/Q90,Paris,"Lutetia, City of Light",capital,300\n'
        "http://www.wikidata.org/entity/Q60,New York,,city,250\n"
        'http://www.wikidata.org/entity/Q90,Paris,"Lutetia, City of Light",city,300\n'
    )
    kb = read(tmp_path, rows, "query.csv")
    assert list(kb.ids) == ["Q90", "Q60"] and kb.types(0) == ("capital", "city") and kb.entity(0).count == 300
    assert [alias.text for alias in kb.entity(0).aliases] == ["Lutetia", "City of Light"]


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("q.csv", "item,itemLabel\nhttp://www.wikidata.org/entity/Q1\n", "line 2: 1 fields where the header has 2"),
        ("q.csv", 'item,itemLabel\n"a" b,c\n', "line 2: not a CSV row"),
        ("q.csv", "item,itemLabel\n,Paris\n", "line 2: no 'item'"),
        ("q.json", '{"head": {"vars": []},\n "results": {"bindings": [}}', "line 2: not JSON"),
        ("q.json", '{"head": {"vars": []}, "results": {}}', "line 1: not results of a query"),
        ("q.json", '{"head": {"vars": []}, "results": {"bindings": [{"x": {"value": "1"}}]}}', "no variable with"),
    ],
)  # fmt: skip
def test_results_that_cannot_be_read_are_errors_with_their_line(tmp_path, name, written, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, written, name)


def test_a_query_takes_items_by_language_class_and_pages(tmp_path):
    german = PARIS | {"id": "Q64", "labels": {"de": {"language": "de", "value": "Berlin"}}, "sitelinks": {}}
    mul = PARIS | {"id": "Q5", "labels": {"mul": {"language": "mul", "value": "Ada"}}, "claims": {}}
    path = tmp_path / "latest-all.json"
    path.write_text("[\n" + ",\n".join(map(json.dumps, [PARIS, german, mul])) + "\n]\n")

    def taken(query):
        return list(KnowledgeBase.read(path, query=query).ids)

    assert taken("languages=en") == ["Q90", "Q5"] and taken("languages=de") == ["Q90", "Q64", "Q5"]
    assert (
        taken("types=Q515") == ["Q90", "Q64"] and taken("types=-Q515") == ["Q5"] and taken("count=1") == ["Q90", "Q5"]
    )
    paris = KnowledgeBase.read(path, query="languages=de").entity("Q90")
    assert paris.title == "Paris (de)" and not paris.descriptions and [alias.lang for alias in paris.aliases] == ["de"]
    for query in ("types=Q51", "types=Q5151", "types=Q1"):  # ids that begin another one, or of a deprecated statement
        with pytest.raises(DataError, match="no entities"):
            taken(query)
