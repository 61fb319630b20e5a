import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, NotFittedError, StoreError
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LABELLING, LabelTreeConfig, LabelTreeRanker
from deixis.xmr.sparse_rows import SparseRows

SMALL = LabelTreeConfig(tree=TreeConfig(branching=2, max_leaf_size=2), beam=BeamConfig(width=100))


def planted(rng, n_labels, n_docs, n_features=2000, n_own=8):
    """Every label has words of its own; a document has most words of its one to three labels, and some by chance."""
    own_words = np.array([rng.choice(n_features, n_own, replace=False) for _ in range(n_labels)])
    X, Y = (
        sparse.lil_matrix((n_docs, n_features), dtype=np.float32),
        sparse.lil_matrix((n_docs, n_labels), dtype=np.float32),
    )
    for doc in range(n_docs):
        for label in rng.choice(n_labels, rng.integers(1, 4), replace=False):
            Y[doc, label] = 1
            X[doc, rng.choice(own_words[label], n_own - 2, replace=False)] = 1
        X[doc, rng.integers(0, n_features, 5)] = 1
    X = X.tocsr()
    return sparse.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1)))), Y.tocsr()


@pytest.mark.parametrize(
    "config",
    [
        LabelTreeConfig(),
        LabelTreeConfig(tree=TreeConfig(branching=4, max_leaf_size=10)),
        LabelTreeConfig(tree=TreeConfig(branching=4, max_leaf_size=10), negatives="matcher_aware"),
        LabelTreeConfig(ranker=RankerConfig(loss="hinge"), beam=BeamConfig(path_score="sigmoid")),
        LabelTreeConfig(tree=TreeConfig(branching=8, max_leaf_size=20), n_trees=3),
    ],
)
def test_a_planted_problem_is_solved(config):
    X, Y = planted(np.random.default_rng(7), n_labels=200, n_docs=2500)
    ranker = LabelTreeRanker(config).fit(X[:2000], Y[:2000])
    best = ranker.rank(X[2000:], k=1)
    precision_at_1 = np.mean([Y[2000 + row, label] for row, label in enumerate(best.indices)])
    assert precision_at_1 > 0.95


def test_matcher_aware_negatives_train_other_rankers_below_the_root():
    X, Y = planted(np.random.default_rng(1), n_labels=60, n_docs=300)
    forced, matched = (
        LabelTreeRanker(LabelTreeConfig(tree=TreeConfig(4, 5), negatives=negatives)).fit(X, Y).to_arrays("x")
        for negatives in ("teacher_forcing", "matcher_aware")
    )
    assert forced["x.0.level.0.bytes"].tobytes() == matched["x.0.level.0.bytes"].tobytes()
    assert forced["x.0.level.1.biases"].tobytes() != matched["x.0.level.1.biases"].tobytes()


def test_an_ensemble_is_the_mean_of_its_trees():
    X, Y = planted(np.random.default_rng(2), n_labels=30, n_docs=200)
    config = LabelTreeConfig(tree=TreeConfig(4, 4), beam=BeamConfig(width=100), n_trees=3)
    ranker = LabelTreeRanker(config).fit(X, Y)
    assert len({tree.tree.label_order.tobytes() for tree in ranker.trees}) == 3
    each = [tree.rank(SparseRows.of(X), 30, config.beam).toarray() for tree in ranker.trees]
    together = ranker.rank(X, k=30)
    np.testing.assert_allclose(together.toarray(), np.mean(each, axis=0), atol=1e-7)
    assert together.dtype == np.float32 and together.nnz == 200 * 30  # labels whose scores are all 0 included
    best = ranker.rank(X, k=2)
    assert (np.diff(best.indptr) == 2).all()
    assert best.data[::2].tolist() == together.toarray().max(axis=1).tolist()


def test_one_label_is_ranked_first():
    ranker = LabelTreeRanker().fit(np.eye(3), np.ones((3, 1)))
    found = ranker.rank(np.eye(3), k=5)
    assert found.indices.tolist() == [0, 0, 0]
    assert (found.data > 0.3).all()


def test_labels_without_instances_come_after_the_right_one():
    Y = np.zeros((4, 9))
    Y[range(4), range(4)] = 1
    ranker = LabelTreeRanker(SMALL).fit(np.eye(4), Y)
    found = ranker.rank(np.eye(4), k=9)
    assert (np.diff(found.indptr) == 9).all()
    assert found.indices[found.indptr[:-1]].tolist() == [0, 1, 2, 3]


