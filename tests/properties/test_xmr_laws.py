"""Laws of the extreme ranker: what beam search, label trees and saved models promise whatever the data."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.store.model_folder import open_model, save_model
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import LabelTree, TreeConfig, build_label_tree, plan_tree
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker, RankedTree
from deixis.xmr.sparse_rows import SparseRows

quick = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32)
balances = st.sampled_from(["balanced", "free"])
deep_trees = st.builds(TreeConfig, st.integers(2, 5), st.integers(1, 12), balance=balances)
flat_trees = st.builds(TreeConfig, st.just(16), st.integers(4, 12), balance=balances)
beams = st.builds(
    BeamConfig,
    width=st.integers(1, 12),
    path_score=st.sampled_from(["sigmoid", "hinge"]),
    power=st.integers(1, 8),
    memory=st.sampled_from([0.0, 0.3, 1.0]),
)


@st.composite
def problems(draw, max_labels=60):
    """A feature matrix and a label matrix, small, sparse and with some empty rows."""
    n_docs, n_features = draw(st.integers(1, 50)), draw(st.integers(1, 40))
    n_labels = draw(st.integers(1, max_labels))
    rng = np.random.default_rng(draw(seeds))
    X = rng.normal(size=(n_docs, n_features)) * (rng.random((n_docs, n_features)) < draw(st.sampled_from([0.1, 0.5])))
    Y = rng.random((n_docs, n_labels)) < draw(st.sampled_from([0.02, 0.2]))
    return sparse.csr_matrix(X.astype(np.float32)), sparse.csr_matrix(Y.astype(np.float32))


@st.composite
def fitted_rankers(draw, trees=deep_trees, max_trees=1):
    """A problem and a ranker that has learned it."""
    X, Y = draw(problems())
    config = LabelTreeConfig(
        tree=replace(draw(trees), max_sample=draw(st.sampled_from([2, 8, 16384]))),
        ranker=RankerConfig(loss=draw(st.sampled_from(["hinge", "squared_hinge"])), min_weight=0.01),
        beam=draw(beams),
        negatives=draw(st.sampled_from(["teacher_forcing", "matcher_aware"])),
        n_trees=draw(st.integers(1, max_trees)),
    )
    return LabelTreeRanker(config, seed=draw(seeds), n_threads=1).fit(X, Y), X, Y


def score_every_label(tree: RankedTree, X: sparse.csr_matrix, beam: BeamConfig) -> np.ndarray:
    """docs_by_labels scores of every path, by plain NumPy in double precision."""
    log_scores = np.zeros((X.shape[0], 1))
    for level in tree.levels:
        weights, biases = level.weights_by_child(tree.n_features)
        margins = X.astype(np.float64) @ weights.toarray().astype(np.float64) + biases
        if beam.path_score == "sigmoid":
            own = -np.logaddexp(0, -margins)
        else:
            own = -(np.maximum(0, 1 - margins) ** beam.power)
        parents = np.repeat(np.arange(len(level.child_starts) - 1), np.diff(level.child_starts))
        log_scores = beam.memory * log_scores[:, parents] + own
    scores = np.empty_like(log_scores)
    scores[:, tree.tree.label_order] = np.exp(log_scores)
    return scores


def same_bytes(first: sparse.csr_matrix, second: sparse.csr_matrix) -> bool:
    parts = ("data", "indices", "indptr")
    return all(getattr(first, part).tobytes() == getattr(second, part).tobytes() for part in parts)


def arrays_as_bytes(ranker: LabelTreeRanker) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in ranker.to_arrays("x").items()}


@quick
@given(fitted_rankers(), beams)
def test_a_beam_of_full_width_agrees_with_brute_force(fitted, beam):
    ranker, X, Y = fitted
    everything = ranker.rank(X, k=Y.shape[1], beam=replace(beam, width=10_000))
    assert np.diff(everything.indptr).tolist() == [Y.shape[1]] * X.shape[0]
    np.testing.assert_allclose(everything.toarray(), score_every_label(ranker.trees[0], X, beam), atol=1e-4)


@quick
@given(fitted_rankers(), beams, st.integers(1, 9))
def test_the_best_few_of_a_full_beam_are_the_best_of_all(fitted, beam, k):
    # With a small k the search skips nodes that cannot come into the best k: no score may change by that.
    ranker, X, Y = fitted
    k = min(k, Y.shape[1])
    wide = replace(beam, width=10_000)
    everything, found = ranker.rank(X, k=Y.shape[1], beam=wide), ranker.rank(X, k=k, beam=wide)
    best_of_all = everything.data.reshape(X.shape[0], -1)[:, :k]
    assert found.data.reshape(-1, k).tobytes() == np.ascontiguousarray(best_of_all).tobytes()
    assert found.indices.tolist() == everything.indices.reshape(X.shape[0], -1)[:, :k].ravel().tolist()


@quick
@given(fitted_rankers(flat_trees), beams, st.integers(1, 9))
def test_a_wider_beam_never_loses_a_score(fitted, beam, more):
    # Beams are nested where one choice of nodes is made, so trees of two levels; in deeper ones a wider beam may take
    # a branch that looks better and ends worse, as with any beam search.
    ranker, X, _ = fitted
    assert ranker.trees[0].tree.n_levels <= 2
    narrow = ranker.rank(X, k=3, beam=beam)
    wide = ranker.rank(X, k=3, beam=replace(beam, width=beam.width + more))
    for row in range(X.shape[0]):
        before = narrow.data[narrow.indptr[row] : narrow.indptr[row + 1]]
        after = wide.data[wide.indptr[row] : wide.indptr[row + 1]]
        assert len(after) >= len(before)
        assert (after[: len(before)] >= before).all()


@quick
@given(fitted_rankers(), beams)
def test_no_beam_beats_the_full_one_and_every_score_found_is_the_true_one(fitted, beam):
    ranker, X, Y = fitted
    found = ranker.rank(X, k=5, beam=beam)
    exact = score_every_label(ranker.trees[0], X, beam)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(found.indptr))
    np.testing.assert_allclose(found.data, exact[rows, found.indices], atol=1e-4)
    assert (found.data <= exact.max(axis=1)[rows] + 1e-4).all()


@quick
@given(fitted_rankers(), beams)
def test_rows_come_best_first_and_without_repeats(fitted, beam):
    ranker, X, _ = fitted
    found = ranker.rank(X, k=7, beam=beam)
    for row in range(X.shape[0]):
        part = slice(found.indptr[row], found.indptr[row + 1])
        assert (np.diff(found.data[part]) <= 0).all()
        assert len(set(found.indices[part].tolist())) == found.indptr[row + 1] - found.indptr[row]
    assert ((found.data >= 0) & (found.data <= 1)).all()


@quick
@given(fitted_rankers(max_trees=3), st.integers(1, 6))
def test_a_batch_is_its_single_rows(fitted, k):
    ranker, X, _ = fitted
    together = ranker.rank(X, k=k)
    for row in range(X.shape[0]):
        alone = ranker.rank(X[row], k=k)
        part = slice(together.indptr[row], together.indptr[row + 1])
        assert together.indices[part].tolist() == alone.indices.tolist()
        assert together.data[part].tobytes() == alone.data.tobytes()
        queries = SparseRows.of(X[row])
        labels, scores = ranker.rank_row(queries.indices, queries.data, k=k)
        assert (labels.tobytes(), scores.tobytes()) == (alone.indices.tobytes(), alone.data.tobytes())


@quick
@given(fitted_rankers(max_trees=2), st.integers(2, 8))
def test_many_threads_give_the_bytes_of_one(fitted, n_threads):
    ranker, X, Y = fitted
    other = LabelTreeRanker(ranker.config, ranker.seed, n_threads).fit(X, Y)
    assert arrays_as_bytes(ranker) == arrays_as_bytes(other)
    queries = sparse.vstack([X] * 9).tocsr()  # more than one chunk of queries
    assert same_bytes(ranker.rank(queries, k=4), other.rank(queries, k=4))


@quick
@given(problems(max_labels=200), seeds)
def test_the_same_seed_gives_the_same_bytes(problem, seed):
    X, Y = problem
    config = LabelTreeConfig(tree=TreeConfig(branching=3, max_leaf_size=5))
    first, second = (LabelTreeRanker(config, seed).fit(X, Y) for _ in range(2))
    assert arrays_as_bytes(first) == arrays_as_bytes(second)


@quick
@given(seeds, st.integers(1, 10_000))
def test_another_seed_gives_another_tree(seed, step):
    rng = np.random.default_rng(seed)
    rows = SparseRows.of(sparse.csr_matrix(rng.normal(size=(60, 30)).astype(np.float32)))
    config = TreeConfig(branching=4, max_leaf_size=5)
    first, second = build_label_tree(rows, config, seed), build_label_tree(rows, config, seed + step)
    assert first.label_order.tolist() != second.label_order.tolist()


@settings(max_examples=20, deadline=None)
@given(fitted_rankers(max_trees=2))
def test_a_saved_ranker_loads_as_the_same_bytes_and_ranks_the_same(tmp_path_factory, fitted):
    ranker, X, _ = fitted
    folder = tmp_path_factory.mktemp("ranker") / "model"
    save_model(folder, "ranker", {}, ranker.to_arrays("x"))
    loaded = LabelTreeRanker.from_arrays(open_model(folder, "ranker").arrays, "x", ranker.config)
    assert arrays_as_bytes(ranker) == arrays_as_bytes(loaded)
    assert same_bytes(ranker.rank(X, k=5), loaded.rank(X, k=5))


@quick
@given(st.integers(1, 5000), st.integers(2, 20), st.integers(1, 30))
def test_planned_leaves_are_balanced_and_nodes_within_bounds(n_labels, branching, max_leaf_size):
    levels = plan_tree(n_labels, TreeConfig(branching, max_leaf_size))
    n_nodes = 1
    for starts in levels:
        assert len(starts) == n_nodes + 1 and starts[0] == 0
        n_nodes = int(starts[-1])
    assert n_nodes == n_labels
    assert all(1 <= size <= branching for starts in levels[:-1] for size in np.diff(starts))
    leaf_sizes = np.diff(levels[-1])
    assert 1 <= leaf_sizes.min() and leaf_sizes.max() <= max_leaf_size
    assert leaf_sizes.max() - leaf_sizes.min() <= 1


@quick
@given(
    problems(max_labels=300), st.integers(2, 6), st.integers(1, 8), st.sampled_from([2, 7, 50, 16384]), seeds, balances
)
def test_every_label_is_in_exactly_one_leaf(problem, branching, max_leaf_size, max_sample, seed, balance):
    _, Y = problem
    labels_by_docs = SparseRows.of(Y.T.tocsr())  # many labels without any feature
    config = TreeConfig(branching, max_leaf_size, max_sample, balance=balance)
    tree = build_label_tree(labels_by_docs, config, seed)
    assert sorted(tree.label_order.tolist()) == list(range(Y.shape[1]))
    assert tree.positions()[tree.label_order].tolist() == list(range(Y.shape[1]))
    n_nodes = 1
    for starts in tree.child_starts[:-1]:  # no node is empty, none has too many children
        assert len(starts) == n_nodes + 1 and 1 <= np.diff(starts).min() and np.diff(starts).max() <= branching
        n_nodes = int(starts[-1])
    assert 1 <= np.diff(tree.child_starts[-1]).min() and np.diff(tree.child_starts[-1]).max() <= max_leaf_size
    LabelTree.from_arrays(tree.to_arrays("x"), "x")  # the store's checks hold
    assert build_label_tree(labels_by_docs, config, seed, n_threads=3).label_order.tolist() == tree.label_order.tolist()


def drawn_mask(n_labels: int, seed: int, share: float) -> np.ndarray:
    return np.random.default_rng(seed).random(n_labels) < share


shares = st.sampled_from([0.0, 0.05, 0.3, 0.9, 1.0])


@quick
@given(fitted_rankers(max_trees=2), beams, st.integers(1, 80), seeds, shares)
def test_a_filter_never_gives_fewer_labels_than_are_allowed_however_narrow_the_beam(fitted, beam, k, seed, share):
    ranker, X, Y = fitted
    allowed = drawn_mask(Y.shape[1], seed, share)
    found = ranker.rank(X, k=k, beam=beam, allowed=allowed)
    assert np.diff(found.indptr).tolist() == [min(k, int(allowed.sum()))] * X.shape[0]
    assert allowed[found.indices].all()
    for row in range(X.shape[0]):
        part = slice(found.indptr[row], found.indptr[row + 1])
        assert (np.diff(found.data[part]) <= 0).all()
        assert len(set(found.indices[part].tolist())) == found.indptr[row + 1] - found.indptr[row]


@quick
@given(fitted_rankers(), beams, st.integers(1, 9), seeds, shares)
def test_a_filter_with_a_full_beam_is_the_whole_ranking_without_what_is_not_allowed(fitted, beam, k, seed, share):
    ranker, X, Y = fitted
    wide = replace(beam, width=10_000)
    allowed = drawn_mask(Y.shape[1], seed, share)
    everything = ranker.rank(X, k=Y.shape[1], beam=wide)
    found = ranker.rank(X, k=k, beam=wide, allowed=allowed)
    for row in range(X.shape[0]):
        part, whole = (slice(ranking.indptr[row], ranking.indptr[row + 1]) for ranking in (found, everything))
        is_kept = allowed[everything.indices[whole]]
        assert found.indices[part].tolist() == everything.indices[whole][is_kept][:k].tolist()
        assert found.data[part].tobytes() == everything.data[whole][is_kept][:k].tobytes()


@quick
@given(fitted_rankers(max_trees=2), seeds, shares)
def test_every_score_under_a_filter_is_the_label_s_own_and_threads_do_not_matter(fitted, seed, share):
    ranker, X, Y = fitted
    allowed = drawn_mask(Y.shape[1], seed, share)
    many = LabelTreeRanker.from_arrays(ranker.to_arrays("x"), "x", ranker.config, n_threads=3)
    queries = sparse.vstack([X] * 4).tocsr()
    found = ranker.rank(queries, k=4, allowed=allowed)
    assert same_bytes(found, many.rank(queries, k=4, allowed=allowed))
    if len(ranker.trees) == 1:
        exact = score_every_label(ranker.trees[0], queries, ranker.config.beam)
        rows = np.repeat(np.arange(queries.shape[0]), np.diff(found.indptr))
        np.testing.assert_allclose(found.data, exact[rows, found.indices], atol=1e-4)
