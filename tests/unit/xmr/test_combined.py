from functools import cache

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.xmr.combined import CombinedConfig, CombinedRanker, joined_features
from deixis.xmr.model import LabelTreeRanker


@cache
def problem(n_docs=300, n_features=40, n_labels=25, seed=0):
    """Documents with a label's own words and noise; some words belong to two labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, n_docs)
    X = (rng.random((n_docs, n_features)) < 0.08).astype(np.float32)
    X[np.arange(n_docs), labels] += 1.0
    X[np.arange(n_docs), n_labels + labels // 2] += 1.0
    Y = sparse.csr_matrix((np.ones(n_docs, np.float32), labels, np.arange(n_docs + 1)), shape=(n_docs, n_labels))
    return sparse.csr_matrix(X), Y


@cache
def fitted():
    X, Y = problem()
    first = LabelTreeRanker(n_threads=1).fit(X[:200], Y[:200])
    config = CombinedConfig(n_shortlisted=10)
    return CombinedRanker.fit(first, X[:200], Y[:200], config, n_threads=1)


class WithVectors:
    """A tree that also tells vectors, as a neural first stage does."""

    def __init__(self, tree, vectors_by_features):
        self.tree, self.vectors_by_features = tree, vectors_by_features

    def rank(self, X, k):
        return self.tree.rank(X, k)

    def encode(self, X):
        return X @ self.vectors_by_features


def test_dense_vectors_stand_right_of_the_sparse_ones_with_the_length_asked_for():
    joined = joined_features([[1, 0], [0, 2]], np.array([[3.0, 4.0, 0], [0, 0, 0]]), weight=0.5)
    np.testing.assert_allclose(joined.toarray(), [[1, 0, 0.3, 0.4, 0], [0, 2, 0, 0, 0]], rtol=1e-6)
    assert joined.dtype == np.float32 and joined.has_sorted_indices


def test_as_many_vectors_as_rows_are_needed():
    with pytest.raises(DataError, match="2 sparse rows and 3 dense ones"):
        joined_features(np.eye(2), np.zeros((3, 4)))


def test_without_calibration_the_score_is_the_combined_one():
    X, _ = problem()
    ranker = fitted()
    first, margins = ranker.both_scores(X[200:])
    product = np.sqrt(first.toarray()) / (1 + np.exp(-margins.toarray()))
    np.testing.assert_allclose(ranker.rank(X[200:], k=10).toarray(), product * (first.toarray() > 0), rtol=1e-5)


@pytest.mark.parametrize("is_calibrated", [False, True])
def test_labels_are_those_of_the_first_stage_best_first(is_calibrated):
    X, Y = problem()
    ranker = fitted().calibrated(X[200:], Y[200:]) if is_calibrated else fitted()
    ranked, first = ranker.rank(X, k=10), ranker.first.rank(X, 10)
    assert (ranked.toarray().astype(bool) <= first.toarray().astype(bool)).all()
    for row in range(len(ranked.indptr) - 1):
        scores = ranked.data[ranked.indptr[row] : ranked.indptr[row + 1]]
        assert (np.diff(scores) <= 0).all() and 0 <= scores.min() <= scores.max() <= 1


def test_the_best_few_are_the_beginning_of_the_best_many():
    X, Y = problem()
    ranker = fitted().calibrated(X[200:], Y[200:])
    many, few = ranker.rank(X, k=10), ranker.rank(X, k=3)
    assert few.indices.reshape(-1, 3).tolist() == many.indices.reshape(-1, 10)[:, :3].tolist()


def test_more_labels_than_are_shortlisted_can_be_asked_for():
    X, _ = problem()
    assert np.diff(fitted().rank(X[:4], k=20).indptr).tolist() == [20] * 4
    with pytest.raises(ConfigError, match="k must be at least 1"):
        fitted().rank(X, k=0)


def test_only_the_first_held_out_documents_count():
    X, Y = problem()
    ranker = fitted()
    few = CombinedRanker(ranker.first, ranker.sparse_ranker, ranker.label_counts, None, CombinedConfig(n_held_out=50))
    one, two = few.calibrated(X[200:250], Y[200:250]), few.calibrated(X[200:], Y[200:])
    assert one.calibration.threshold.tolist() == two.calibration.threshold.tolist()


def test_no_held_out_documents_are_an_error():
    X, Y = problem()
    with pytest.raises(DataError, match="no held-out points"):
        fitted().calibrated(X[:0], Y[:0])


def test_vectors_of_the_first_stage_are_features_unless_they_weigh_nothing():
    X, Y = problem()
    first = WithVectors(fitted().first, np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32))
    assert CombinedRanker.fit(first, X, Y).sparse_ranker.n_features == 46
    assert CombinedRanker.fit(first, X, Y, CombinedConfig(dense_weight=0)).sparse_ranker.n_features == 40


def test_one_thread_and_two_rank_the_same_bytes():
    X, Y = problem()
    first = LabelTreeRanker(n_threads=1).fit(X, Y)
    one, two = (CombinedRanker.fit(first, X, Y, n_threads=n).rank(X, k=5) for n in (1, 2))
    assert one.data.tobytes() == two.data.tobytes() and one.indices.tobytes() == two.indices.tobytes()


@pytest.mark.parametrize("is_calibrated", [False, True])
def test_loaded_on_the_same_first_stage_it_ranks_the_same(is_calibrated):
    X, Y = problem()
    ranker = fitted().calibrated(X[200:], Y[200:]) if is_calibrated else fitted()
    loaded = CombinedRanker.from_arrays(ranker.to_arrays("c"), "c", ranker.first, ranker.config)
    assert loaded.rank(X, k=5).data.tobytes() == ranker.rank(X, k=5).data.tobytes()


def test_counts_that_do_not_fit_the_weights_are_damage():
    arrays = fitted().to_arrays("c")
    for counts in (arrays["c.label_counts"][1:], -arrays["c.label_counts"]):
        with pytest.raises(StoreError):
            CombinedRanker.from_arrays(arrays | {"c.label_counts": counts}, "c", fitted().first)


@pytest.mark.parametrize("settings", [{"n_shortlisted": 0}, {"n_held_out": 0}, {"dense_weight": -1}])
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(ConfigError):
        CombinedConfig(**settings)
