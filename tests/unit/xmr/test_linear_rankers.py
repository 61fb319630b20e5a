import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from deixis.errors import ConfigError, StoreError
from deixis.native import _core
from deixis.xmr.beam_search import BeamConfig, TreeSearcher
from deixis.xmr.linear_rankers import RankerConfig, RankerLevel, train_level
from deixis.xmr.sparse_rows import SparseRows

BFLOAT16 = 2.0**-8  # half a unit in the last of 8 significant bits, relative


def train_root(X, Y, is_soft=False, **settings):
    """Rankers of one parent that learns from every row: features_by_children weights and biases."""
    n_docs, n_children = Y.shape
    instances = sparse.csc_matrix(np.ones((n_docs, 1), dtype=np.float32))
    starts = np.array([0, n_children])
    config = RankerConfig(**settings)
    level = train_level(SparseRows.of(X), SparseRows.of(Y), instances, starts, config, is_soft=is_soft)
    weights, biases = level.weights_by_child(X.shape[1])
    return weights.toarray(), biases, level


def test_one_instance_is_solved_as_by_hand():
    # Squared hinge, C = 1: the dual is a (|x|^2 + 1 / 2C) = 1, so a = 1 / 5.5 and w = a x.
    weights, biases, _ = train_root(np.array([[1.0, 2.0]]), np.ones((1, 1)), bias=0, min_weight=0, epsilon=1e-6)
    np.testing.assert_allclose(weights[:, 0], [1 / 5.5, 2 / 5.5], rtol=BFLOAT16)
    assert biases.tolist() == [0]


def test_the_hinge_stops_at_its_cost():
    # Unbounded, a would be 1 / |x|^2 = 1 / 5; the hinge loss holds it at C = 0.125, which bfloat16 stores exactly.
    weights, _, _ = train_root(
        np.array([[1.0, 2.0]]), np.ones((1, 1)), loss="hinge", cost=0.125, bias=0, min_weight=0, epsilon=1e-6
    )
    assert weights[:, 0].tolist() == [0.125, 0.25]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize(("cost", "bias"), [(1.0, 1.0), (0.3, 2.0), (1.0, 0.0)])
def test_weights_agree_with_liblinear(loss, cost, bias):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 20)) * (rng.random((150, 20)) < 0.4)
    Y = (X @ rng.normal(size=(20, 11)) + rng.normal(size=(150, 11)) > 0.5).astype(np.float32)
    weights, biases, _ = train_root(X, Y, loss=loss, cost=cost, bias=bias, epsilon=1e-4, min_weight=0, max_rounds=5000)
    for child in range(11):
        svc = LinearSVC(
            loss=loss,
            C=cost,
            dual=True,
            tol=1e-6,
            max_iter=200_000,
            fit_intercept=bias > 0,
            intercept_scaling=bias or 1,
        ).fit(X, Y[:, child])
        np.testing.assert_allclose(weights[:, child], svc.coef_[0], rtol=BFLOAT16, atol=2e-3)
        np.testing.assert_allclose(biases[child], np.ravel(svc.intercept_)[0], atol=2e-3)


EXACT = {"epsilon": 1e-4, "min_weight": 0, "max_rounds": 5000}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_children", [1, 3])
def test_a_positive_of_weight_two_is_the_same_instance_twice(loss, n_children):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 12)) * (rng.random((60, 12)) < 0.5)
    Y = np.zeros((60, n_children), dtype=np.float32)
    Y[:20] = 1  # positives of every child, so that a repeated instance repeats no negative
    weighted, biases, _ = train_root(X, np.where(Y, 2, 0), is_soft=True, loss=loss, **EXACT)
    twice, twice_biases, _ = train_root(np.vstack([X, X[:20]]), np.vstack([Y, Y[:20]]), loss=loss, **EXACT)
    np.testing.assert_allclose(weighted, twice, rtol=2 * BFLOAT16, atol=2e-3)
    np.testing.assert_allclose(biases, twice_biases, atol=2e-3)


