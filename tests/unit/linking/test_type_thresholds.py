"""Thresholds by type: they hold for entities of the type, and for no others."""

from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

from deixis.cli.commands.link import link
from deixis.documents.reading import read_documents
from deixis.errors import UnknownNameError
from deixis.explanation.explain import explain
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.types import Document, Mention
from tests.linkers import Contrarian, with_reranker


@cache
def linker() -> Linker:
    return with_reranker(Linker.build(read_demo(), n_threads=1), Contrarian(0.6))


def documents(is_raw: bool) -> list[Document]:
    gold = list(read_documents(demo_sentences_path()))[::4]
    return [
        each.with_mentions([] if is_raw else [Mention(m.start, m.end, m.text) for m in each.mentions]) for each in gold
    ]


def links(is_raw: bool, **options) -> list[Mention]:
    return [m for each in linker().link_many(documents(is_raw), **options) for m in each.mentions if m.entity]


def is_city(mention: Mention) -> bool:
    return "city" in linker().kb.entity(mention.entity).types


@pytest.mark.parametrize("rerank", [False, True], ids=["plain", "reranked"])
@pytest.mark.parametrize("is_raw", [False, True], ids=["given", "raw"])
def test_a_threshold_of_a_type_holds_for_its_entities_alone(is_raw, rerank):
    low, high = (links(is_raw, threshold=threshold, rerank=rerank) for threshold in (0.2, 0.55))
    mixed = links(is_raw, threshold=0.2, type_thresholds={"city": 0.55}, rerank=rerank)
    assert any(map(is_city, low)) and not all(map(is_city, low))
    assert all(m.score >= 0.55 for m in mixed if is_city(m)) and (rerank or any(m.score < 0.55 for m in mixed))
    if not is_raw:
        assert mixed == [m for m in low if not is_city(m) or m.score >= 0.55]
        assert [m for m in mixed if is_city(m)] == [m for m in high if is_city(m)]


def test_of_several_types_the_highest_threshold_holds_and_without_one_the_general():
    kb = KnowledgeBase.from_records(
        [
            {"id": "a", "title": "Aa", "types": ["city", "capital"]},
            {"id": "b", "title": "Bb", "types": ["city"]},
            {"id": "c", "title": "Cc", "types": ["river"]},
        ]
    )
    options = LinkOptions(threshold=0.3, type_thresholds={"city": 0.2, "capital": 0.8})
    plan = LinkPlan.of(Linker.build(kb, n_threads=1).model, options, detects=False)
    assert plan.thresholds(plan.deciding, np.array([0, 1, 2, -1])).tolist() == [0.8, 0.2, 0.3, 0.3]


def test_a_type_that_no_entity_has_is_told():
    with pytest.raises(UnknownNameError, match="citty.*Did you mean 'city'"):
        linker().link("Paris", type_thresholds={"citty": 0.5})


def test_an_explanation_names_the_threshold_of_the_entity():
    options = LinkOptions(threshold=0.05, type_thresholds={"city": 0.9})
    for document in documents(is_raw=False)[:5]:
        mentions = linker().link(document, options).mentions
        for told, mention in zip(explain(linker().model, document, options=options), mentions, strict=True):
            types = linker().kb.entity(told.entity.id).types
            assert told.threshold == (0.9 if "city" in types else 0.05)
            assert told.is_linked is (mention.entity is not None) is (mention.score >= told.threshold)


@pytest.mark.parametrize("wrong", ["city", "=0.4", "city=high"])
def test_a_threshold_of_a_type_is_written_with_an_equals_sign(wrong):
    answer = CliRunner().invoke(link, ["model", "--type-threshold", wrong])
    assert answer.exit_code == 2 and f"{wrong!r} is no type with a number: write Disease=0.4" in answer.output
