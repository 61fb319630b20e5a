"""The forward pass of ELIAS on arrays: scores by hand, search against brute force, storing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.native import _core
from deixis.xmr.bag_encoder import BagEncoder
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.learned_index import LearnedIndex, LearnedRanker

# Three clusters, four labels; label 1 has edges from clusters 0 and 1, label 3 from all.
STARTS = np.array([0, 3, 5, 7], dtype=np.int64)
LABELS = np.array([0, 1, 3, 1, 3, 2, 3], dtype=np.int32)
SHARES = np.array([0.5, 0.25, 0.25, 0.9, 0.1, 0.4, 0.6], dtype=np.float32)
GRAPH = ClusterGraph(STARTS, LABELS, SHARES, beta=2.0, n_labels=4)


def some_index(n_clusters: int = 6, n_labels: int = 15, n_dims: int = 4, seed: int = 0) -> LearnedIndex:
    random = np.random.default_rng(seed)
    has_edge = random.random((n_clusters, n_labels)) < 0.4
    has_edge[0, 0] = True
    rows, labels = np.nonzero(has_edge)
    starts = np.searchsorted(rows, np.arange(n_clusters + 1)).astype(np.int64)
    weights = random.normal(size=len(labels)).astype(np.float32)
    graph = ClusterGraph.of_weights(starts, labels.astype(np.int32), weights, beta=3.0, n_labels=n_labels)
    clusters, classifiers = (random.normal(size=(n, n_dims)).astype(np.float32) for n in (n_clusters, n_labels))
    return LearnedIndex(clusters, graph, classifiers, np.arange(n_labels, dtype=np.int32), n_labels, 2.0, 3, 8)


def some_vectors(n: int = 9, n_dims: int = 4, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, n_dims)).astype(np.float32)


def by_brute_force(index: LearnedIndex, vectors: np.ndarray, beam: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Shortlist scores and final scores as dense matrices, 0 where there is no path."""
    clusters = index.cluster_scores(vectors)
    paths = index.graph.clusters_by_labels().toarray()
    short = np.zeros((len(vectors), index.graph.n_labels), dtype=np.float64)
    for row, scores in enumerate(clusters):
        best = np.argsort(-scores, kind="stable")[:beam]
        reached = (scores[best, None].astype(np.float64) * paths[best]).max(axis=0)
        kept = np.argsort(-reached, kind="stable")[:k]
        short[row, kept] = reached[kept]
    return short, short / (1 + np.exp(-(vectors @ index.labels_by_dims.T)))


def test_paths_by_hand() -> None:
    # Edge scores min(1, 2 * share): cluster 0 has 1, .5, .5; cluster 1 has 1, .2; cluster 2 has .8, 1.
    np.testing.assert_allclose(GRAPH.edge_scores(), [1, 0.5, 0.5, 1, 0.2, 0.8, 1], rtol=1e-6)
    found = GRAPH.shortlist(np.array([[0.4, 0.3, 0.1]], dtype=np.float32), beam=2, k=9)
    # From clusters 0 and 1: label 0 by .4, label 1 by max(.2, .3), label 3 by max(.2, .06); label 2 is out of reach.
    assert found.indices.tolist() == [0, 1, 3]
    np.testing.assert_allclose(found.data, [0.4, 0.3, 0.2], rtol=1e-6)


def test_only_the_best_labels_are_kept_best_first() -> None:
    found = GRAPH.shortlist(np.array([[0.4, 0.3, 0.1], [0.0, 0.0, 1.0]], dtype=np.float32), beam=3, k=2)
    assert [found[row].indices.tolist() for row in range(2)] == [[0, 1], [3, 2]]


def test_edges_are_normalised_over_the_kept_ones_of_a_cluster() -> None:
    weights = np.log(np.array([2, 1, 1, 9, 1, 2, 3], dtype=np.float32))
    np.testing.assert_allclose(ClusterGraph.of_weights(STARTS, LABELS, weights, 2.0, 4).edge_shares, SHARES, rtol=1e-5)


def test_the_parent_of_a_label_is_its_strongest_cluster() -> None:
    assert GRAPH.parents().tolist() == [0, 1, 2, 2]
    assert replace(GRAPH, n_labels=5).parents().tolist() == [0, 1, 2, 2, -1]


def test_forced_clusters_and_labels_stay_in_a_short_shortlist() -> None:
    scores = np.array([[0.9, 0.1, 0.0]], dtype=np.float32)
    starts, nothing = np.array([0, 1], dtype=np.int64), np.zeros(0, np.int32)
    edges = (STARTS, LABELS, GRAPH.edge_scores(), 4)
    indptr, labels, values, chosen = _core.learned_shortlist(
        scores, starts, np.array([2], np.int32), starts, np.array([2], np.int32), *edges, 1, 2, 1
    )
    assert (indptr.tolist(), labels.tolist(), chosen.tolist()) == ([0, 2], [0, 2], [0, 5])
    np.testing.assert_allclose(values, [0.9, 0.0])
    free = _core.learned_shortlist(scores, starts * 0, nothing, starts * 0, nothing, *edges, 1, 2, 1)
    assert free[1].tolist() == [0, 1]


