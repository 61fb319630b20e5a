"""Which field a column is, by its header."""

import pytest

from deixis.kb.header_words import field_of
from deixis.kb.knowledge_base import KnowledgeBase


@pytest.mark.parametrize(
    "header",
    ["also called", "Also Called", "also_called", "alsoCalled", "Also known as", "Known as", "formerly known as",
     "auch genannt", "Anderer Name", "aussi appelé", "Autre nom", "también llamado", "Otro nombre", "detto anche",
     "Altro nome", "também chamado", "Outro nome", "ook wel", "Andere naam", "också kallad", "også kaldt",
     "også kalt", "muut nimet", "znany także jako", "také známý jako"],
)  # fmt: skip
def test_a_column_of_other_names_has_aliases(header):
    assert field_of(header)[0] == "aliases"


@pytest.mark.parametrize("header", ["name", "Nom", "naam", "Produktname"])
def test_a_column_of_names_has_titles(header):
    assert field_of(header)[0] == "title"


def test_what_an_entity_is_also_called_is_read_as_its_names(tmp_path):
    path = tmp_path / "tools.csv"
    path.write_text("id;name;also called\nw1;Rohrzange;Wasserpumpenzange\nw2;Hammer;\n", encoding="utf-8")
    kb = KnowledgeBase.read(path)
    assert [kb.names_of(row) for row in range(2)] == [["Rohrzange", "Wasserpumpenzange"], ["Hammer"]]


def test_other_names_that_a_thing_is_also_sold_or_known_by_are_aliases():
    assert [field_of(header)[0] for header in ("also sold as", "Also Marketed Under", "alsoCalledIn")] == [
        "aliases"
    ] * 3
    assert [field_of(header) for header in ("also bought", "also_viewed", "also")] == [None] * 3


@pytest.mark.parametrize("header", ["population", "Einwohnerzahl", "Población", "habitants", "População", "Invånare"])
def test_how_many_people_live_in_a_place_is_its_count(header, tmp_path):
    assert field_of(header)[0] == "count"
    (tmp_path / "places.csv").write_text(f"id,name,{header}\nf,Paris,2138551\nu,Paris,5073\n", encoding="utf-8")
    assert KnowledgeBase.read(tmp_path / "places.csv").entity(0).count == 2138551