def test_nothing_but_unlabelled_instances_still_fits():
    ranker = LabelTreeRanker(SMALL).fit(np.eye(4), np.zeros((4, 5)))
    assert sorted(ranker.rank(np.eye(4)[:1], k=5).indices.tolist()) == [0, 1, 2, 3, 4]


def test_empty_rows_train_and_rank():
    X = np.vstack([np.eye(4), np.zeros((2, 4))])
    Y = np.eye(4)[[0, 1, 2, 3, 3, 3]]
    ranker = LabelTreeRanker(SMALL).fit(X, Y)
    assert ranker.rank(np.zeros((1, 4)), k=1).indices.tolist() == [3]  # the bias knows the commonest label


def test_rows_whose_features_were_never_seen_get_the_answer_of_an_empty_row():
    X = np.zeros((3, 50))
    X[range(3), range(3)] = 1
    ranker = LabelTreeRanker(SMALL).fit(X, np.eye(3))
    unknown = np.zeros((2, 50))
    unknown[1, 40:] = 7
    found = ranker.rank(unknown, k=3)
    assert found.data[:3].tolist() == found.data[3:].tolist()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.csr_array])
def test_any_kind_of_matrix_fits_and_ranks_the_same(form):
    X, Y = planted(np.random.default_rng(4), n_labels=12, n_docs=60, n_features=90)
    expected = LabelTreeRanker(SMALL).fit(X, Y).rank(X, k=3)
    found = LabelTreeRanker(SMALL).fit(form(X.toarray()), form(Y.toarray() > 0)).rank(form(X.toarray()), k=3)
    assert found.data.tobytes() == expected.data.tobytes()
    assert found.indices.tolist() == expected.indices.tolist()


def test_a_stored_zero_in_the_labels_means_no_label():
    Y = sparse.csr_matrix(np.eye(3))
    with_zeros = sparse.csr_matrix((np.array([1.0, 0, 1, 0, 1]), [0, 1, 1, 2, 2], [0, 2, 4, 5]), shape=(3, 3))
    first, second = (LabelTreeRanker(SMALL).fit(np.eye(3), labels).rank(np.eye(3), k=3) for labels in (Y, with_zeros))
    assert first.data.tobytes() == second.data.tobytes()


def test_the_size_of_a_label_value_means_nothing():
    Y = np.eye(3)
    first, second = (LabelTreeRanker(SMALL).fit(np.eye(3), labels).rank(np.eye(3), k=3) for labels in (Y, Y * 5))
    assert first.data.tobytes() == second.data.tobytes()


def test_a_k_beyond_the_labels_gives_them_all():
    ranker = LabelTreeRanker(SMALL).fit(np.eye(3), np.eye(3))
    assert ranker.rank(np.eye(3), k=10**15).nnz == 9


def test_no_rows_in_no_rows_out():
    ranker = LabelTreeRanker(SMALL).fit(np.eye(3), np.eye(3))
    assert ranker.rank(np.zeros((0, 3))).shape == (0, 3)
    assert ranker.predict(sparse.csr_matrix((0, 3))).shape == (0, 3)


def test_matrices_without_features_fit():
    ranker = LabelTreeRanker(SMALL).fit(np.zeros((3, 0)), np.eye(3)[[0, 0, 1]])
    assert ranker.rank(np.zeros((1, 0)), k=1).indices.tolist() == [0]


def test_huge_values_neither_crash_nor_give_scores_that_are_no_numbers():
    X = np.array([[1e30, 1], [1, -1e30], [1e-30, 1e30]])
    ranker = LabelTreeRanker(SMALL).fit(X, np.eye(3))
    for row in (X, -X, X * 1e8, np.zeros((1, 2))):
        assert np.isfinite(ranker.rank(row, k=3).data).all()


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        (np.eye(3), np.eye(4), "X has 3 rows and Y has 4"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "Nothing to learn from"),
        (np.eye(3), np.zeros((3, 0)), "Nothing to learn from"),
        (np.eye(3), [0, 1, 2], "label matrix must have rows and columns"),
        (np.full((2, 2), np.nan), np.eye(2), "feature matrix has values that are not finite"),
        (np.eye(2), np.full((2, 2), np.nan), "label matrix has values that are not finite"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(X, Y, message):
    with pytest.raises(DataError, match=message):
        LabelTreeRanker().fit(X, Y)


def test_rows_of_another_width_are_refused():
    ranker = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    with pytest.raises(DataError, match="The rows have 4 features; the ranker was fitted on 3"):
        ranker.rank(np.eye(4))
    with pytest.raises(DataError, match="not finite"):
        ranker.rank(np.full((1, 3), np.inf))


@pytest.mark.parametrize(
    "ask", [lambda r: r.rank(np.eye(3)), lambda r: r.predict(np.eye(3)), lambda r: r.to_arrays("x")]
)
def test_a_ranker_that_has_not_learned_says_so(ask):
    with pytest.raises(NotFittedError, match="call fit"):
        ask(LabelTreeRanker())


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError, match="n_trees"):
        LabelTreeConfig(n_trees=0)
    with pytest.raises(ConfigError, match="negatives"):
        LabelTreeConfig(negatives="random")
    with pytest.raises(ConfigError, match="k must be at least 1"):
        LabelTreeRanker().fit(np.eye(3), np.eye(3)).rank(np.eye(3), k=0)
    with pytest.raises(ConfigError, match="seed"):
        LabelTreeRanker(seed=-1).fit(np.eye(3), np.eye(3))


