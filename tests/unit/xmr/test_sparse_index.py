"""The learned graph used with sparse features only."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.sparse_index import SparseIndex, SparseIndexConfig

N_LABELS = 12


def some_documents(seed: int = 0) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Each label has a feature of its own; column 0 of the labels is never used."""
    random = np.random.default_rng(seed)
    first = random.integers(0, N_LABELS, 90)
    targets = np.zeros((90, N_LABELS), dtype=np.float32)
    targets[np.arange(90), first] = 1
    noise = (random.random((90, 4)) < 0.3).astype(np.float32)
    return sparse.csr_matrix(np.hstack([targets, noise])), sparse.csr_matrix(np.hstack([np.zeros((90, 1)), targets]))


def some_graph() -> ClusterGraph:
    """Three clusters of four labels each; label 0 also has an edge from the last."""
    starts, labels = np.array([0, 4, 8, 13]), np.array([0, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11], dtype=np.int32)
    return ClusterGraph.of_weights(starts, labels, np.zeros(13, np.float32), beta=4.0, n_labels=N_LABELS)


def fitted(config: SparseIndexConfig | None = None) -> SparseIndex:
    return SparseIndex.fit(*some_documents(), some_graph(), np.arange(1, 13, dtype=np.int32), config, n_threads=1)


def test_documents_find_their_labels_without_an_encoder() -> None:
    features, targets = some_documents()
    ranked = fitted(SparseIndexConfig(beam=1)).rank(features, k=1)
    assert ranked.shape == targets.shape
    assert targets[np.arange(90), ranked.indices].mean() > 0.95


def test_only_labels_of_the_best_clusters_are_shortlisted() -> None:
    features, _ = some_documents()
    short = fitted(SparseIndexConfig(beam=1)).shortlist(features)
    groups = [{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 9, 10, 11, 12}]
    assert all(set(short[row].indices) in groups for row in range(90))


def test_scores_fall_within_a_row() -> None:
    ranked = fitted().rank(some_documents()[0], k=6)
    assert np.diff(ranked.indptr).tolist() == [6] * 90
    assert all((np.diff(ranked[row].data) <= 0).all() for row in range(90))


def test_it_comes_back_from_its_arrays() -> None:
    index, features = fitted(), some_documents()[0]
    again = SparseIndex.from_arrays(index.to_arrays("i"), "i", config=index.config)
    assert (again.rank(features, 5) != index.rank(features, 5)).nnz == 0
    with pytest.raises(StoreError, match="label_rows"):
        damaged = index.to_arrays("i") | {"i.label_rows": np.full(12, 99, np.int32)}
        SparseIndex.from_arrays(damaged, "i", config=index.config)


def test_one_thread_and_many_give_the_same_bytes() -> None:
    index, features = fitted(), some_documents()[0]
    one, many = (index.rank(features, 5, n_threads=n) for n in (1, 3))
    assert one.data.tobytes() == many.data.tobytes()


def test_wrong_calls_are_told() -> None:
    with pytest.raises(ConfigError, match="beam must be at least 1, got 0"):
        SparseIndexConfig(beam=0)
    with pytest.raises(DataError, match="rows have 3 features; the index takes 16"):
        fitted().rank(np.eye(3))
    with pytest.raises(DataError, match="X has 2 rows and Y has 3"):
        SparseIndex.fit(np.eye(2), np.eye(3), some_graph(), np.arange(12, dtype=np.int32))
