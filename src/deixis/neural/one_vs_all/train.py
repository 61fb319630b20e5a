"""Brute force: an encoder and every label's classifier, learned together on all labels of every document.

The one-versus-all line of ELIAS (Gupta et al., 2022, Table 2). The loss is the binary cross-entropy over all labels;
its gradient is written out (sigma(w.phi) - y) and taken block by block, so that no matrix of all scores is kept. With
`n_negatives` it is estimated on some labels at a time (`sampled_labels.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from deixis.errors import DataError
from deixis.neural.batches import (
    Optimizers,
    TrainableEncoder,
    all_vectors,
    checked_examples,
    first_classifiers,
    shuffled_batches,
)
from deixis.neural.one_vs_all.config import COSINE_WEIGHT, OneVsAllConfig
from deixis.neural.one_vs_all.encoder import open_encoder
from deixis.neural.one_vs_all.sampled_labels import SampledClassifiers
from deixis.neural.threads import torch_threads
from deixis.progress import steps
from deixis.xmr.one_vs_all import OneVsAllRanker

BLOCK = 2048  # labels at one time: 512 documents by 2048 scores stay in a near cache


def train_one_vs_all(
    X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
    Y: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
    config: OneVsAllConfig | None = None,
    seed: int = 0,
    encoder: TrainableEncoder | None = None,
    texts: Sequence[str] | None = None,
    n_threads: int = 0,
) -> OneVsAllRanker:
    """A ranker of all labels, from rows of features and their labels; the values of `Y`, in (0, 1], are the targets.

    The encoder is what `config.encoder` names, or one that is given. One of texts (`TextModule`) reads `texts`.

    Examples
    --------
    >>> eye = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> ranker = train_one_vs_all(eye, eye, OneVsAllConfig(n_epochs=40, batch_size=3))
    >>> ranker.rank(eye, k=1).indices.tolist()
    [0, 1, 2]
    """
    config = config or OneVsAllConfig()
    features, targets = checked_examples(X, Y)
    if texts is not None and len(texts) != features.shape[0]:
        raise DataError(f"There are {len(texts)} texts and {features.shape[0]} rows; they must be as many.")
    inputs: Any = features if texts is None else texts
    torch.manual_seed(seed)
    module = encoder or open_encoder(config.encoder, config.bag, config.text, features.shape[1], texts)
    vectors = all_vectors(module, inputs, features.shape[0])
    first = first_classifiers(vectors, targets, COSINE_WEIGHT, config.bag.scale)
    n_steps = config.n_epochs * -(-features.shape[0] // config.batch_size)
    rates = dict.fromkeys(module.dense_parameters(), module.own_rate or config.learning_rate)
    sampled = None
    if 0 < config.n_negatives < targets.shape[1]:
        sampled = SampledClassifiers(
            first, targets, config.n_negatives, config.batch_size, config.learning_rate, n_steps, seed
        )
    classifiers = nn.Parameter(first) if sampled is None else sampled.weights
    if sampled is None:
        rates[classifiers] = config.learning_rate
    optimizers = Optimizers(module, config.embedding_rate, rates, n_steps)
    module.train()
    with torch_threads(n_threads), steps("training one-versus-all", n_steps) as advance:
        for rows in shuffled_batches(features.shape[0], config.batch_size, config.n_epochs, seed):
            vectors = module.vectors(inputs, rows)
            if sampled is None:
                loss, vector_slope = all_labels_slope(vectors.detach(), classifiers, targets[rows])
            else:
                loss, vector_slope = sampled.slope(vectors.detach(), targets[rows])
                sampled.step()
            if vectors.requires_grad:
                vectors.backward(vector_slope)
            optimizers.step()
            advance(1, f"loss {loss:.3f}")
    return OneVsAllRanker(module.frozen(), classifiers.detach().numpy().copy())


def all_labels_slope(vectors: Tensor, classifiers: Tensor, targets: sparse.csr_matrix) -> tuple[float, Tensor]:
    """The loss of a batch (sum over labels, mean over documents) and its slope by the vectors.

    The slope by the classifiers is put into their `.grad`.
    """
    by_label = targets.tocsc()
    n_rows, n_labels = targets.shape
    slope, total = torch.zeros_like(vectors), 0.0
    if classifiers.grad is None:
        classifiers.grad = torch.empty_like(classifiers)
    with torch.no_grad():
        for start in range(0, n_labels, BLOCK):
            end = min(start + BLOCK, n_labels)
            weights = classifiers[start:end]
            scores = weights @ vectors.T
            positions, values = _entries(by_label, start, end, n_rows)
            flat = scores.view(-1)
            total -= float(flat[positions] @ values)
            errors = scores.sigmoid()
            total += float(torch.nn.functional.softplus(scores).sum())
            errors.view(-1)[positions] -= values
            errors /= n_rows
            torch.mm(errors, vectors, out=classifiers.grad[start:end])
            slope += errors.T @ weights
    return total / n_rows, slope


def _entries(by_label: sparse.csc_matrix, start: int, end: int, n_rows: int) -> tuple[Tensor, Tensor]:
    """Where the block of labels_by_docs has targets, as places in the flat block, and the targets."""
    span = slice(by_label.indptr[start], by_label.indptr[end])
    labels: NDArray[Any] = np.repeat(np.arange(end - start), np.diff(by_label.indptr[start : end + 1]))
    positions = labels * n_rows + by_label.indices[span]
    return torch.from_numpy(positions.astype(np.int64)), torch.from_numpy(by_label.data[span])
