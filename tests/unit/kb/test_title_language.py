"""Titles in one language."""

import pytest

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase


def alias(text, lang):
    return {"text": text, "lang": lang, "count": 3}


KB = KnowledgeBase.from_records(
    [
        {
            "id": "1",
            "title": "Katzen",
            "aliases": ["Miez", alias("gatos", "pt-BR"), alias("cats", "en"), alias("kits", "en")],
        },
        {"id": "2", "title": "dogs", "aliases": [alias("dogs", "en"), alias("Hunde", "de")]},
        {"id": "3", "title": "Vögel"},
    ]
)


def test_the_first_alias_in_the_language_becomes_the_title():
    assert list(KB.with_title_language("en").titles) == ["cats", "dogs", "Vögel"]
    assert list(KB.with_title_language("DE").titles) == ["Katzen", "Hunde", "Vögel"]
    assert list(KB.with_title_language("pt").titles) == ["gatos", "dogs", "Vögel"]


def test_no_name_and_no_id_is_lost():
    other = KB.with_title_language("en")
    assert list(other.ids) == list(KB.ids)
    for row in range(len(KB)):
        before, after = KB.entity(row), other.entity(row)
        assert {before.title, *(each.text for each in before.aliases)} == {
            after.title,
            *(each.text for each in after.aliases),
        }
    assert [(each.text, each.lang, each.count) for each in other.entity("1").aliases] == [
        ("Miez", "", 0),
        ("gatos", "pt-BR", 3),
        ("Katzen", "", 0),
        ("kits", "en", 3),
    ]
    assert other.entity("2") == KB.entity("2")


def test_a_language_that_nobody_has_is_an_error():
    with pytest.raises(DataError, match=r"No alias is in the language 'fi'\. Languages: pt-BR, en, de\."):
        KB.with_title_language("fi")
