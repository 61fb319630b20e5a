"""What a training asks of an encoder: vectors with slopes, its parameters, and what is left of it without torch."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from torch import Tensor, nn

from deixis.xmr.learned_index import VectorEncoder


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
