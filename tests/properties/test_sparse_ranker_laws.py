"""Laws of the second stage: whatever the shortlist and the scores."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.xmr.score_tree import ScoreTree, ScoreTreeConfig
from deixis.xmr.scored_pairs import ScoredPairs, combined_scores
from deixis.xmr.sparse_ranker import SparseRanker

quick = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32)


@st.composite
def problems(draw):
    n_docs, n_features, n_labels = draw(st.integers(1, 30)), draw(st.integers(1, 20)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(seeds))
    X = rng.normal(size=(n_docs, n_features)) * (rng.random((n_docs, n_features)) < 0.4)
    Y, shortlist = (rng.random((n_docs, n_labels)) < share for share in (0.1, draw(st.sampled_from([0.0, 0.3, 1.0]))))
    return [sparse.csr_matrix(each.astype(np.float32)) for each in (X, Y, shortlist)]


@st.composite
def trees(draw):
    """A tree and pairs it has not seen."""
    rng = np.random.default_rng(draw(seeds))
    n = draw(st.integers(4, 200))

    def pairs():
        return ScoredPairs.of(np.array([0, n]), rng.random(n).round(2), rng.normal(size=n), rng.integers(0, 9, n))

    is_right = rng.random(n) < 0.4
    is_right[:2] = True, False
    config = ScoreTreeConfig(depths=(draw(st.integers(0, 6)),), min_leaf=0.02)
    return ScoreTree.fit(pairs(), is_right, config), pairs()


@quick
@given(problems())
def test_every_score_is_a_dot_product_and_only_the_shortlist_has_one(problem):
    X, Y, shortlist = problem
    ranker = SparseRanker.fit(X, Y, shortlist, n_threads=1)
    scores = ranker.scores(X, shortlist, n_threads=1)
    assert scores.indices.tolist() == shortlist.indices.tolist() and scores.indptr.tolist() == shortlist.indptr.tolist()
    dense = X.toarray().astype(np.float64) @ ranker.labels_by_features.toarray().T + ranker.biases
    rows = np.repeat(np.arange(X.shape[0]), np.diff(shortlist.indptr))
    np.testing.assert_allclose(scores.data, dense[rows, shortlist.indices], atol=1e-4)


@quick
@given(problems())
def test_one_document_scores_as_it_does_among_others(problem):
    X, Y, shortlist = problem
    ranker = SparseRanker.fit(X, Y, shortlist, n_threads=1)
    together = ranker.scores(X, shortlist, n_threads=2)
    alone = [ranker.scores(X[i], shortlist[i], n_threads=1).data for i in range(X.shape[0])]
    assert np.concatenate(alone).tobytes() == together.data.tobytes()


@quick
@given(trees())
def test_within_a_leaf_a_better_combined_score_never_gets_a_lower_one(tree_and_pairs):
    tree, pairs = tree_and_pairs
    scores, leaves = tree.spread(pairs.features, pairs.combined), tree.leaves(pairs.features)
    for leaf in np.unique(leaves):
        inside = np.flatnonzero(leaves == leaf)
        order = inside[np.argsort(pairs.combined[inside], kind="stable")]
        assert (np.diff(scores[order]) >= 0).all()


@quick
@given(trees())
def test_a_leaf_never_passes_one_of_a_higher_value(tree_and_pairs):
    tree, pairs = tree_and_pairs
    scores, values = tree.spread(pairs.features, pairs.combined), tree.probabilities(pairs.features)
    assert ((0 <= scores) & (scores <= 1)).all()
    for value in np.unique(values)[1:]:
        assert scores[values < value].max() <= scores[values >= value].min()


@quick
@given(seeds)
def test_the_combined_score_never_falls_with_either_score(seed):
    rng = np.random.default_rng(seed)
    first, margins = np.sort(rng.random(20)), np.sort(rng.normal(size=20) * 10)
    by_both = combined_scores(np.repeat(first, 20), np.tile(margins, 20)).reshape(20, 20)
    assert (np.diff(by_both, axis=0) >= 0).all() and (np.diff(by_both, axis=1) >= 0).all()
