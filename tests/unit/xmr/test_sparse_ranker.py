import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from deixis.errors import ConfigError, DataError, StoreError
from deixis.store.model_folder import open_model, save_model
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.sparse_ranker import NEVER_SEEN, SparseRanker

BFLOAT16 = 2.0**-8
EXACT = RankerConfig(epsilon=1e-4, min_weight=0, max_rounds=5000)


def problem(n_docs=60, n_features=12, n_labels=9, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n_docs, n_features)) * (rng.random((n_docs, n_features)) < 0.5)).astype(np.float32)
    Y = (X @ rng.normal(size=(n_features, n_labels)) > 1.5).astype(np.float32)
    shortlist = (rng.random((n_docs, n_labels)) < 0.4).astype(np.float32)
    return sparse.csr_matrix(X), sparse.csr_matrix(Y), sparse.csr_matrix(shortlist)


def test_scores_are_the_dot_products_with_the_weights_and_the_bias():
    X, Y, shortlist = problem()
    ranker = SparseRanker.fit(X, Y, shortlist, EXACT)
    dense = X.toarray() @ ranker.labels_by_features.toarray().T + ranker.biases
    np.testing.assert_allclose(ranker.scores(X, shortlist).toarray(), dense * shortlist.toarray(), atol=1e-5)


def test_by_hand():
    weights = sparse.csr_matrix(np.array([[2, 0, 0], [0, 1, 3]], dtype=np.float32))
    ranker = SparseRanker(weights, np.array([0.5, -1], dtype=np.float32))
    both = sparse.csr_matrix(np.ones((1, 2), dtype=np.float32))
    assert ranker.scores([[1, 10, 100]], both).toarray().tolist() == [[2.5, 309.0]]


def test_scores_lie_where_the_shortlist_has_them_best_first_or_not():
    X, Y, _ = problem()
    ranker = SparseRanker.fit(X, Y, Y)
    backwards = sparse.csr_matrix((np.ones(3, np.float32), [7, 2, 0], [0, 3]), shape=(1, 9))
    scores = ranker.scores(X[:1], backwards)
    assert scores.indices.tolist() == [7, 2, 0]
    forwards = ranker.scores(X[:1], backwards[:, :].sorted_indices())
    assert scores.data.tolist() == forwards.data[::-1].tolist()


def test_a_label_learns_from_those_that_have_or_shortlist_it_as_liblinear_does():
    X, Y, shortlist = problem(n_docs=150)
    ranker = SparseRanker.fit(X, Y, shortlist, EXACT)
    for label in range(9):
        is_instance = (Y + shortlist).toarray()[:, label] > 0
        svc = LinearSVC(loss="squared_hinge", C=1.0, dual=True, tol=1e-6, max_iter=100_000)
        svc.fit(X[is_instance], Y.toarray()[is_instance, label])
        np.testing.assert_allclose(
            ranker.labels_by_features[label].toarray()[0], svc.coef_[0], rtol=BFLOAT16, atol=2e-3
        )
        np.testing.assert_allclose(ranker.biases[label], svc.intercept_[0], atol=2e-3)


def test_positives_are_learned_from_even_if_nobody_shortlisted_them():
    X, Y, _ = problem()
    nothing = sparse.csr_matrix(Y.shape, dtype=np.float32)
    ranker = SparseRanker.fit(X, Y, nothing, EXACT)
    assert (ranker.scores(X, Y).data > 0).all()


def test_a_label_nobody_has_or_shortlisted_is_a_plain_no():
    X, Y, shortlist = problem()
    Y, shortlist = Y.tolil(), shortlist.tolil()
    Y[:, 3], shortlist[:, 3] = 0, 0
    ranker = SparseRanker.fit(X, Y.tocsr(), shortlist.tocsr())
    only = sparse.csr_matrix((np.ones(60, np.float32), np.full(60, 3), np.arange(61)), shape=(60, 9))
    assert ranker.scores(X, only).data.tolist() == [NEVER_SEEN] * 60


def test_an_empty_shortlist_has_no_scores():
    X, Y, shortlist = problem()
    ranker = SparseRanker.fit(X, Y, shortlist)
    assert ranker.scores(X, sparse.csr_matrix(Y.shape, dtype=np.float32)).nnz == 0
    assert ranker.scores(X[:0], shortlist[:0]).shape == (0, 9)