@pytest.mark.parametrize("n_children", [1, 9])
def test_soft_weights_agree_with_liblinear_s_instance_weights(n_children):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 15)) * (rng.random((120, 15)) < 0.4)
    targets = (rng.random((120, n_children)) < 0.3) * rng.uniform(0.1, 1, size=(120, n_children))
    weights, biases, _ = train_root(X, targets, is_soft=True, **EXACT)
    for child in range(n_children):
        is_positive = targets[:, child] > 0
        svc = LinearSVC(dual=True, tol=1e-6, max_iter=200_000)
        svc.fit(X, is_positive, sample_weight=np.where(is_positive, targets[:, child], 1))
        np.testing.assert_allclose(weights[:, child], svc.coef_[0], rtol=BFLOAT16, atol=2e-3)
        np.testing.assert_allclose(biases[child], svc.intercept_[0], atol=2e-3)


def test_targets_of_one_are_the_bytes_of_hard_labels():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(50, 8)), (rng.random((50, 11)) < 0.3).astype(np.float32)
    hard, soft = (train_root(X, Y, is_soft=is_soft)[2] for is_soft in (False, True))
    assert {name: array.tobytes() for name, array in hard.arrays.items()} == {
        name: array.tobytes() for name, array in soft.arrays.items()
    }


def test_a_child_with_a_parent_to_itself_learns_what_it_learns_among_siblings():
    rng = np.random.default_rng(8)
    X, Y = rng.normal(size=(40, 10)), (rng.random((40, 5)) < 0.4).astype(np.float32)
    siblings, sibling_biases, _ = train_root(X, Y, **EXACT)
    everything = sparse.csc_matrix(np.ones((40, 5), dtype=np.float32))
    alone = train_level(SparseRows.of(X), SparseRows.of(Y), everything, np.arange(6), RankerConfig(**EXACT))
    weights, biases = alone.weights_by_child(10)
    np.testing.assert_allclose(weights.toarray(), siblings, rtol=2 * BFLOAT16, atol=2e-3)
    np.testing.assert_allclose(biases, sibling_biases, atol=2e-3)


def test_small_weights_are_dropped_and_the_others_stay_as_they_are():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(60, 30)), (rng.random((60, 5)) < 0.3).astype(np.float32)
    every, _, _ = train_root(X, Y, min_weight=0)
    pruned, _, level = train_root(X, Y, min_weight=0.15)
    is_near = np.abs(np.abs(every) - 0.15) < 0.15 * BFLOAT16  # weights are compared before they are rounded
    expected = np.where(np.abs(every) >= 0.15, every, 0)
    assert (pruned[~is_near] == expected[~is_near]).all()
    assert 0 < level.weights_by_child(30)[0].nnz < 30 * 5


def test_no_exact_zero_is_stored():
    X = np.array([[1.0, 0.0], [1.0, 0.0]])
    _, _, level = train_root(X, np.array([[1.0], [1.0]]), min_weight=0)
    assert level.weights_by_child(2)[0].nnz == 1


def test_children_do_not_learn_from_other_parents():
    # Parent 1's only instance has feature 1; feature 0 belongs to parent 0's.
    instances = sparse.csc_matrix(np.array([[1, 0], [0, 1]], dtype=np.float32))
    docs_by_children = SparseRows.of([[1, 0, 0, 0], [0, 0, 1, 0]])
    level = train_level(SparseRows.of(np.eye(2)), docs_by_children, instances, np.array([0, 2, 4]), RankerConfig())
    weights = level.weights_by_child(2)[0].toarray()
    assert (weights[0, :2] != 0).all() and (weights[0, 2:] == 0).all()
    assert (weights[1, :2] == 0).all() and (weights[1, 2:] != 0).all()
    assert np.sign(weights[[0, 1], [0, 2]]).tolist() == [1, 1]


def test_a_parent_without_instances_has_neither_weights_nor_biases():
    instances = sparse.csc_matrix((3, 1), dtype=np.float32)
    level = train_level(
        SparseRows.of(np.eye(3)), SparseRows.of(np.zeros((3, 2))), instances, np.array([0, 2]), RankerConfig()
    )
    assert level.weights_by_child(3)[0].nnz == 0
    assert level.arrays["biases"].tolist() == [0, 0]


