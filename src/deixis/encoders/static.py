"""MiniLM made static: each word piece has one vector, a text has the mean of its pieces'. Hundreds of times quicker.

After model2vec (Tulkens and van Dongen, 2024): every piece of the vocabulary goes through the encoder once, alone; the
vectors are turned to their principal components and shortened, and frequent pieces count less (smooth inverse
frequency: Arora et al., 2017, with frequencies by Zipf's law, since the vocabulary stands in their order). Made and
used without torch; where it differs from model2vec: decision 21.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import EncoderConfig
from deixis.encoders.minilm import DIGEST, MiniLmEncoder, package_folder, vocabulary
from deixis.encoders.unit_rows import unit_rows
from deixis.encoders.wordpiece import WordPieces
from deixis.errors import StoreError
from deixis.progress import track
from deixis.scipy_sparse import sparse
from deixis.store.cache import cached_arrays
from deixis.store.checks import check_length, require
from deixis.store.strings import StringTable

Floats = NDArray[np.float32]
SMOOTHING = 5e-4  # share of the text at which a piece counts half (decision 21)
MAX_PIECES = 512  # of a text
RECIPE = 1  # one more whenever `distil` gives other vectors: those kept from before are then not taken
_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_BATCH, _BLOCK = 512, 4096  # pieces encoded, texts encoded at a time


class StaticEncoder:
    """Texts with pieces of like meaning get vectors with a large dot product; the order of the words is not seen."""

    def __init__(self, pieces: Sequence[str], vectors: Floats) -> None:
        self._names = pieces
        self._pieces = WordPieces({piece: row for row, piece in enumerate(pieces)}, MAX_PIECES)
        self._vectors = vectors

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return int(self._vectors.shape[1])

    @classmethod
    def fit(
        cls,
        names: StringTable,
        texts: StringTable | None = None,
        config: EncoderConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
    ) -> StaticEncoder:
        """The encoder distilled from MiniLM (extra `minilm`): nothing is learned from names.

        The first time it takes less than a minute; then it is kept in the user's cache folder.
        """
        del names, texts, seed, n_threads
        config = config or EncoderConfig()
        made_of = [str(RECIPE), DIGEST, str(SMOOTHING), str(config.n_dims), *vocabulary(package_folder())]
        arrays = cached_arrays(
            "static", made_of, lambda: cls.distil(MiniLmEncoder(), config.n_dims).to_arrays("static")
        )
        return cls.from_arrays(arrays, "static", config)

    @classmethod
    def distil(cls, encoder: MiniLmEncoder, n_dims: int = 256) -> StaticEncoder:
        """Vectors of the encoder's pieces, of `n_dims` numbers or as many as it has."""
        piece_to_number = {
            piece: number for piece, number in encoder.pieces.piece_to_number.items() if not piece.startswith("[unused")
        }
        numbers = np.fromiter(piece_to_number.values(), np.int64, len(piece_to_number))
        begin, end = (piece_to_number[mark] for mark in ("[CLS]", "[SEP]"))
        framed = np.column_stack([np.full_like(numbers, begin), numbers, np.full_like(numbers, end)])
        starts = track(range(0, len(framed), _BATCH), "distilling word pieces")
        means = np.concatenate([encoder.model.means(framed[start : start + _BATCH]) for start in starts])
        vectors = _principal(means, n_dims) * _weights(len(piece_to_number))[:, None]
        vectors[[row for row, piece in enumerate(piece_to_number) if piece in _MARKS]] = 0
        return cls(list(piece_to_number), vectors.astype(np.float32))

    def encode(self, texts: Sequence[str], /) -> Floats:
        """texts_by_dims: rows of length one, or zero for a text of which no piece is known."""
        blocks = [self._encode_block(texts[start : start + _BLOCK]) for start in range(0, len(texts), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.n_dims), dtype=np.float32)

    def _encode_block(self, texts: Sequence[str]) -> Floats:
        cut = [self._pieces.cut(text) for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(numbers) for numbers in cut])])
        pieces = np.fromiter((number for numbers in cut for number in numbers), np.int32, starts[-1])
        ones = np.ones(len(pieces), dtype=np.float32)
        texts_by_pieces = sparse.csr_matrix((ones, pieces, starts), shape=(len(texts), len(self._vectors)))
        # Sums in the order of the pieces, so a text has the same vector whatever it is encoded with.
        return unit_rows(texts_by_pieces @ self._vectors)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Pieces and vectors under names that begin with `prefix`."""
        names = StringTable.from_strings(self._names).to_arrays(f"{prefix}.pieces")
        return names | {f"{prefix}.vectors": self._vectors}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: EncoderConfig) -> StaticEncoder:
        """The encoder `to_arrays` gave."""
        del config
        pieces = list(StringTable.from_arrays(arrays, f"{prefix}.pieces"))
        vectors = require(arrays, f"{prefix}.vectors", np.float32, 2)
        check_length(f"{prefix}.vectors", vectors, len(pieces))
        missing = sorted({"[UNK]", "[CLS]", "[SEP]"} - set(pieces))
        if missing:
            raise StoreError(
                f"The pieces '{prefix}.pieces.*' have no {missing[0]}. The model is damaged; build it again."
            )
        return cls(pieces, vectors)


def _principal(rows: Floats, n_dims: int) -> NDArray[np.float64]:
    """The rows on their first principal components, largest first; signs are fixed, so they do not depend on LAPACK."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :n_dims]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    projected: NDArray[np.float64] = centred @ (axes * np.sign(largest))
    return projected


def _weights(n_pieces: int) -> NDArray[np.float64]:
    """How much each piece counts, the most frequent first (Zipf's law)."""
    frequencies = 1 / np.arange(2.0, n_pieces + 2)
    weights: NDArray[np.float64] = SMOOTHING / (SMOOTHING + frequencies / frequencies.sum())
    return weights
