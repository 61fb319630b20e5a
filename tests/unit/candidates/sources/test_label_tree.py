import logging

import pytest

from deixis.candidates.sources.label_tree import LabelTreeCandidates, LabelTreeCandidatesConfig
from deixis.candidates.sources.names import NameSearchConfig
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


def ids(generator: LabelTreeCandidates, text: str, k: int = 1) -> list[str]:
    return [candidate.id for candidate in generator.generate([mention(text)], k)[0]]


def test_a_knowledge_base_without_entities_is_refused():
    with pytest.raises(ConfigError, match="no entities"):
        LabelTreeCandidates.build(KnowledgeBase.from_records([]))


def test_an_annotated_mention_teaches_a_name_the_knowledge_base_does_not_have():
    assert "Q22647" not in ids(LabelTreeCandidates.build(KB), "Ilion")
    assert ids(LabelTreeCandidates.build(KB, [annotated("Ilion", "Q22")]), "Ilion") == ["Q22"]


def test_annotated_mentions_of_strangers_and_of_nothing_are_passed_over_and_counted(caplog):
    documents = [
        annotated("Ilion", "Q22"), annotated("Oz", "Q999"), annotated("Oz", None), annotated("Oz", None, is_nil=True)
    ]  # fmt: skip
    with caplog.at_level(logging.INFO, "deixis"):
        generator = LabelTreeCandidates.build(KB, iter(documents))
    assert "1 annotated mentions; 1 more name entities that are not in the knowledge base" in caplog.text
    assert ids(generator, "Oz") == []


@pytest.mark.parametrize("gold", ["Q999|Q22", "Q22|Q999", "Q999+Q22", "Q999|Q998+Q22"])
def test_of_several_gold_ids_the_known_one_counts(gold):
    assert ids(LabelTreeCandidates.build(KB, [annotated("Ilion", gold)]), "Ilion") == ["Q22"]


@pytest.mark.parametrize("gold", ["Q22|Q84", "Q84|Q22", "Q84+Q22"])
def test_of_several_known_gold_ids_all_are_taught_and_equally(gold):
    (found,) = LabelTreeCandidates.build(KB, [annotated("Ilion", gold)]).generate([mention("Ilion")], 3)
    assert {candidate.id for candidate in found[:2]} == {"Q22", "Q84"}
    assert found[0].score == pytest.approx(found[1].score, abs=0.05)


def test_a_name_that_all_annotated_mentions_share_is_still_found():
    generator = LabelTreeCandidates.build(KB, [annotated("Paris", "Q90")] * 300)
    assert ids(generator, "Paris") == ["Q90"]


@pytest.mark.parametrize("wrong", [["Paris"], [None], annotated("Paris", "Q90"), 3])
def test_annotated_mentions_must_come_as_documents(wrong):
    with pytest.raises(DataError, match="come as Documents"):
        LabelTreeCandidates.build(KB, wrong)


def test_context_counts_only_if_it_was_asked_to():
    river, sea = (MentionInContext("Paris", f"Paris {word}", 0, 5) for word in ("France", "England"))
    by_name = LabelTreeCandidates.build(KB)
    assert by_name.generate([river], 3) == by_name.generate([sea], 3)
    config = LabelTreeCandidatesConfig(features=MentionFeaturesConfig(context_weight=1.0))
    by_both = LabelTreeCandidates.build(KB, config=config)
    assert by_both.generate([river], 3) != by_both.generate([sea], 3)


def test_a_misspelt_name_is_found_by_its_parts():
    assert ids(LabelTreeCandidates.build(KB), "Londons") == ["Q84"]


def test_one_entity_with_many_aliases_is_found_by_each():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "Paris", "aliases": [f"alias{n}" for n in range(300)]}])
    generator = LabelTreeCandidates.build(kb)
    assert ids(generator, "Paris") == ids(generator, "alias0") == ids(generator, "alias299") == ["a"]


def test_no_score_is_above_1_though_names_are_kept_in_bytes():
    names = ["Paris", "Paris Texas", "Texas", "New Paris", "Troy", "Troyes", "East Troy New York", "Île-de-France"]
    kb = KnowledgeBase.from_records([{"id": name, "title": name} for name in names])
    found = LabelTreeCandidates.build(kb).generate([mention(name) for name in names], k=50)
    assert [candidates[0].id for candidates in found] == names
    assert all(0 <= candidate.score <= 1 for candidates in found for candidate in candidates)


def test_titles_can_teach_the_entities_they_are_mentioned_with():
    text = "Paris Troy"
    together = Document("d", text, mentions=(Mention(0, 5, "Paris", "Q90"), Mention(6, 10, "Troy", "Q22")))
    names = NameSearchConfig(tree_share=1.0, learned_tree_share=1.0)
    kinds = {
        kind: LabelTreeCandidatesConfig(names=names, augmentation=AugmentationConfig(kind)) for kind in ("none", "soft")
    }
    found = {
        kind: {
            one.id: one.score
            for one in LabelTreeCandidates.build(KB, [together], config).generate([mention("Paris")], 3)[0]
        }
        for kind, config in kinds.items()
    }
    assert found["soft"]["Q22"] > found["none"].get("Q22", 0)
    assert found["soft"]["Q22"] > found["soft"].get("Q84", 0)


def test_without_annotated_documents_nothing_is_related_and_the_tree_is_the_same():
    soft = LabelTreeCandidatesConfig(augmentation=AugmentationConfig("soft"))
    plain, other = LabelTreeCandidates.build(KB).to_arrays("t"), LabelTreeCandidates.build(KB, (), soft).to_arrays("t")
    assert all(plain[name].tobytes() == other[name].tobytes() for name in plain)
