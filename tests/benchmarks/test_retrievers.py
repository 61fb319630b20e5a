"""The compared ways to find candidates do what their names say."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.quality import retrieval
from benchmarks.quality.retrievers import (
    NameTree,
    Rescored,
    Scan,
    best_of,
    by_entity,
    by_place,
    other_trees,
    systems_of,
)
from benchmarks.suites.questions import Questions
from benchmarks.systems.brute_force import BruteForceCosine
from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.sources.label_tree import LabelTreeSource
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Document, Mention, MentionInContext

KB = KnowledgeBase.from_records([
    {"id": "Q90", "title": "Paris", "aliases": ["City of Light"]},
    {"id": "Q167646", "title": "Paris"},
    {"id": "Q830149", "title": "Paris, Texas"},
    {"id": "Q494710", "title": "Fort Dodge, Iowa"},
    {"id": "Q183", "title": "Germany", "aliases": ["Deutschland"]},
    {"id": "Q22647", "title": "Troy", "aliases": ["Ilion"]},
])  # fmt: skip


@pytest.fixture(scope="module")
def default():
    return TreeAndNames.build(KB, n_threads=1)


@pytest.fixture(scope="module")
def systems(default):
    return systems_of(KB, default)


def asked(text):
    return MentionInContext(text, text, 0, len(text))


def test_every_system_finds_an_entity_by_its_whole_name(systems):
    for name, system in systems.items():
        found = system.generate([asked("Germany"), asked("Ilion")], 10)
        assert [listed[0].id for listed in found] == ["Q183", "Q22647"], name


def test_every_system_gives_no_more_than_was_asked_for_and_nothing_twice(systems):
    for name, system in systems.items():
        for listed in system.generate([asked("Paris"), asked("Fort Dodge"), asked("Iowa Paris Troy")], 2):
            ids = [candidate.id for candidate in listed]
            assert len(ids) <= 2, name
            assert len(set(ids)) == len(ids), name


def test_other_trees_are_built_as_their_names_say(default):
    others = other_trees(KB, default)
    assert len(others["tree-3-trees"].ranker.trees) == 3
    assert others["tree-char3-4"].features.n_features > default.tree.features.n_features
    assert isinstance(others["tree-matcher-aware"], LabelTreeSource)
    assert others["tree-matcher-aware+names"].names is default.names


def test_a_name_in_the_tree_of_names_stands_for_all_its_entities():
    found = NameTree.build(KB).rank(["Paris"], 10)
    assert set(found.indices[:2]) == {0, 1}
    assert found.data[0] == pytest.approx(1.0)
    assert list(found.data) == sorted(found.data, reverse=True)


def test_rescoring_orders_by_the_best_name(default):
    found = Rescored.of(KB, default.tree).rank(["City of Light", "Paris, Texas"], 10)
    assert found.indices[found.indptr[0]] == 0
    assert found.indices[found.indptr[1]] == 2
    assert found.data[found.indptr[0]] == pytest.approx(1.0)


def test_the_best_of_rows_are_sorted_row_by_row():
    scored = sparse.csr_matrix(np.array([[0.1, 0.9, 0.5], [0, 0, 0], [0.2, 0, 0.3]], dtype=np.float32))
    best = best_of(scored, 2)
    assert best.indices.tolist() == [1, 2, 2, 0]
    assert best.indptr.tolist() == [0, 2, 2, 4]


def test_fusion_counts_places_row_by_row():
    ranked = sparse.csr_matrix(np.array([[0.9, 0.2], [0, 0.4]], dtype=np.float32))
    assert by_place(ranked).data == pytest.approx([1 / 61, 1 / 62, 1 / 61])


def test_the_suites_of_one_knowledge_base_stand_together():
    names = [suite.kb.path for suite in retrieval.suites([])]
    assert [path for path, before in zip(names[1:], names, strict=False) if path != before] == sorted(set(names))[1:]
    assert "demo" not in {suite.name for suite in retrieval.suites([])}


def test_only_dev_documents_are_read():
    class Listening:
        read = []

        def read_part(self, suite, part):
            self.read.append((suite.name, part))
            return []

    for suite in retrieval.suites([]):
        retrieval.dev_questions(KB, suite, Listening())
    tests = {(suite.name, part) for suite in retrieval.suites([]) for part in suite.test}
    assert len(Listening.read) >= len(retrieval.suites([]))
    assert not tests & set(Listening.read)


def test_more_candidates_never_lower_recall_and_accuracy_is_at_most_recall():
    documents = [
        Document("d", "Paris of Troy", mentions=(Mention(0, 5, "Paris", "Q167646"), Mention(9, 13, "Troy", "Q22647"))),
        Document("e", "Fort Dodge", mentions=(Mention(0, 10, "Fort Dodge", "Q494710"),)),
    ]
    linker = Linker.build(KB, n_threads=1)
    rows = list(retrieval.by_number("candidates/x", Questions.collect(KB, documents), linker, "deixis"))
    values = {row.metric: row.value for row in rows}
    recalls = [values[f"recall@{n}"] for n in retrieval.N_CANDIDATES]
    assert recalls == sorted(recalls)
    assert recalls[-1] == 1.0
    assert all(values[f"accuracy@{n}"] <= values[f"recall@{n}"] for n in retrieval.N_CANDIDATES)


def test_a_ratio_above_one_says_that_the_peer_needs_more():
    def answers(*cpu):
        return retrieval.Answers(ranks=[np.zeros(1, np.int64)] * len(cpu), cpu=list(cpu))

    assert retrieval.ratios(answers(0.4, 0.9), answers(0.1, 0.3)) == pytest.approx([4.0, 3.0])


def test_a_scan_finds_what_the_inverted_index_finds(systems):
    mentions = [asked("Paris"), asked("Fort Dodge"), asked("zzz")]
    assert Scan(systems["brute-force"]).generate(mentions, 3) == systems["brute-force"].generate(mentions, 3)


def test_ties_go_to_titles_first_or_to_the_earlier_entity():
    kb = KnowledgeBase.from_records(
        [{"id": "alias", "title": "Ilion", "aliases": ["Troy"]}, {"id": "title", "title": "Troy"}]
    )
    brute = BruteForceCosine.build(kb)
    assert [c.id for c in brute.generate([asked("Troy")], 2)[0]] == ["title", "alias"]
    assert [c.id for c in by_entity(brute).generate([asked("Troy")], 2)[0]] == ["alias", "title"]
