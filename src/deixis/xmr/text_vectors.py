"""Any text encoder as the encoder of a learned index. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError
from deixis.features.encoders.protocols import TextEncoder


@dataclass(frozen=True, eq=False)
class TextVectors:
    """Texts to vectors of the length `scale`, followed by the constant `scale`."""

    encoder: TextEncoder
    scale: float
    n_dims: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """docs_by_dims."""
        if not len(texts):
            return np.zeros((0, self.n_dims), dtype=np.float32)
        vectors = np.asarray(self.encoder.encode(list(texts)), dtype=np.float32)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        ones = np.ones((len(vectors), 1), dtype=np.float32)
        scaled: NDArray[np.float32] = np.hstack([vectors / lengths, ones]) * np.float32(self.scale)
        return scaled

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Not here: a text encoder is kept in a folder of its own."""
        raise ConfigError("A text encoder is kept as a folder: save `encoder`, and the arrays of the index beside it.")
