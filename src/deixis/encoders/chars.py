"""Vectors out of letters: TF-IDF of words and character n-grams, folded into a few hundred numbers.

Each n-gram has a handful of places in the vector, with a sign each, that follow from a hash of its column (sparse
random projection: Achlioptas, 2003, "Database-friendly random projections"; feature hashing: Weinberger et al., 2009).
Dot products are those of the TF-IDF rows give or take about 1 / sqrt(n_dims), whatever the size of the vocabulary.
Nothing but the vocabulary is learned, and nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import NAME_FEATURES, EncoderConfig
from deixis.encoders.unit_rows import unit_rows
from deixis.features.tfidf import TfidfVectorizer
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable

N_POSITIONS = 8  # of an n-gram in the vector
_BLOCK = 8192  # texts at a time
_GOLDEN, _MIX_1, _MIX_2 = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


class CharSketchEncoder:
    """Texts with letters in common get vectors with a large dot product.

    Examples
    --------
    >>> encoder = CharSketchEncoder.fit(StringTable.from_strings(["Sean Connery", "Paris"]))
    >>> connery, paris, typo = encoder.encode(["Sean Connery", "Paris", "Sean Conery"])
    >>> bool(typo @ connery > 0.7 > 0.3 > typo @ paris)
    True
    """

    def __init__(self, vectorizer: TfidfVectorizer, n_dims: int) -> None:
        self.vectorizer = vectorizer
        self.n_dims = n_dims

    @classmethod
    def fit(
        cls,
        names: StringTable,
        texts: StringTable | None = None,
        config: EncoderConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
    ) -> CharSketchEncoder:
        """An encoder that weighs n-grams by how few of the `names` have them; `texts` and `seed` change nothing."""
        del texts, seed
        config = config or EncoderConfig()
        return cls(TfidfVectorizer(NAME_FEATURES).fit(names, n_threads), config.n_dims)

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """texts_by_dims: rows of length one, or zero for a text without an n-gram of any known name."""
        blocks = [self._encode_block(texts[start : start + _BLOCK]) for start in range(0, len(texts), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.n_dims), dtype=np.float32)

    def _encode_block(self, texts: list[str]) -> NDArray[np.float32]:
        return unit_rows(sketched(self.vectorizer.transform(texts, n_threads=1), self.n_dims))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The vocabulary under names that begin with `prefix`."""
        return self.vectorizer.to_arrays(f"{prefix}.words")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: EncoderConfig) -> CharSketchEncoder:
        """The encoder `to_arrays` gave."""
        return cls(TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", NAME_FEATURES), config.n_dims)


def sketched(rows: sparse.csr_matrix[np.float32], n_dims: int) -> NDArray[np.float64]:
    """rows_by_dims: sparse rows folded into `n_dims` numbers each."""
    # Sums in the order of the columns, so a row has the same vector whatever stands beside it.
    positions, signs = _positions(rows.indices, n_dims)
    row_of_item = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    weights = signs * rows.data[:, None]
    sums = np.bincount((row_of_item[:, None] * n_dims + positions).ravel(), weights.ravel(), rows.shape[0] * n_dims)
    by_dims: NDArray[np.float64] = sums.reshape(rows.shape[0], n_dims).astype(np.float64, copy=False)
    return by_dims


def _positions(columns: NDArray[np.int32], n_dims: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The places of each column in the vector, and the sign in each."""
    counters = columns.astype(np.int64)[:, None] * N_POSITIONS + np.arange(N_POSITIONS)
    mixed: NDArray[np.uint64] = (
        counters.astype(np.uint64) + np.uint64(1)
    ) * _GOLDEN  # splitmix64: unsigned products wrap around on purpose
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX_2
    mixed ^= mixed >> np.uint64(31)
    signs = np.where(mixed >> np.uint64(63), np.float32(1), np.float32(-1))
    return ((mixed & np.uint64(2**32 - 1)) % np.uint64(n_dims)).astype(np.int64), signs
