"""One description per entity, in the language it is mentioned in most: the rule of Entity Linking in 100 Languages."""

import json

import pytest

from deixis.errors import UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention


def entity(name, langs, counts):
    """An entity with a description in each language and one alias with a count in some."""
    aliases = [{"text": f"{name}-{lang}", "lang": lang, "count": count} for lang, count in counts.items()]
    return {
        "id": name,
        "title": name,
        "aliases": aliases,
        "descriptions": {lang: f"{name} in {lang}" for lang in langs},
    }


def kept(kb):
    return {entity.id: list(entity.descriptions) for entity in kb.entities()}


RECORDS = [
    entity("ankara", ["en", "tr", "de"], {"en": 5, "tr": 9}),
    entity("tie", ["de", "en", "tr"], {"en": 3, "tr": 3}),
    entity("unseen", ["tr", "de", "en"], {}),
    entity("elsewhere", ["en", "de"], {"tr": 100, "de": 1}),
    {"id": "none", "title": "none"},
    {"id": "plain", "title": "plain", "description": "no language told", "descriptions": {"de": "plain in de"}},
]
"""n(tr) = 112, n(en) = 8, n(de) = 1."""


@pytest.fixture
def kb():
    return KnowledgeBase.from_records(RECORDS)


def test_the_language_with_most_mentions_of_the_entity_wins(kb):
    chosen = kept(kb.with_description_language("mentions"))
    assert chosen["ankara"] == ["tr"]
    assert chosen["elsewhere"] == ["de"]


def test_a_tie_goes_to_the_language_with_most_mentions_of_all(kb):
    chosen = kept(kb.with_description_language("mentions"))
    assert chosen["tie"] == ["tr"]
    assert chosen["unseen"] == ["tr"]


def test_a_description_that_tells_no_language_gives_way(kb):
    assert kept(kb.with_description_language("mentions"))["plain"] == ["de"]


def test_what_nobody_counted_keeps_the_first_of_the_record():
    kb = KnowledgeBase.from_records([entity("a", ["sv", "fi"], {}), entity("b", ["fi", "sv"], {"sv": 0})])
    assert kept(kb.with_description_language("mentions")) == {"a": ["sv"], "b": ["fi"]}


def test_annotated_documents_add_to_the_counts_of_aliases(kb):
    text = "x" * 5
    mentions = tuple(Mention(i, i + 1, "x", entity="ankara") for i in range(5))
    documents = [Document("1", text, "en", mentions), Document("2", text, None, mentions * 9)]
    assert kept(kb.with_description_language("mentions", documents[:1]))["ankara"] == ["en"]
    assert kept(kb.with_description_language("mentions", documents[1:]))["ankara"] == ["tr"]


def test_gold_that_the_knowledge_base_lacks_and_its_languages_count_nowhere(kb):
    text, mention = "x", Mention(0, 1, "x", entity="nowhere")
    documents = [Document(str(n), text, "de", (mention,)) for n in range(500)]
    documents.append(Document("z", text, "zu", (Mention(0, 1, "x", entity="tie"),)))
    assert kept(kb.with_description_language("mentions", documents)) == kept(kb.with_description_language("mentions"))


def test_a_language_asked_for_goes_before_all_and_the_rule_finds_the_others(kb):
    chosen = kept(kb.with_description_language("de"))
    assert chosen["ankara"] == chosen["tie"] == chosen["unseen"] == chosen["elsewhere"] == ["de"]
    assert kept(kb.with_description_language("tr"))["elsewhere"] == ["de"]
    assert kept(kb.with_description_language("en"))["plain"] == ["de"]


def test_a_region_is_the_same_language_but_the_very_code_is_nearer():
    kb = KnowledgeBase.from_records([entity("a", ["pt", "pt-BR"], {}), entity("b", ["en", "pt-PT"], {"en": 9})])
    assert kept(kb.with_description_language("pt-BR")) == {"a": ["pt-BR"], "b": ["pt-PT"]}


def test_all_keeps_everything_and_the_rest_keeps_names_and_order(kb):
    assert kb.with_description_language("all") is kb
    chosen = kb.with_description_language("mentions")
    assert list(chosen.description_texts()) == [
        "ankara in tr",
        "tie in tr",
        "unseen in tr",
        "elsewhere in de",
        "",
        "plain in de",
    ]
    assert [entity.aliases for entity in chosen.entities()] == [entity.aliases for entity in kb.entities()]
    assert chosen.row_of("plain") == 5


def test_a_language_that_describes_nothing_is_an_error_that_names_the_others(kb):
    with pytest.raises(UnknownNameError, match="description language named 'dee'. Known: all, de, en, mentions, tr"):
        kb.with_description_language("dee")


def test_reading_takes_the_choice(tmp_path):
    path = tmp_path / "kb.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    assert kept(KnowledgeBase.read(path, description_language="mentions"))["ankara"] == ["tr"]
    assert kept(KnowledgeBase.read(path))["ankara"] == ["en", "tr", "de"]


def test_nothing_to_choose_from_is_no_trouble():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "a"}])
    assert kept(kb.with_description_language("mentions")) == {"a": []}
