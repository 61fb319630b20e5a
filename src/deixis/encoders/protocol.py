"""The protocol of text encoders."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class TextEncoder(Protocol):
    """Anything that turns texts into vectors: one of ours, a sentence-transformers or a model2vec model."""

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """texts_by_dims: one row per text, of length one (or zero, for a text of which nothing is known)."""


class StoredEncoder(TextEncoder, Protocol):
    """An encoder that learned something and is kept with a model; the class also has `fit` and `from_arrays`."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What it learned, under names that begin with `prefix`."""
