"""Brute force on the bag-of-embeddings encoder: exact slopes, soft targets, the same vectors without torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.neural.batches import shuffled_batches
from deixis.neural.one_vs_all.bag_module import BagModule
from deixis.neural.one_vs_all.config import BagConfig, OneVsAllConfig
from deixis.neural.one_vs_all.train import all_labels_slope, train_one_vs_all

torch.set_num_threads(1)


def some_rows(n_rows: int, n_columns: int, seed: int = 0) -> sparse.csr_matrix:
    return sparse.random(n_rows, n_columns, 0.4, format="csr", dtype=np.float32, random_state=seed)


def test_slopes_are_those_of_cross_entropy_over_all_labels() -> None:
    vectors = torch.randn(3, 4, requires_grad=True)
    classifiers = torch.nn.Parameter(torch.randn(5, 4))
    targets = sparse.csr_matrix(np.array([[1, 0, 0.5, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0.25]], dtype=np.float32))
    loss, slope = all_labels_slope(vectors.detach(), classifiers, targets)
    wanted = torch.nn.functional.binary_cross_entropy_with_logits(
        vectors @ classifiers.T, torch.from_numpy(targets.toarray()), reduction="sum"
    )
    assert loss == pytest.approx(wanted.item() / 3, rel=1e-5)
    found = classifiers.grad
    by_vectors, by_classifiers = torch.autograd.grad(wanted / 3, [vectors, classifiers])
    torch.testing.assert_close(slope, by_vectors)
    torch.testing.assert_close(found, by_classifiers)


def test_the_encoder_gives_the_same_vectors_without_torch() -> None:
    torch.manual_seed(3)
    module = BagModule(12, BagConfig(n_dims=6)).eval()
    torch.nn.init.normal_(module.residual.weight)
    rows = sparse.vstack([some_rows(6, 12), sparse.csr_matrix((1, 12), dtype=np.float32)], format="csr")
    with torch.no_grad():
        wanted = module.vectors(rows, np.arange(7)).numpy()
    np.testing.assert_allclose(module.frozen().encode(rows), wanted, atol=1e-5)


def test_a_soft_target_is_the_score_that_is_learned() -> None:
    features = sparse.csr_matrix(np.eye(2, dtype=np.float32))
    targets = sparse.csr_matrix(np.array([[1.0, 0.3], [0.0, 1.0]], dtype=np.float32))
    bag = BagConfig(n_dims=8, dropout=0.0, feature_dropout=0.0)
    config = OneVsAllConfig(bag, n_epochs=400, batch_size=2, learning_rate=0.05)
    scores = train_one_vs_all(features, targets, config).rank(features, k=2).toarray()
    np.testing.assert_allclose(scores, targets.toarray(), atol=0.05)


def test_the_same_seed_gives_the_same_ranker() -> None:
    features, targets = some_rows(20, 9), some_rows(20, 6, seed=1).astype(bool).astype(np.float32)
    config = OneVsAllConfig(BagConfig(n_dims=4), n_epochs=2, batch_size=8)
    first, second, other = (train_one_vs_all(features, targets, config, seed) for seed in (1, 1, 2))
    assert (first.labels_by_dims == second.labels_by_dims).all()
    assert (first.labels_by_dims != other.labels_by_dims).any()


def test_every_row_comes_once_in_an_epoch() -> None:
    batches = list(shuffled_batches(10, batch_size=4, n_epochs=2, seed=0))
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2]
    assert sorted(np.concatenate(batches[:3])) == list(range(10))


def test_targets_outside_zero_and_one_are_refused() -> None:
    with pytest.raises(DataError, match=r"Targets must lie in \(0, 1\], got 2.0..2.0"):
        train_one_vs_all(np.eye(2), 2 * np.eye(2))
    with pytest.raises(DataError, match="X has 2 rows and Y has 3"):
        train_one_vs_all(np.eye(2), np.eye(3))


def test_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="batch_size must be at least 1, got 0"):
        OneVsAllConfig(batch_size=0)
    with pytest.raises(ConfigError, match="embedding_rate must be above 0, got -1"):
        OneVsAllConfig(embedding_rate=-1)
    with pytest.raises(ConfigError, match="n_dims must be at least 1, got 0"):
        BagConfig(n_dims=0)
