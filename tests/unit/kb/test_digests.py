"""Digests of entities change with every field of a record, and with nothing else."""

import pytest

from deixis.kb.digests import entity_digests
from deixis.kb.knowledge_base import KnowledgeBase

PARIS = {
    "id": "Q90",
    "title": "Paris",
    "aliases": ["City of Light", {"text": "Parigi", "lang": "it", "count": 3}],
    "description": "capital of France",
    "descriptions": {"de": "Hauptstadt"},
    "types": ["city", "capital"],
    "count": 7,
    "url": "https://example.org/paris",
    "alt_ids": ["paris-fr"],
}
OTHER = {"id": "Q84", "title": "London", "types": ["capital"], "aliases": [{"text": "Londres", "lang": "fr"}]}


def digest(record, *others):
    kb = KnowledgeBase.from_records([*others, record])
    return int(entity_digests(kb)[-1])


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Q91"},
        {"title": "paris"},
        {"aliases": PARIS["aliases"][::-1]},
        {"aliases": PARIS["aliases"][:1]},
        {"aliases": ["City of Light", {"text": "Parigi", "lang": "fr", "count": 3}]},
        {"aliases": ["City of Light", {"text": "Parigi", "lang": "it", "count": 4}]},
        {"description": "capital of Frances"},
        {"descriptions": {"nl": "Hauptstadt"}},
        {"types": ["city"]},
        {"count": 8},
        {"url": ""},
        {"alt_ids": ["paris-us"]},
        {"types": [], "alt_ids": ["city", "capital", "paris-fr"]},
    ],
    ids=str,
)
def test_another_record_has_another_digest(change):
    assert digest(PARIS | change) != digest(PARIS)


def test_the_other_entities_of_a_list_do_not_matter():
    assert digest(PARIS, OTHER) == digest(PARIS)


def test_a_list_without_entities_has_no_digests():
    assert len(entity_digests(KnowledgeBase.from_records([]))) == 0
