import logging

import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.errors import ConfigError, DataError
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext
from deixis.xmr.label_augmentation import AugmentationConfig

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "description": "capital of France"},
        {"id": "Q22", "title": "Troy", "description": "ancient city"},
        {"id": "Q84", "title": "London", "description": "capital of England"},
    ]
)


def mention(text: str) -> MentionInContext:
    return MentionInContext(text, text, 0, len(text))


def annotated(text: str, entity: str | None, **more: bool) -> Document:
    return Document("d", text, mentions=(Mention(0, len(text), text, entity, **more),))


def ids(source: LabelTreeSource, text: str, k: int = 1) -> list[str]:
    return [candidate.id for candidate in source.generate([mention(text)], k)[0]]


def test_a_knowledge_base_without_entities_is_refused():
    with pytest.raises(ConfigError, match="no entities"):
        LabelTreeSource.build(SourceInputs(KnowledgeBase.from_records([])))


def test_an_annotated_mention_teaches_a_name_the_knowledge_base_does_not_have():
    assert "Q22647" not in ids(LabelTreeSource.build(SourceInputs(KB)), "Ilion")
    assert ids(LabelTreeSource.build(SourceInputs(KB, [annotated("Ilion", "Q22")])), "Ilion") == ["Q22"]


def test_annotated_mentions_of_strangers_and_of_nothing_are_passed_over_and_counted(caplog):
    documents = [
        annotated("Ilion", "Q22"), annotated("Oz", "Q999"), annotated("Oz", None), annotated("Oz", None, is_nil=True)
    ]  # fmt: skip
    with caplog.at_level(logging.INFO, "deixis"):
        source = LabelTreeSource.build(SourceInputs(KB, documents))
    assert "1 annotated mentions; 1 more name entities that are not in the knowledge base" in caplog.text
    assert ids(source, "Oz") == []


@pytest.mark.parametrize("gold", ["Q999|Q22", "Q22|Q999", "Q999+Q22", "Q999|Q998+Q22"])
def test_of_several_gold_ids_the_known_one_counts(gold):
    assert ids(LabelTreeSource.build(SourceInputs(KB, [annotated("Ilion", gold)])), "Ilion") == ["Q22"]


@pytest.mark.parametrize("gold", ["Q22|Q84", "Q84|Q22", "Q84+Q22"])
def test_of_several_known_gold_ids_all_are_taught_and_equally(gold):
    (found,) = LabelTreeSource.build(SourceInputs(KB, [annotated("Ilion", gold)])).generate([mention("Ilion")], 3)
    assert {candidate.id for candidate in found[:2]} == {"Q22", "Q84"}
    assert found[0].score == pytest.approx(found[1].score, abs=0.05)


def test_a_name_that_all_annotated_mentions_share_is_still_found():
    source = LabelTreeSource.build(SourceInputs(KB, [annotated("Paris", "Q90")] * 300))
    assert ids(source, "Paris") == ["Q90"]


@pytest.mark.parametrize("wrong", [["Paris"], [None], annotated("Paris", "Q90"), 3])
def test_annotated_mentions_must_come_as_documents(wrong):
    with pytest.raises(DataError, match="come as Documents"):
        LabelTreeSource.build(SourceInputs(KB, wrong))


def test_context_counts_only_if_it_was_asked_to():
    river, sea = (MentionInContext("Paris", f"Paris {word}", 0, 5) for word in ("France", "England"))
    by_name = LabelTreeSource.build(SourceInputs(KB))
    assert by_name.generate([river], 3) == by_name.generate([sea], 3)
    config = LabelTreeSourceConfig(features=MentionFeaturesConfig(context_weight=1.0))
    by_both = LabelTreeSource.build(SourceInputs(KB), config)
    assert by_both.generate([river], 3) != by_both.generate([sea], 3)


def test_a_misspelt_name_is_found_by_its_parts():
    assert ids(LabelTreeSource.build(SourceInputs(KB)), "Londons") == ["Q84"]


def test_one_entity_with_many_aliases_is_found_by_each():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "Paris", "aliases": [f"alias{n}" for n in range(300)]}])
    source = LabelTreeSource.build(SourceInputs(kb))
    assert ids(source, "Paris") == ids(source, "alias0") == ids(source, "alias299") == ["a"]


def test_titles_can_teach_the_entities_they_are_mentioned_with():
    text = "Paris Troy"
    together = Document("d", text, mentions=(Mention(0, 5, "Paris", "Q90"), Mention(6, 10, "Troy", "Q22")))
    kinds = {kind: LabelTreeSourceConfig(augmentation=AugmentationConfig(kind)) for kind in ("none", "soft")}
    found = {
        kind: {
            one.id: one.score
            for one in LabelTreeSource.build(SourceInputs(KB, [together]), config).generate([mention("Paris")], 3)[0]
        }
        for kind, config in kinds.items()
    }
    assert found["soft"]["Q22"] > found["none"].get("Q22", 0)
    assert found["soft"]["Q22"] > found["soft"].get("Q84", 0)


def test_without_annotated_documents_nothing_is_related_and_the_tree_is_the_same():
    soft = LabelTreeSourceConfig(augmentation=AugmentationConfig("soft"))
    plain, other = (
        LabelTreeSource.build(SourceInputs(KB)).to_arrays("t"),
        LabelTreeSource.build(SourceInputs(KB), soft).to_arrays("t"),
    )
    assert all(plain[name].tobytes() == other[name].tobytes() for name in plain)
