"""Languages of a knowledge base."""

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.languages import known_in, language_codes


@pytest.fixture
def kb():
    return KnowledgeBase.from_records(
        [
            {"id": "bare", "title": "Lisboa"},
            {"id": "named", "title": "Lisbon", "aliases": ["Lx", {"text": "Lisboa", "lang": "pt-BR"}]},
            {
                "id": "both",
                "title": "Porto",
                "aliases": [{"text": "Porto", "lang": "pt"}],
                "descriptions": {"en": "city"},
            },
            {"id": "described", "title": "Faro", "description": "no language", "descriptions": {"PT": "cidade"}},
        ]
    )


def test_an_entity_is_known_in_the_languages_of_its_aliases_and_descriptions(kb):
    assert known_in(kb, "pt").tolist() == [False, True, True, True]
    assert known_in(kb, "en").tolist() == [False, False, True, False]


def test_a_region_makes_no_other_language(kb):
    assert known_in(kb, "pt_PT").tolist() == known_in(kb, "pt").tolist()
    assert [kb.langs[code] for code in language_codes(kb, "pt")] == ["pt-BR", "pt", "PT"]


def test_a_language_that_nothing_is_in_has_no_entities(kb):
    assert not known_in(kb, "ja").any()
    assert not known_in(kb, "").any()
