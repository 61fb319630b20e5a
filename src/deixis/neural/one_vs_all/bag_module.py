"""The bag-of-embeddings encoder as torch learns it; `xmr/bag_encoder.py` is the same without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional

from deixis.neural.batches import TrainableEncoder
from deixis.neural.one_vs_all.config import BagConfig
from deixis.xmr.bag_encoder import MIN_LENGTH, BagEncoder


class BagModule(TrainableEncoder):
    """Embeddings of features with sparse gradients, a residual layer, unit length.

    Examples
    --------
    >>> module = BagModule(5, BagConfig(n_dims=4))
    >>> rows = sparse.csr_matrix(np.eye(3, 5, dtype=np.float32))
    >>> module.vectors(rows, np.array([2, 0])).shape
    torch.Size([2, 5])
    """

    def __init__(self, n_features: int, config: BagConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = nn.EmbeddingBag(n_features, config.n_dims, mode="sum", sparse=True)
        nn.init.normal_(self.embeddings.weight, std=config.n_dims**-0.5)
        self.shift = nn.Parameter(torch.zeros(config.n_dims))
        self.residual = nn.Linear(config.n_dims, config.n_dims)
        nn.init.zeros_(self.residual.weight)
        nn.init.zeros_(self.residual.bias)
        self.dropout = nn.Dropout(config.dropout)

    @property
    def n_dims(self) -> int:
        """Length of a vector, the constant at its end included."""
        return self.config.n_dims + 1

    def vectors(self, inputs: sparse.csr_matrix, rows: NDArray[Any]) -> Tensor:
        """docs_by_dims of these rows of the feature matrix."""
        batch = inputs[rows]
        weights = torch.from_numpy(np.asarray(batch.data, dtype=np.float32))
        summed = self.embeddings(
            torch.from_numpy(batch.indices.astype(np.int64)),
            torch.from_numpy(batch.indptr[:-1].astype(np.int64)),
            per_sample_weights=functional.dropout(weights, self.config.feature_dropout, self.training),
        )
        first = summed + self.shift
        vectors = first + self.residual(self.dropout(functional.relu(first)))
        vectors = self.dropout(functional.normalize(vectors, eps=MIN_LENGTH))
        return torch.cat([vectors, vectors.new_ones(len(vectors), 1)], dim=1) * self.config.scale

    def sparse_parameters(self) -> list[nn.Parameter]:
        """Parameters whose gradients are sparse."""
        return [self.embeddings.weight]

    def dense_parameters(self) -> list[nn.Parameter]:
        """All the others."""
        return [self.shift, *self.residual.parameters()]

    def frozen(self) -> BagEncoder:
        """What it has learned, for use without torch."""
        return BagEncoder(
            _array(self.embeddings.weight),
            _array(self.shift),
            _array(self.residual.weight),
            _array(self.residual.bias),
            self.config.scale,
        )


def _array(parameter: Tensor) -> NDArray[np.float32]:
    return parameter.detach().numpy().astype(np.float32, copy=True)
