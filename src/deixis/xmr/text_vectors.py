"""Any text encoder as the encoder of a learned index. No torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders import FOLDER_ENCODERS
from deixis.encoders.protocol import StoredEncoder
from deixis.store.checks import require_value


@dataclass(frozen=True, eq=False)
class TextVectors:
    """Texts to vectors of the length `scale`, followed by the constant `scale`."""

    encoder: StoredEncoder
    scale: float
    n_dims: int
    n_features: int
    """Columns of the rows that come with the texts."""

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
        """Graph, tokenizer and numbers under names that begin with `prefix`; the encoder's own are among them."""
        arrays = self.encoder.to_arrays(prefix)
        return arrays | {f"{prefix}.scale": np.array(self.scale), f"{prefix}.n_features": np.array(self.n_features)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_threads: int = 1) -> TextVectors:
        """What `to_arrays` gave, checked."""
        scale = require_value(arrays, f"{prefix}.scale", float, 0)
        n_features = require_value(arrays, f"{prefix}.n_features", int, 0)
        encoder = FOLDER_ENCODERS["onnx"].from_arrays(arrays, prefix, n_threads)
        return cls(encoder, scale, encoder.n_dims + 1, n_features)
