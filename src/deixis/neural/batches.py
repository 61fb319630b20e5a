"""What trainings on rows of features share: checked examples, shuffled batches, optimizers that know sparse rows.

What a training asks of an encoder: vectors with slopes, its parameters, and what is left of it without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from deixis.errors import DataError
from deixis.xmr.bag_encoder import MIN_LENGTH
from deixis.xmr.one_vs_all import VectorEncoder
from deixis.xmr.sparse_rows import SparseRows


class TrainableEncoder(nn.Module):
    """An encoder of rows of features, or of texts. Vectors end with a constant, so that classifiers have a bias."""

    own_rate: float | None = None
    """The rate of its dense parameters, if it should not be that of the classifiers."""

    n_at_once: int = 4096
    """Rows that are encoded at one time when nothing is learned."""

    @property
    def n_dims(self) -> int:
        """Length of a vector, the constant at its end included."""
        raise NotImplementedError

    def vectors(self, inputs: Any, rows: NDArray[Any]) -> Tensor:  # noqa: ANN401 - what this encoder takes
        """docs_by_dims of these rows of the inputs."""
        raise NotImplementedError

    def sparse_parameters(self) -> list[nn.Parameter]:
        """Parameters whose gradients are sparse."""
        return []

    def dense_parameters(self) -> list[nn.Parameter]:
        """All the others."""
        return list(self.parameters())

    def frozen(self) -> VectorEncoder:
        """What it has learned, for use without torch."""
        raise NotImplementedError


WARMUP = 0.05  # share of the steps in which the rate rises


def checked_examples(X: Any, Y: Any) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:  # noqa: ANN401, N803
    """Features and targets as float32 rows; targets lie in (0, 1], each stored once."""
    features, targets = SparseRows.of(X, "feature matrix").matrix(), SparseRows.of(Y, "label matrix").matrix()
    if features.shape[0] != targets.shape[0]:
        raise DataError(f"X has {features.shape[0]} rows and Y has {targets.shape[0]}; they must be as many.")
    if features.shape[0] == 0 or targets.shape[1] == 0:
        raise DataError("Nothing to learn from: X and Y need at least one row, and Y at least one label.")
    targets = targets.copy()
    targets.eliminate_zeros()
    if targets.nnz and not (targets.data.min() > 0 and targets.data.max() <= 1):
        raise DataError(f"Targets must lie in (0, 1], got {targets.data.min()}..{targets.data.max()}.")
    return features, targets


def shuffled_batches(n_rows: int, batch_size: int, n_epochs: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Row numbers of each batch; every row once in an epoch."""
    generator = np.random.default_rng(seed)
    for _ in range(n_epochs):
        order = generator.permutation(n_rows)
        for start in range(0, n_rows, batch_size):
            yield np.sort(order[start : start + batch_size])


def all_vectors(module: TrainableEncoder, inputs: Any, n_rows: int) -> NDArray[np.float32]:  # noqa: ANN401
    """docs_by_dims of all rows, as they are now; nothing is dropped and no slope is kept."""
    was_training = module.training
    module.eval()
    with torch.no_grad():
        parts = np.array_split(np.arange(n_rows), -(-n_rows // module.n_at_once))
        vectors = np.vstack([module.vectors(inputs, part).numpy() for part in parts])
    module.train(was_training)
    return vectors


def first_classifiers(
    vectors: NDArray[np.float32], targets: sparse.csr_matrix, cosine_weight: float, scale: float
) -> torch.Tensor:
    """Where classifiers begin: how frequent a column of `targets` is, and how near a vector is to its documents'.

    A classifier gives cosine_weight * cos(vector, sum of the column's documents' vectors) + log odds of the column.
    """
    sums = np.asarray(targets.T @ (vectors[:, :-1] / scale), dtype=np.float32)
    middles = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), MIN_LENGTH)
    frequency = (np.asarray(targets.sum(axis=0), dtype=np.float64).ravel() + 0.5) / (targets.shape[0] + 1.0)
    log_odds = np.log(frequency / np.maximum(1 - frequency, MIN_LENGTH)).astype(np.float32)
    classifiers = np.hstack([cosine_weight * middles, log_odds[:, None]]) / scale
    return torch.from_numpy(classifiers.astype(np.float32))


class Optimizers:
    """Adam for dense parameters and sparse Adam for embeddings; rates rise for a while, then fall to nothing."""

    def __init__(
        self, encoder: TrainableEncoder, embedding_rate: float, rates: Mapping[nn.Parameter, float], n_steps: int
    ) -> None:
        groups = [{"params": [parameter], "lr": rate} for parameter, rate in rates.items()]
        self._optimizers: list[torch.optim.Optimizer] = [torch.optim.Adam(groups)]
        if encoder.sparse_parameters():
            self._optimizers.append(torch.optim.SparseAdam(encoder.sparse_parameters(), lr=embedding_rate))
        self._schedules = [
            torch.optim.lr_scheduler.LambdaLR(each, rising_and_falling(n_steps)) for each in self._optimizers
        ]

    def step(self) -> None:
        """Use the gradients, then forget them."""
        for optimizer, schedule in zip(self._optimizers, self._schedules, strict=True):
            optimizer.step()
            optimizer.zero_grad()
            schedule.step()


def rising_and_falling(n_steps: int) -> Callable[[int], float]:
    """The share of the full rate at each step: a short rise, then a straight fall."""
    n_warm = max(1, round(WARMUP * n_steps))
    return lambda step: min((step + 1) / n_warm, max(0.0, (n_steps - step) / max(1, n_steps - n_warm)))
