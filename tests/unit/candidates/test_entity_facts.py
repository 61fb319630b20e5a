import numpy as np
import pytest

from deixis.candidates.entity_facts import entity_words, popularity_from
from deixis.candidates.source import SourceInputs
from deixis.features.word_rows import Pairs
from deixis.kb.knowledge_base import KnowledgeBase

KB = KnowledgeBase.from_records(
    [
        {"id": "uk", "title": "Zealand"},
        {"id": "paris", "title": "Paris", "types": ["city"]},
        {"id": "a", "title": "Aix"},
    ]
)


def test_popularity_lies_between_0_and_1_whatever_was_counted():
    counts = np.array([2**62, 0, 1, 2**53, 7], dtype=np.float64)
    assert popularity_from(counts)[0] == 1 and popularity_from(np.zeros(3)).tolist() == [0, 0, 0]
    assert len(popularity_from(np.zeros(0))) == 0


def test_names_of_types_are_words_of_the_description():
    words = entity_words(KB, 1)
    shares = words.share_described(words.queries(["city"]), Pairs(np.array([0, 3]), np.arange(3)))
    assert shares.tolist() == pytest.approx([0, 1, 0])


def test_without_a_label_tree_entities_stand_in_the_order_of_their_titles():
    assert SourceInputs(KB).row_order.tolist() == [2, 1, 0]


def test_with_a_label_tree_they_stand_as_in_the_tree_which_is_built_once():
    inputs = SourceInputs(KB, configs={"label_tree": None})
    tree = inputs.source("label_tree")
    assert inputs.row_order.tolist() == tree.row_order.tolist() and inputs.source("label_tree") is tree