def test_a_failed_fit_leaves_the_old_ranker_as_it_was():
    ranker = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    with pytest.raises(DataError):
        ranker.fit(np.eye(3), np.eye(4))
    assert ranker.predict(np.eye(3)).indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "n_features", [np.array(-1), np.array(2**62), np.array(3.0), np.array([3, 3]), np.array([3]), np.array("3")]
)
def test_a_stored_number_of_features_that_cannot_be_is_refused(n_features):
    arrays = LabelTreeRanker().fit(np.eye(3), np.eye(3)).to_arrays("x")
    with pytest.raises(StoreError, match="n_features"):
        LabelTreeRanker.from_arrays(arrays | {"x.n_features": n_features}, "x", LabelTreeConfig())


def test_trees_of_different_sizes_are_refused():
    three, four = (LabelTreeRanker().fit(np.eye(n, 4), np.eye(n)).to_arrays("x") for n in (3, 4))
    four |= {name.replace("x.0", "x.1"): array for name, array in three.items()}
    with pytest.raises(StoreError, match="different numbers of labels"):
        LabelTreeRanker.from_arrays(four, "x", LabelTreeConfig(n_trees=2))


def test_a_missing_tree_is_refused():
    arrays = LabelTreeRanker().fit(np.eye(3), np.eye(3)).to_arrays("x")
    with pytest.raises(StoreError, match=r"x\.1"):
        LabelTreeRanker.from_arrays(arrays, "x", LabelTreeConfig(n_trees=2))


def test_a_single_row_is_ranked_as_it_is_in_a_matrix():
    rng = np.random.default_rng(0)
    X = sparse.random(60, 30, density=0.2, format="csr", dtype=np.float32, rng=rng)
    Y = sparse.csr_matrix(np.eye(20, dtype=np.float32)[rng.integers(0, 20, 60)])
    for config in (LabelTreeConfig(), LabelTreeConfig(n_trees=2)):
        ranker = LabelTreeRanker(config).fit(X, Y)
        ranked = ranker.rank(X, k=5)
        for i in range(10):
            labels, scores = ranker.rank_row(X[i].indices, X[i].data, k=5)
            found = slice(ranked.indptr[i], ranked.indptr[i + 1])
            np.testing.assert_array_equal(labels, ranked.indices[found])
            np.testing.assert_array_equal(scores, ranked.data[found])
            assert (labels.dtype, scores.dtype) == (np.int32, np.float32)


def test_a_single_row_may_have_other_types_and_another_layout():
    ranker = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    labels, scores = ranker.rank_row(np.array([1], np.int32), np.ones(1, np.float32), k=2)
    for columns, values in [([1], [1]), (np.array([1]), np.ones(1)), (np.array([1, 7])[::2], np.ones(2)[::2])]:
        again, scores_again = ranker.rank_row(columns, values, k=2)
        assert (labels.tolist(), scores.tolist()) == (again.tolist(), scores_again.tolist())


def test_a_single_row_has_all_labels_however_many_are_wanted():
    ranker = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    for k in (3, 4, 2**40):
        labels, _ = ranker.rank_row(np.array([1], np.int32), np.ones(1, np.float32), k)
        assert labels[0] == 1 and sorted(labels.tolist()) == [0, 1, 2]


