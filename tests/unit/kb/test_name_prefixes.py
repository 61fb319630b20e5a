import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.name_prefixes import NamePrefixes

NAMES = [
    "Paris",
    "PARMA",
    "parrot",
    "Saint Petersburg",
    "Saint Peter Port",
    "saint paul",
    "École",
    "ÉCLAIR",
    "Zürich",
    "東京",
]


@pytest.fixture(scope="module")
def prefixes():
    records = [{"id": name, "title": name, "count": number} for number, name in enumerate(NAMES)]
    records[0]["aliases"] = ["City of Light"]
    return NamePrefixes(KnowledgeBase.from_records(records))


def found(prefixes, prefix, k=10, allowed=None):
    return [NAMES[row] for row in prefixes.find(prefix, k, allowed)]


PREFIXES = ["p", "pa", "PAR", "saint p", "Saint Peter", "saint petersb", "é", "Z", "zür", "東", "x", "City of"]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_all_names_that_begin_so_are_found_whatever_their_case(prefixes, prefix):
    wanted = {name for name in NAMES if name.casefold().startswith(prefix.casefold())}
    wanted |= {"Paris"} if "city of light".startswith(prefix.lower()) else set()
    assert set(found(prefixes, prefix)) == wanted


def test_the_most_popular_come_first_and_no_more_than_asked(prefixes):
    assert found(prefixes, "pa", k=2) == ["parrot", "PARMA"]


def test_a_whole_name_comes_first_then_titles_then_aliases():
    records = [
        {"id": "alias", "title": "Bucharest", "aliases": ["Paris of the East"], "count": 99},
        {"id": "longer", "title": "Paris Hilton", "count": 50},
        {"id": "whole", "title": "Paris"},
    ]
    kb = KnowledgeBase.from_records(records)
    assert kb.ids.strings(NamePrefixes(kb).find("paris", 5)) == ["whole", "longer", "alias"]
    assert kb.ids.strings(NamePrefixes(kb, np.array([0, 0, 1.0])).find("p", 1)) == ["whole"]


def test_only_those_allowed_are_found(prefixes):
    allowed = np.array([name.isupper() for name in NAMES])
    assert found(prefixes, "pa", allowed=allowed) == ["PARMA"]


def test_an_empty_knowledge_base_has_no_names():
    assert NamePrefixes(KnowledgeBase.from_records([])).find("a", 5).tolist() == []
