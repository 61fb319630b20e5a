"""The tree can be walked from its root to every entity, and branches say what they are about."""

import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.errors import DataError
from deixis.explanation.tree_view import TreeView, topics_of
from deixis.kb.demo import read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig


@pytest.fixture(scope="module")
def view():
    ranker = LabelTreeConfig(tree=TreeConfig(branching=4, max_leaf_size=10))
    return TreeView(LabelTreeSource.build(SourceInputs(read_demo()), LabelTreeSourceConfig(ranker=ranker)))


def walked(view, level=0, node=0):
    for branch in view.below(level, node):
        yield branch
        if branch.entity is None:
            yield from walked(view, branch.level, branch.node)


def test_every_entity_is_found_once(view):
    kb = read_demo()
    found = [branch.entity for branch in walked(view) if branch.entity is not None]
    assert len(found) == len(kb) and set(found) == set(kb.ids)


def test_a_node_has_as_many_entities_as_lie_below_it(view):
    for branch in walked(view):
        if branch.entity is None:
            below = [each for each in walked(view, branch.level, branch.node) if each.entity is not None]
            assert branch.n_entities == len(below)
            assert set(branch.titles) <= {title for each in below for title in each.titles}


def test_the_way_to_an_entity_ends_above_it(view):
    way = view.way_to("troy_ancient")
    assert way[0] == (0, 0) and len(way) == view.n_levels > 2
    assert "troy_ancient" in {branch.entity for branch in view.below(*way[-1])}


def test_branches_are_named_by_what_leads_to_them(view):
    level, node = view.way_to("troy_ancient")[-1]
    (troy,) = (branch for branch in view.below(level, node) if branch.entity == "troy_ancient")
    assert "troy" in troy.topics and troy.titles == ("Troy",)
    assert all(branch.topics for branch in view.below(0, 0))


def test_words_that_say_little_name_no_branch_that_has_others():
    records = [
        {"id": f"e{n}", "title": title} for n, title in enumerate(["Of the", "The Tower of York", "The Lord of York"])
    ]
    generator = LabelTreeSource.build(SourceInputs(KnowledgeBase.from_records(records)))
    assert "york" in topics_of(generator, np.arange(3, dtype=np.int32))[0]
    assert topics_of(generator, np.arange(1, dtype=np.int32))  # a title of such words alone still has a name


@pytest.mark.parametrize(("place", "words"), [((9, 0), "levels 0.."), ((0, 1), "Level 0 has 1 nodes")])
def test_what_is_not_there_is_told(view, place, words):
    with pytest.raises(DataError, match=words):
        view.below(*place)
    with pytest.raises(DataError, match="has the id 'nowhere'"):
        view.way_to("nowhere")
    with pytest.raises(DataError, match="no tree 3"):
        TreeView(LabelTreeSource.build(SourceInputs(read_demo())), tree=3)
