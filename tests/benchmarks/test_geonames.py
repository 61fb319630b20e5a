"""Questions made from GeoNames: what is asked for is gone from the knowledge base, and nothing else is."""

import json

import pytest

from benchmarks.suites.data import DataFolder, half_of
from benchmarks.suites.geonames import geonames_documents, geonames_records, hold_out, script_of
from benchmarks.suites.suite import Part, Suite

ROBBED, WHOLE, UNASKED = 8, 7, 1  # ids on which the lot falls so
ALIASES = ["KLA", "KOÍLA", "Koila", "Lamnidhes", "Lamnídhes", "Κοίλα", "Κοιλά", "Койла", "Kоila"]


def place(identifier, title="Koíla", aliases=ALIASES):
    return {"id": identifier, "title": title, "aliases": aliases, "description": "village"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kb.jsonl"
    records = [place(ROBBED), place(WHOLE), place(UNASKED), {"id": 9, "title": "Nowhere"}]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_robbed_place_keeps_only_latin_names_and_loses_what_is_asked():
    held = hold_out(place(ROBBED))
    assert held.kind_to_name == {
        "greek": "Κοίλα", "cyrillic": "Койла", "diacritics": "Koila", "latin": "Lamnidhes"
    }  # fmt: skip
    assert held.aliases == ["KLA", "KOÍLA"]


def test_a_name_of_letters_of_two_scripts_goes_and_is_not_asked():
    held = hold_out(place(ROBBED, aliases=["Kоila", "Κοίλα"]))
    assert held.kind_to_name == {"greek": "Κοίλα"}
    assert held.aliases == []


def test_a_whole_place_is_asked_for_a_name_it_keeps_that_is_no_code():
    held = hold_out(place(WHOLE))
    assert held.aliases == ALIASES
    assert held.kind_to_name["kept"] in set(ALIASES) - {"KLA", "KOÍLA"}
    assert hold_out(place(WHOLE, aliases=["KLA"])) is None


def test_most_places_and_those_without_a_latin_title_are_left_alone():
    assert hold_out(place(UNASKED)) is None
    assert hold_out(place(ROBBED, title="Κοίλα")) is None
    assert hold_out({"id": ROBBED, "title": "Koíla"}) is None


def test_one_place_in_eight_is_robbed():
    held = [hold_out(place(number)) for number in range(4000)]
    assert 400 < sum(one is not None and "kept" not in one.kind_to_name for one in held) < 600


def test_no_name_asked_for_is_left_in_the_knowledge_base(path):
    names = {str(record["id"]): {record["title"], *record.get("aliases", [])} for record in geonames_records(path)}
    for document in geonames_documents(path):
        (mention,) = document.mentions
        assert (mention.text in names[mention.entity]) == document.id.endswith("#kept")
    assert names[str(UNASKED)] == {"Koíla", *ALIASES}


def test_a_part_takes_one_kind_of_question(path):
    values = {"name": "geonames", "kb": {"path": path.name, "format": "geonames"}, "systems": ["exact"]}
    suite = Suite.from_dict(values | {"dev": [{"name": "greek", "path": path.name, "kind": "greek"}]})
    data = DataFolder(path.parent)
    assert [document.text for document in data.read_part(suite, suite.dev[0])] == ["Κοίλα"]
    other_half = {"dev": "test", "test": "dev"}[half_of(str(ROBBED))]
    assert list(data.read_part(suite, Part("greek", path.name, half=other_half, kind="greek"))) == []
    assert data.read_kb(suite.kb).entity(str(ROBBED)).aliases[0].text == "KLA"


@pytest.mark.parametrize(
    ("name", "script"),
    [("Łódź", "latin"), ("東京", "cjk"), ("バクー", "cjk"), ("St. Ives 2", "latin"), ("12", ""), ("Kоila", "")],
)
def test_scripts_are_told_by_all_letters(name, script):
    assert script_of(name) == script