def test_256_children_and_features_beyond_16_bits_are_found_again():
    rng = np.random.default_rng(2)
    X = sparse.csr_matrix((rng.random(256 * 30), rng.integers(0, 300_000, 256 * 30), np.arange(257) * 30))
    X.resize(256, 300_000)
    Y = sparse.identity(256, format="csr", dtype=np.float32)
    weights, n_docs = train_root_sparse(X, Y), X.getnnz(axis=0)
    # The doc of child i is its only positive: all its features' weights for that child are above zero, and no
    # feature that no doc has weighs anything.
    for child in range(0, 256, 17):
        column = np.ravel(weights[:, [child]].toarray())
        alone = [f for f in X[child].indices if n_docs[f] == 1]
        assert (column[alone] > 0).all()
    assert set(np.unique(weights.indices)) <= set(np.unique(X.indices))


def train_root_sparse(X, Y):
    instances = sparse.csc_matrix(np.ones((X.shape[0], 1), dtype=np.float32))
    level = train_level(
        SparseRows.of(X), SparseRows.of(Y), instances, np.array([0, Y.shape[1]]), RankerConfig(min_weight=0)
    )
    return level.weights_by_child(X.shape[1])[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"cost": 0},
        {"cost": float("nan")},
        {"cost": float("inf")},
        {"epsilon": -1},
        {"bias": -1},
        {"bias": float("nan")},
        {"min_weight": float("nan")},
        {"max_rounds": 0},
        {"loss": "logistic"},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ConfigError):
        RankerConfig(**settings)


def level_arrays():
    _, _, level = train_root(np.eye(6) + 0.5, np.eye(6), min_weight=0)
    return level.to_arrays("level"), level.child_starts


@pytest.mark.parametrize("name", ["block_starts", "blocks", "byte_starts", "bytes", "entry_sizes", "biases"])
def test_a_level_with_a_cut_off_or_missing_array_is_refused(name):
    arrays, starts = level_arrays()
    whole = arrays[f"level.{name}"]
    for damaged in (
        whole[:-1],
        whole[:0],
        np.append(whole, whole[-1:]),
        whole.astype(np.float64),
        whole.reshape(1, -1),
    ):
        with pytest.raises(StoreError, match="level"):
            RankerLevel.from_arrays(arrays | {f"level.{name}": damaged}, "level", starts, 6)
    del arrays[f"level.{name}"]
    with pytest.raises(StoreError, match=name):
        RankerLevel.from_arrays(arrays, "level", starts, 6)


@pytest.mark.parametrize("end", [1 + 2**20, 2**40, -(2**63), 2**63 - 1])
def test_a_parent_that_points_far_away_is_refused_before_anything_is_read_there(end):
    instances = sparse.csc_matrix(np.ones((4, 2), dtype=np.float32))
    docs_by_children = SparseRows.of(np.eye(4))
    level = train_level(SparseRows.of(np.eye(4)), docs_by_children, instances, np.array([0, 2, 4]), RankerConfig())
    for name in ("block_starts", "byte_starts"):
        arrays = level.to_arrays("level")
        arrays[f"level.{name}"] = arrays[f"level.{name}"].copy()
        arrays[f"level.{name}"][1] = end
        with pytest.raises(StoreError, match="ends before it begins"):
            RankerLevel.from_arrays(arrays, "level", level.child_starts, 2**30)


def test_a_child_that_is_not_there_is_refused():
    arrays, starts = level_arrays()
    arrays["level.bytes"] = arrays["level.bytes"].copy()
    arrays["level.bytes"][-2] |= 0xF  # the last entry's child has four bits
    with pytest.raises(StoreError, match="a child it does not have"):
        RankerLevel.from_arrays(arrays, "level", starts, 6)