def test_a_soft_positive_weighs_less():
    # Squared hinge, C = t: the dual of a single positive is a (|x|^2 + 1 / 2t) = 1, w = a x.
    alone, soft = np.ones((1, 1)), RankerConfig(bias=0, min_weight=0, epsilon=1e-6)
    for target in (1.0, 0.25):
        ranker = SparseRanker.fit(alone, alone * target, sparse.csr_matrix((1, 1)), soft, is_soft=True)
        np.testing.assert_allclose(ranker.labels_by_features.data, [1 / (1 + 0.5 / target)], rtol=BFLOAT16)


def test_small_weights_are_dropped():
    X, Y, shortlist = problem()
    pruned = SparseRanker.fit(X, Y, shortlist, RankerConfig(min_weight=0.2))
    assert 0 < pruned.n_weights < SparseRanker.fit(X, Y, shortlist, RankerConfig(min_weight=0)).n_weights
    assert np.abs(pruned.labels_by_features.data).min() >= 0.2 * (1 - BFLOAT16)


def test_one_thread_and_two_give_the_same_bytes():
    X, Y, shortlist = problem(n_docs=200, n_labels=40)
    one, two = (SparseRanker.fit(X, Y, shortlist, n_threads=n) for n in (1, 2))
    for name, array in one.to_arrays("r").items():
        assert array.tobytes() == two.to_arrays("r")[name].tobytes()
    scores = [one.scores(X, shortlist, n_threads=n).data.tobytes() for n in (1, 2)]
    assert scores[0] == scores[1]


def test_saved_and_loaded_it_scores_the_same_from_disk(tmp_path):
    X, Y, shortlist = problem()
    ranker = SparseRanker.fit(X, Y, shortlist)
    save_model(tmp_path / "m", "test", {}, ranker.to_arrays("ranker"))
    loaded = SparseRanker.from_arrays(open_model(tmp_path / "m", "test").arrays, "ranker")
    assert loaded.scores(X, shortlist).data.tobytes() == ranker.scores(X, shortlist).data.tobytes()


def test_large_arrays_are_used_where_they_lie(tmp_path):
    weights = sparse.random(100, 1000, 0.25, format="csr", dtype=np.float32, random_state=0)
    ranker = SparseRanker(weights, np.zeros(100, np.float32))
    save_model(tmp_path / "m", "test", {}, ranker.to_arrays("ranker"))
    loaded = SparseRanker.from_arrays(open_model(tmp_path / "m", "test").arrays, "ranker")
    assert not loaded.labels_by_features.data.flags.owndata
    assert (loaded.labels_by_features != weights).nnz == 0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("indptr", lambda a: a[::-1]),
        ("indices", lambda a: a + 1000),
        ("indices", lambda a: a - 1),
        ("indices", lambda a: a[:-1]),
        ("weights", lambda a: a * np.float32(np.nan)),
        ("weights", lambda a: a[1:]),
        ("biases", lambda a: a[1:]),
        ("biases", lambda a: a * np.float32(np.inf)),
        ("n_features", lambda a: -a),
    ],
)
def test_damage_is_refused(name, change):
    arrays = SparseRanker.fit(*problem()).to_arrays("r")
    arrays[f"r.{name}"] = np.ascontiguousarray(change(arrays[f"r.{name}"]))
    with pytest.raises(StoreError):
        SparseRanker.from_arrays(arrays, "r")


def test_matrices_that_do_not_fit_are_refused():
    X, Y, shortlist = problem()
    with pytest.raises(DataError, match="X has 59 rows and Y has 60"):
        SparseRanker.fit(X[1:], Y, shortlist)
    with pytest.raises(DataError, match=r"\(60, 8\)"):
        SparseRanker.fit(X, Y, shortlist[:, 1:])
    with pytest.raises(ConfigError, match="seed"):
        SparseRanker.fit(X, Y, shortlist, seed=-1)
    ranker = SparseRanker.fit(X, Y, shortlist)
    with pytest.raises(DataError, match="11 features; the ranker was fitted on 12"):
        ranker.scores(X[:, 1:], shortlist)
    with pytest.raises(DataError, match=r"\(2, 9\)"):
        ranker.scores(X[:1], shortlist[:2])
