"""Sentence vectors that are computed once and stay as they are: MiniLM's, of the first tokens of each document."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.xmc.datasets import read_dataset
from benchmarks.xmc.matrices import CACHE, drawn
from deixis.encoders.minilm import MiniLmEncoder
from deixis.neural.batches import TrainableEncoder


@dataclass(frozen=True, eq=False)
class Vectors:
    """docs_by_dims of one part, and the CPU seconds that a document took."""

    docs_by_dims: NDArray[np.float32]
    cpu_each: float


def minilm_vectors(dataset: str, part: str, n_documents: int | None, n_words: int) -> Vectors:
    """The vectors of a part's documents, cut after so many words; kept under `build/xmc`.

    `n_documents` are drawn as `matrices` draws training documents; None takes all.
    """
    path = CACHE / f"{dataset}-{part}-{n_documents or 'all'}-minilm-{n_words}.npz"
    if not path.exists():
        texts = list(read_dataset(dataset).part(part).texts)
        rows = range(len(texts)) if n_documents is None else drawn(len(texts), n_documents).tolist()
        cut = [" ".join(texts[row].split()[:n_words]) for row in rows]
        encoder, started = MiniLmEncoder(), time.process_time()
        vectors = encoder.encode(cut)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, docs_by_dims=vectors, cpu_each=(time.process_time() - started) / len(cut))
    stored = np.load(path)
    return Vectors(stored["docs_by_dims"], float(stored["cpu_each"]))


class FixedModule(TrainableEncoder):
    """Takes docs_by_dims for its inputs: each of length `scale`, followed by the constant `scale`."""

    def __init__(self, n_dims: int, scale: float) -> None:
        super().__init__()
        self.scale, self._n_dims = scale, n_dims + 1

    @property
    def n_dims(self) -> int:
        """Length of a vector, the constant at its end included."""
        return self._n_dims

    def vectors(self, inputs: NDArray[np.float32], rows: NDArray[np.int64]) -> Tensor:
        """docs_by_dims of these rows."""
        return torch.from_numpy(self.encode(inputs[rows]))

    def encode(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same without torch."""
        return np.hstack([inputs, np.ones((len(inputs), 1), dtype=np.float32)]) * np.float32(self.scale)

    def frozen(self) -> FixedModule:
        """Itself."""
        return self
