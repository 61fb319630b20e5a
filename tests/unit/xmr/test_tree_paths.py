"""The way to a label adds up to what the search says."""

import numpy as np
import pytest
from scipy import sparse

from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker
from deixis.xmr.tree_paths import labels_below, nodes_to, path_to

N_LABELS = 40
BEAMS = {
    "hinge": BeamConfig(width=100),
    "power": BeamConfig(width=100, power=3, memory=0.7),
    "sigmoid": BeamConfig(width=100, path_score="sigmoid", memory=1.0),
    "forgetful": BeamConfig(width=100, memory=0.0),
}


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    labels = np.concatenate([np.arange(N_LABELS), rng.integers(0, N_LABELS, 160)])
    own = (rng.random((N_LABELS, 60)) < 0.1).astype(np.float32)
    X = sparse.csr_matrix(own[labels] + (rng.random((200, 60)) < 0.03).astype(np.float32))
    Y = sparse.csr_matrix(np.eye(N_LABELS, dtype=np.float32)[labels])
    config = LabelTreeConfig(tree=TreeConfig(branching=3, max_leaf_size=5))
    return LabelTreeRanker(config, n_threads=1).fit(X, Y), X


@pytest.mark.parametrize("beam", BEAMS.values(), ids=list(BEAMS))
def test_the_last_step_has_the_score_of_the_search(fitted, beam):
    ranker, X = fitted
    for number in (0, 7, 150):
        ranked = ranker.rank(X[number], N_LABELS, beam)
        assert ranked.nnz == N_LABELS
        for label, score in zip(ranked.indices, ranked.data, strict=True):
            steps = path_to(ranker.trees[0], int(label), X[number], beam)
            assert len(steps) == ranker.trees[0].tree.n_levels > 2
            assert np.exp(steps[-1].path_log_score) == pytest.approx(float(score), abs=2e-3)


def test_each_margin_is_the_sum_of_its_parts(fitted):
    ranker, X = fitted
    for step in path_to(ranker.trees[0], 3, X[3], ranker.config.beam):
        assert step.margin == pytest.approx(step.bias + float(step.values @ step.weights), abs=1e-5)


def test_the_way_ends_at_the_label_and_narrows(fitted):
    tree = fitted[0].trees[0]
    for label in range(N_LABELS):
        way = list(nodes_to(tree, label))
        assert [level for level, _, _ in way] == list(range(tree.tree.n_levels))
        assert tree.tree.label_order[way[-1][2]] == label
        for (_, _, node), (_, parent, _) in zip(way, way[1:], strict=False):
            assert node == parent
        sizes = [len(labels_below(tree, level, node)) for level, _, node in way]
        assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1
        assert all(label in labels_below(tree, level, node) for level, _, node in way)


def test_weights_of_a_child_are_those_of_its_level(fitted):
    tree = fitted[0].trees[0]
    some = np.array([0, 3, 4, 17, 59], dtype=np.int32)
    for rankers in tree.levels:
        together = rankers.weights_by_child(tree.n_features)[0].toarray()
        for parent in range(len(rankers.child_starts) - 1):
            for node in range(*rankers.child_starts[parent : parent + 2].tolist()):
                every = rankers.weights_of(parent, node, np.arange(tree.n_features, dtype=np.int32), tree.n_features)
                assert np.array_equal(every, together[:, node]) and every.any()
                assert np.array_equal(rankers.weights_of(parent, node, some, tree.n_features), every[some])
                assert len(rankers.weights_of(parent, node, some[:0], tree.n_features)) == 0
