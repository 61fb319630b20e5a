"""Vectors of names in several languages: one linear map from words and character n-grams to the entity's vector.

The map is fitted to a list that has names of its entities in more than one language (`parallel_fit`), so that a name in
one language is near the names of the same entity in another. It is used like any encoder: mentions and names of every
language go through the same map, which needs no language to be known.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import PARALLEL_FEATURES
from deixis.encoders.unit_rows import unit_rows
from deixis.features.tfidf import TfidfVectorizer
from deixis.store.checks import check_length, require
from deixis.store.model_folder import open_model, save_model

KIND, PREFIX = "encoder", "encoder"  # of the folder, and of the arrays in it
MAP = "map"
_BLOCK = 8192  # texts at a time


class ParallelEncoder:
    """Names of one entity in different languages get vectors with a large dot product.

    Examples
    --------
    >>> vectorizer = TfidfVectorizer(PARALLEL_FEATURES).fit(["vet", "vet", "paris", "paris"])
    >>> encoder = ParallelEncoder(vectorizer, np.eye(vectorizer.n_features, 8, dtype=np.float32))
    >>> encoder.encode(["a vet", "?"]).any(axis=1).tolist()
    [True, False]
    """

    def __init__(self, vectorizer: TfidfVectorizer, features_by_dims: NDArray[np.float32]) -> None:
        self.vectorizer = vectorizer
        self.features_by_dims = features_by_dims

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return int(self.features_by_dims.shape[1])

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """texts_by_dims: rows of length one, or zero for a text without a known n-gram."""
        blocks = [self._encode_block(texts[start : start + _BLOCK]) for start in range(0, len(texts), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.n_dims), dtype=np.float32)

    def _encode_block(self, texts: list[str]) -> NDArray[np.float32]:
        # Sums in the order of the columns, so a text has the same vector whatever it is encoded with.
        return unit_rows(self.vectorizer.transform(texts, n_threads=1) @ self.features_by_dims)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary and map under names that begin with `prefix`."""
        return self.vectorizer.to_arrays(f"{prefix}.words") | {f"{prefix}.{MAP}": self.features_by_dims}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> ParallelEncoder:
        """The encoder `to_arrays` gave."""
        vectorizer = TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", PARALLEL_FEATURES)
        features_by_dims = require(arrays, f"{prefix}.{MAP}", np.float32, 2)
        check_length(f"{prefix}.{MAP}", features_by_dims, vectorizer.n_features)
        return cls(vectorizer, features_by_dims)

    def save(self, folder: str | os.PathLike[str], about: dict[str, Any] | None = None) -> None:
        """Write the folder that `from_folder` and the option `--encoder` read; `about` is kept in its manifest."""
        save_model(folder, KIND, about or {}, self.to_arrays(PREFIX))

    @classmethod
    def from_folder(cls, folder: Path) -> ParallelEncoder:
        """The encoder of a folder that `save` wrote."""
        return cls.from_arrays(open_model(folder, KIND).arrays, PREFIX)