def packed_level(entries, n_children, n_features):
    """A level of one parent with these weights (float32 of eight significant bits) by feature and child."""
    n_bits = (n_features - 1).bit_length()
    hashed = sorted(((f * _core.FEATURE_HASH) % (1 << n_bits), child, weight) for f, child, weight in entries)
    weights = np.array([weight for _, _, weight in hashed], dtype=np.float32).view(np.uint32) >> 16
    arrays = _core.pack_level(
        np.array([0, n_children]), np.array([0, len(hashed)]), np.array([h for h, _, _ in hashed], np.uint32),
        np.array([child for _, child, _ in hashed], np.uint8), weights.astype(np.uint16), n_features,
    )  # fmt: skip
    return RankerLevel(np.array([0, n_children]), {**arrays, "biases": np.zeros(n_children, np.float32)})


@pytest.mark.parametrize(
    ("n_children", "weights", "size"),
    [
        (16, [2.0**-12, -15.9375, 1.0, -0.1015625], 2),
        (17, [2.0**-12, -15.9375, 1.0, -0.1015625], 3),
        (16, [16.0, 1.0], 3),
        (2, [2.0**-13, 1.0], 3),
        (2, [1e30, -1e-30], 3),
    ],
)
def test_an_entry_is_two_bytes_where_children_are_few_and_weights_of_common_size(n_children, weights, size):
    entries = [(7 * number, number % n_children, np.float32(weight)) for number, weight in enumerate(weights)]
    entries = [(f, c, (w.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)) for f, c, w in entries]
    level = packed_level(entries, n_children, 1000)
    assert level.arrays["entry_sizes"].tolist() == [size]
    found = level.weights_by_child(1000)[0].tocoo()
    assert sorted(zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)) == [
        (f, c, float(w)) for f, c, w in entries
    ]


@pytest.mark.parametrize("n_features", [3, 300, 70_000, 1 << 22, (1 << 31) - 1])
def test_what_is_packed_is_searched_as_a_matrix_is_multiplied(n_features):
    # Few features of all children, which a key of many bits needs several headers for, beside many of one.
    rng = np.random.default_rng(n_features)
    columns = np.unique(rng.integers(0, n_features, 400))
    full = set(columns[:3].tolist())
    entries = [
        (int(f), child, 0.25 * (1 + (f + child) % 9))
        for f in columns
        for child in (range(200) if int(f) in full else [int(f) % 200])
    ]
    level = packed_level(entries, 200, n_features)
    restored = RankerLevel.from_arrays(level.to_arrays("x"), "x", level.child_starts, n_features)
    rows = SparseRows(
        np.array([0, len(columns)]), columns.astype(np.int32), np.full(len(columns), 2.0**-9, np.float32), n_features
    )
    _, nodes, scores = TreeSearcher([restored], n_features).search(rows, 200, BeamConfig(memory=0.0))
    margins = np.zeros(200)
    for _, child, weight in entries:
        margins[child] += weight * 2.0**-9
    np.testing.assert_allclose(scores, np.exp(-np.maximum(0, 1 - margins[nodes])), rtol=1e-6)
    assert len(set(nodes.tolist())) == 200


def test_features_whose_hashes_crowd_into_one_block_are_told_apart():
    # Multiples of the inverse of the hash have hashes in a row: 3,000 of them in a few blocks of 2^20 hashes.
    inverse = pow(_core.FEATURE_HASH, -1, 1 << 20)
    entries = [((inverse * number) % (1 << 20), number % 7, 1.0 + number % 5) for number in range(3000)]
    found = packed_level(entries, 7, 1 << 20).weights_by_child(1 << 20)[0].tocoo()
    assert sorted(zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)) == sorted(entries)


@pytest.mark.parametrize("hashes", [[3, 2], [1, 1 << 10], [1 << 10, 1]])
def test_entries_whose_hashes_do_not_ascend_or_are_too_large_are_not_packed(hashes):
    n = len(hashes)
    with pytest.raises(ValueError, match=r"The hashes of parent 0 do not ascend below 2\^10"):
        _core.pack_level(
            np.array([0, 2]), np.array([0, n]), np.array(hashes, np.uint32), np.zeros(n, np.uint8),
            np.ones(n, np.uint16), 1000,
        )  # fmt: skip
