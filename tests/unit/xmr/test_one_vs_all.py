"""The exact ranker and the encoder, as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError, StoreError
from deixis.xmr.bag_encoder import BagEncoder
from deixis.xmr.one_vs_all import OneVsAllRanker, rank_all


def encoder(n_features: int = 5, n_dims: int = 3) -> BagEncoder:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    return BagEncoder(normal(n_features, n_dims), normal(n_dims), normal(n_dims, n_dims), normal(n_dims), scale=2.0)


def ranker() -> OneVsAllRanker:
    return OneVsAllRanker(encoder(), np.random.default_rng(1).normal(size=(7, 4)).astype(np.float32))


def test_vectors_have_the_scale_as_length_and_as_last_component() -> None:
    vectors = encoder().encode(np.eye(5))
    np.testing.assert_allclose(np.linalg.norm(vectors[:, :-1], axis=1), 2.0, rtol=1e-5)
    np.testing.assert_array_equal(vectors[:, -1], np.full(5, 2.0, np.float32))


def test_labels_come_in_the_order_of_their_scores() -> None:
    vectors = encoder().encode(np.eye(5))
    scores = 1 / (1 + np.exp(-vectors @ ranker().labels_by_dims.T))
    ranked = ranker().rank(np.eye(5), k=4)
    for row in range(5):
        wanted = np.argsort(-scores[row])[:4]
        assert ranked[row].indices.tolist() == wanted.tolist()
        np.testing.assert_allclose(ranked[row].data, scores[row, wanted], rtol=1e-5)


def test_among_equal_scores_the_lower_labels_come_first_also_where_the_list_ends() -> None:
    classifiers = np.ones((46, 2), np.float32)
    classifiers[5] = 2
    assert rank_all(np.ones((2, 2), np.float32), classifiers, k=3).indices.tolist() == [5, 0, 1] * 2


def test_many_rows_in_parts_give_what_all_at_once_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = encoder().encode(np.eye(5))
    whole = rank_all(vectors, ranker().labels_by_dims, k=100)
    monkeypatch.setattr("deixis.xmr.one_vs_all.MAX_CELLS", 14)
    parts = rank_all(vectors, ranker().labels_by_dims, k=100)
    assert whole.shape == (5, 7)
    np.testing.assert_allclose(parts.toarray(), whole.toarray(), rtol=1e-5)


def test_a_ranker_comes_back_from_its_arrays() -> None:
    again = OneVsAllRanker.from_arrays(ranker().to_arrays("ova"), "ova")
    rows = sparse.csr_matrix(np.eye(5))
    assert (again.rank(rows, 3) != ranker().rank(rows, 3)).nnz == 0


def test_damaged_arrays_are_refused() -> None:
    arrays = ranker().to_arrays("ova")
    with pytest.raises(StoreError, match=r"'ova.encoder.residual.*' has . rows where 2 are expected"):
        OneVsAllRanker.from_arrays(arrays | {"ova.encoder.shift": np.zeros(2, np.float32)}, "ova")
    with pytest.raises(StoreError, match=r"shape \(7, 9\)"):
        OneVsAllRanker.from_arrays(arrays | {"ova.labels_by_dims": np.zeros((7, 9), np.float32)}, "ova")


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(DataError, match="rows have 4 features; the encoder was made for 5"):
        ranker().rank(np.eye(4))


def test_a_bag_is_stored_as_older_models_have_it() -> None:
    assert "ova.encoder.kind" not in ranker().to_arrays("ova")
