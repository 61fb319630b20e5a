"""One-versus-all on some labels at a time: those of a step's documents, and as many others drawn at random.

A negative label is weighted by the inverse of the probability that the step has it, so the loss is
on average that over all labels (`one_vs_all.py`), at a fraction of its cost. Adam then moves only classifiers that were
drawn; for labels in the tens of thousands that is the larger saving.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from deixis.neural.batches import rising_and_falling


class SampledClassifiers:
    """Every label's classifier, and the labels sampled in each step.

    Examples
    --------
    >>> targets = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> classifiers = SampledClassifiers(torch.zeros(3, 2), targets, n_negatives=1, batch_size=2, rate=0.1, n_steps=9)
    >>> loss, slope = classifiers.slope(torch.ones(2, 2), targets[:2])
    >>> classifiers.step()
    >>> bool(classifiers.weights[0, 0] != 0), slope.shape
    (True, torch.Size([2, 2]))
    """

    def __init__(
        self,
        first: Tensor,
        docs_by_labels: sparse.csr_matrix,
        n_negatives: int,
        batch_size: int,
        rate: float,
        n_steps: int,
        seed: int = 0,
    ) -> None:
        self.weights = nn.Parameter(first)
        self._n_negatives = n_negatives
        self._random = np.random.default_rng(seed)
        self._counts = sampling_probability(docs_by_labels, n_negatives, batch_size) ** -1.0
        self._optimizer = torch.optim.SparseAdam([self.weights], lr=rate)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, rising_and_falling(n_steps))

    def slope(self, vectors: Tensor, targets: sparse.csr_matrix) -> tuple[float, Tensor]:
        """The loss of a batch (sum over labels, mean over documents) and its slope by the vectors."""
        drawn = self._random.integers(0, targets.shape[1], self._n_negatives)
        labels = np.union1d(targets.indices, drawn)
        positions = (
            torch.from_numpy(np.repeat(np.arange(targets.shape[0]), np.diff(targets.indptr))),
            torch.from_numpy(np.searchsorted(labels, targets.indices)),
        )
        values = torch.from_numpy(targets.data)
        chosen = torch.from_numpy(labels.astype(np.int64))
        with torch.no_grad():
            weights = self.weights[chosen]
            scores = vectors @ weights.T
            counts = torch.from_numpy(self._counts[labels].astype(np.float32))
            positive = scores[positions]
            losses = nn.functional.softplus(scores)
            total = float((losses @ counts).sum()) + float((losses[positions] * (1 - counts[positions[1]])).sum())
            errors = scores.sigmoid() * counts
            errors[positions] = positive.sigmoid() - values
            errors /= len(vectors)
            rows = errors.T @ vectors
            self.weights.grad = torch.sparse_coo_tensor(
                chosen[None], rows, self.weights.shape, check_invariants=False, is_coalesced=True
            )
            return (total - float(positive @ values)) / len(vectors), errors @ weights

    def step(self) -> None:
        """Use the slope, then forget it."""
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._schedule.step()


def sampling_probability(docs_by_labels: sparse.csr_matrix, n_negatives: int, batch_size: int) -> NDArray[np.float64]:
    """The probability that a step includes each label: by one of its documents, or drawn at random.

    Examples
    --------
    >>> one_in_two = sparse.csr_matrix([[1, 0], [0, 0]])
    >>> sampling_probability(one_in_two, n_negatives=1, batch_size=1).tolist()
    [0.75, 0.5]
    """
    n_documents, n_labels = docs_by_labels.shape
    frequency = np.bincount(docs_by_labels.indices, minlength=n_labels) / n_documents
    missed: NDArray[np.float64] = (1 - frequency) ** batch_size * (1 - 1 / n_labels) ** n_negatives
    return 1 - missed