@pytest.mark.parametrize(("beam", "k"), [(1, 3), (3, 8), (6, 15), (50, 50)])
def test_search_finds_what_brute_force_finds(beam: int, k: int) -> None:
    index, vectors = replace(some_index(), beam=beam, n_shortlist=k), some_vectors()
    short, final = by_brute_force(index, vectors, beam, k)
    np.testing.assert_allclose(index.shortlist(vectors).toarray(), short, atol=1e-6)
    ranked = index.rank(vectors, k=100)
    np.testing.assert_allclose(ranked.toarray(), final, atol=1e-6)
    for row in range(len(vectors)):
        assert (np.diff(ranked[row].data) <= 0).all()


def test_a_wider_beam_never_lowers_a_shortlist_score() -> None:
    index, vectors = some_index(), some_vectors(30)
    before = index.shortlist(vectors, k=15, beam=1).toarray()
    for beam in range(2, 7):
        after = index.shortlist(vectors, k=15, beam=beam).toarray()
        assert (after >= before).all()
        before = after


def test_one_thread_and_many_give_the_same_bytes() -> None:
    index, vectors = some_index(), some_vectors(50)
    one, many = (index.rank(vectors, 5, n_threads=n) for n in (1, 4))
    assert one.indices.tobytes() == many.indices.tobytes()
    assert one.data.tobytes() == many.data.tobytes()


def test_rows_in_parts_give_what_all_at_once_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    index, vectors = some_index(), some_vectors(50)
    whole = index.rank(vectors, 5)
    monkeypatch.setattr("deixis.xmr.learned_index.MAX_CELLS", 16)
    np.testing.assert_allclose(index.rank(vectors, 5).toarray(), whole.toarray(), rtol=1e-5)


def test_labels_are_those_of_the_whole_vocabulary() -> None:
    index = replace(some_index(), label_rows=np.arange(15, dtype=np.int32) * 10 + 3, n_labels=200)
    ranked = index.rank(some_vectors(), 4)
    assert ranked.shape == (9, 200)
    assert set(ranked.indices % 10) == {3}


def test_no_vectors_have_no_labels() -> None:
    assert some_index().rank(np.zeros((0, 4), np.float32)).shape == (0, 15)
    assert some_index().shortlist(np.zeros((0, 4), np.float32)).shape == (0, 15)


def test_wrong_calls_are_told() -> None:
    with pytest.raises(ConfigError, match="k must be at least 1, got 0"):
        some_index().rank(some_vectors(), 0)
    with pytest.raises(ConfigError, match="k and beam must be at least 1, got 8 and 0"):
        some_index().rank(some_vectors(), 1, beam=0)
    with pytest.raises(DataError, match="index takes 4 dimensions"):
        some_index().rank(some_vectors(n_dims=3))


def ranker() -> LearnedRanker:
    random = np.random.default_rng(2)
    shift = np.zeros(3, np.float32)
    encoder = BagEncoder(
        random.normal(size=(6, 3)).astype(np.float32), shift, np.eye(3, dtype=np.float32), shift, scale=2.0
    )
    return LearnedRanker(encoder, some_index())


def test_a_ranker_comes_back_from_its_arrays() -> None:
    again = LearnedRanker.from_arrays(ranker().to_arrays("elias"), "elias")
    rows = sparse.random(8, 6, 0.5, format="csr", random_state=0)
    first, second = ranker().rank(rows, 5), again.rank(rows, 5)
    assert first.indices.tobytes() == second.indices.tobytes()
    assert first.data.tobytes() == second.data.tobytes()
    assert again.n_labels == 15


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("graph.edge_labels", np.full(33, 99, np.int32), "edge_labels"),
        ("graph.edge_starts", np.array([0, 5, 3, 4, 4, 4, 4]), "edge_starts"),
        ("graph.edge_shares", np.zeros(2, np.float32), "edge_shares"),
        ("graph.n_labels", np.array(-1), "n_labels"),
        ("clusters_by_dims", np.zeros((2, 4), np.float32), "clusters_by_dims"),
        ("labels_by_dims", np.zeros((15, 9), np.float32), "do not fit each other"),
        ("label_rows", np.arange(15, dtype=np.int32)[::-1].copy(), "label_rows' must never fall"),
        ("label_rows", np.arange(15, dtype=np.int32) + 1, "label_rows"),
        ("beam", np.array(0), "beam"),
    ],
)
def test_damaged_arrays_are_refused(name: str, value: np.ndarray, message: str) -> None:
    arrays = some_index().to_arrays("index")
    with pytest.raises(StoreError, match=message):
        LearnedIndex.from_arrays(arrays | {f"index.{name}": value}, "index")


def test_an_encoder_of_other_dimensions_is_refused() -> None:
    arrays = ranker().to_arrays("elias") | some_index(n_dims=7).to_arrays("elias.index")
    with pytest.raises(StoreError, match="other dimensions"):
        LearnedRanker.from_arrays(arrays, "elias")
