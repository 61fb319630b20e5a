import numpy as np
import pytest

from deixis.candidates.training_rows import mentioned_entities, related_titles
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention
from deixis.xmr.label_augmentation import AugmentationConfig

KB = KnowledgeBase.from_records([{"id": id, "title": f"{id} the title"} for id in ("a", "b", "c", "d")])


def document(*entities: str | None) -> Document:
    text = " ".join("x" for _ in entities)
    return Document("d", text, mentions=tuple(Mention(2 * n, 2 * n + 1, "x", id) for n, id in enumerate(entities)))


def test_a_document_counts_an_entity_once_and_strangers_not_at_all():
    found = mentioned_entities(KB, [document("b", "b", "a"), document("z", None), document("c|d")])
    assert found.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]


def test_only_titles_of_mentioned_entities_are_added():
    made = related_titles(KB, [document("c", "a"), document("a")], AugmentationConfig("soft"))
    assert list(made.mentions) == ["a the title", "c the title"]
    assert made.docs_by_labels.shape == (2, 4)
    targets = made.docs_by_labels.toarray()
    assert targets[0, 0] == targets[1, 2] == 1
    assert 0 < targets[0, 2] < targets[1, 0] <= 1  # c is always with a, a with c every second time


def test_self_annotation_names_the_entity_alone():
    made = related_titles(KB, [document("c", "a")], AugmentationConfig("self"))
    assert made.docs_by_labels.toarray().tolist() == np.eye(4)[[0, 2]].tolist()


@pytest.mark.parametrize("documents", [[], [document(None)], [document("z")]])
def test_nothing_known_adds_nothing(documents):
    assert related_titles(KB, documents, AugmentationConfig("soft")) is None
    assert related_titles(KB, [document("a")], AugmentationConfig("none")) is None