def test_a_row_that_was_ranked_before_leaves_no_trace():
    ranker = LabelTreeRanker().fit(np.eye(40), np.eye(40))
    small = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    row = np.arange(3, dtype=np.int32), np.array([0.1, 0.5, 0.3], np.float32)
    before = [each.tolist() for each in small.rank_row(*row)]
    ranker.rank_row(np.arange(40, dtype=np.int32), np.ones(40, np.float32), k=40)
    assert [each.tolist() for each in small.rank_row(*row)] == before


def test_a_single_row_that_is_none_is_refused():
    ranker = LabelTreeRanker().fit(np.eye(3), np.eye(3))
    with pytest.raises(DataError, match="ascend"):
        ranker.rank_row(np.array([2, 1], np.int32), np.ones(2, np.float32))
    with pytest.raises(DataError, match="as many"):
        ranker.rank_row(np.array([1], np.int32), np.ones(2, np.float32))
    with pytest.raises(DataError, match="finite"):
        ranker.rank_row(np.array([1], np.int32), np.array([np.nan], np.float32))
    with pytest.raises(DataError, match="lie outside"):
        ranker.rank_row(np.array([3], np.int32), np.ones(1, np.float32))
    with pytest.raises(ConfigError, match="k must be at least 1"):
        ranker.rank_row(np.array([1], np.int32), np.ones(1, np.float32), k=0)


def test_a_label_of_low_target_loses_to_its_rival():
    # Two labels with the same instances but for their targets: the surer one is ranked first.
    X = sparse.csr_matrix(np.repeat(np.eye(2, dtype=np.float32), 4, axis=0))
    Y = sparse.csr_matrix(np.array([[0.1, 1.0, 0]] * 4 + [[0, 0, 1.0]] * 4, dtype=np.float32))
    ranked = LabelTreeRanker().fit(X, Y, is_soft=True).rank(X[:1], k=3)
    assert ranked.indices.tolist()[:2] == [1, 0]
    assert ranked.data[0] > ranked.data[1] + 0.1
    hard = LabelTreeRanker().fit(X, Y).rank(X[:1], k=3)
    assert hard.data[0] == hard.data[1]


@pytest.mark.parametrize("value", [1.5, -0.5])
def test_soft_labels_outside_of_zero_to_one_are_refused(value):
    with pytest.raises(DataError, match="above 0 and at most 1"):
        LabelTreeRanker().fit(np.eye(2), np.array([[value, 0], [0, 1]]), is_soft=True)


def test_with_random_negatives_a_label_without_instances_never_comes_before_a_right_one():
    # Labels 4 to 7 are in no document and end up in leaves of their own, whose rankers would say "maybe" to anything.
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.random((40, 12)).astype(np.float32) + 3 * np.eye(12)[np.arange(40) % 4])
    Y = sparse.csr_matrix(np.eye(8, dtype=np.float32)[np.arange(40) % 4])
    config = LabelTreeConfig(
        tree=TreeConfig(branching=4, max_leaf_size=2), beam=BeamConfig(width=4, memory=0.0), n_random=20
    )
    found = LabelTreeRanker(config).fit(X, Y).rank(X, k=8)
    first = found.indices.reshape(40, 8)[:, 0]
    assert (first == np.arange(40) % 4).mean() > 0.9
    assert (first < 4).all()


def test_a_negative_number_of_random_negatives_is_refused():
    with pytest.raises(ConfigError, match="n_random"):
        LabelTreeConfig(n_random=-1)


def test_the_preset_for_labelling_is_a_shallow_tree_and_leaves_the_defaults_alone():
    assert LABELLING.tree.branching == 256 and LABELLING.n_random > 0
    assert LabelTreeConfig().tree == TreeConfig() and LabelTreeConfig().n_random == 0


def test_the_upper_cost_is_that_of_every_level_but_the_last():
    rng = np.random.default_rng(1)
    X, Y = rng.random((60, 10)), np.eye(9)[rng.integers(0, 9, 60)]
    tree = TreeConfig(branching=3, max_leaf_size=3)
    both, mixed, cheap = (
        LabelTreeRanker(LabelTreeConfig(tree=tree, ranker=RankerConfig(cost=cost), upper_cost=share), n_threads=1)
        .fit(X, Y)
        .trees[0]
        for cost, share in ((1.0, 1.0), (1.0, 0.25), (0.25, 1.0))
    )
    entries = [[level.arrays["biases"].tobytes() for level in ranked.levels] for ranked in (both, mixed, cheap)]
    assert len(entries[0]) == 2
    assert entries[1] == [entries[2][0], entries[0][1]]
    assert entries[0][0] != entries[2][0]
