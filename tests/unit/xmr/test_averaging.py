import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError
from deixis.xmr.averaging import AverageRanker, best_first
from deixis.xmr.model import LabelTreeRanker


class Fixed:
    """A ranker that knows its answer; remembers how many labels it was asked for."""

    def __init__(self, scores):
        self.scores = sparse.csr_matrix(np.array(scores, dtype=np.float32))

    def rank(self, X, k):
        self.k = k
        return self.scores


def test_a_label_that_one_ranker_does_not_find_counts_as_zero_there():
    ranked = AverageRanker([Fixed([[0.8, 0.0]]), Fixed([[0.2, 0.6]])]).rank(np.zeros((1, 1)), k=2)
    assert ranked.indices.tolist() == [0, 1]
    np.testing.assert_allclose(ranked.data, [0.5, 0.3], rtol=1e-6)


def test_the_first_labels_do_not_depend_on_how_many_are_wanted():
    one = Fixed([[0.5, 0.1]])
    AverageRanker([one]).rank(np.zeros((1, 1)), k=1)
    assert one.k == 100


def test_an_average_of_the_same_ranker_ranks_as_it_does():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.random((30, 8)).astype(np.float32))
    Y = sparse.csr_matrix((rng.random((30, 5)) < 0.3).astype(np.float32))
    ranker = LabelTreeRanker(n_threads=1).fit(X, Y)
    twice = AverageRanker([ranker, ranker]).rank(X, k=5).toarray()
    np.testing.assert_allclose(twice, ranker.rank(X, k=5).toarray(), rtol=1e-6)


def test_no_rankers_have_no_average():
    with pytest.raises(ConfigError, match="at least one ranker"):
        AverageRanker([])


def test_equal_scores_are_told_apart_by_the_second_score_and_then_by_the_label():
    starts, labels = np.array([0, 3, 3, 5]), np.array([4, 2, 1, 3, 0])
    second = np.array([0.1, 0.9, 0.1, 0.5, 0.5])
    best = best_first(starts, labels, np.full(5, 0.25), n_labels=6, k=2, then_by=second)
    assert best.indices.tolist() == [2, 1, 0, 3]
    assert best.indptr.tolist() == [0, 2, 2, 4]
