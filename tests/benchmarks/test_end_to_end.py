"""From text to links, measured: gold is restricted to the knowledge base, spans count apart from what they mean."""

import pytest

from benchmarks.quality.end_to_end import Task, build, in_kb, measure
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [{"id": "troy", "title": "Troy"}, {"id": "paris", "title": "Paris"}, {"id": "prince", "title": "Paris"}]
)


def document(text: str, **entities: str) -> Document:
    mentions = (Mention(text.index(name), text.index(name) + len(name), name, id_) for name, id_ in entities.items())
    return Document("d", text, mentions=tuple(mentions))


GOLD = document(
    "From Troy came Paris to Atlantis, home of Ilion.", Troy="troy", Paris="prince", Atlantis="q", Ilion="troy"
)


def figures(system: str, taught: list[Document]) -> dict[str, float]:
    rows = measure(KB, system, build(KB, system, taught), Task("toy/dev", [GOLD]), {})
    return {row.metric: row.value for row in rows}


def test_gold_is_what_the_knowledge_base_has() -> None:
    assert [mention.text for mention in in_kb(KB, GOLD).mentions] == ["Troy", "Paris", "Ilion"]


def test_a_right_span_with_a_wrong_entity_counts_for_spans_only() -> None:
    found = figures("dictionary", [])
    assert found["span_precision"] == 1 and found["span_recall"] == pytest.approx(2 / 3)
    assert found["inkb_micro_precision"] == 0.5 and found["accuracy_on_found_spans"] == 0.5
    assert found["characters_per_second"] > 0 and found["documents_per_second"] > 0


def test_the_prior_knows_names_and_meanings_of_training_documents() -> None:
    taught = [document("At Ilion stood Paris.", Ilion="troy", Paris="prince")] * 3
    assert figures("prior", taught)["inkb_micro_f1"] == 1
