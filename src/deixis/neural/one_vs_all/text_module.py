"""A SentenceTransformer as the encoder of ELIAS or of one-versus-all: texts in, vectors with slopes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn
from torch.nn import functional

from deixis.neural.batches import TrainableEncoder
from deixis.neural.one_vs_all.config import TextConfig
from deixis.neural.quiet import quiet
from deixis.neural.sentence_encoder import as_onnx, open_sentence_transformer
from deixis.progress import steps
from deixis.xmr.text_vectors import TextVectors


class TextModule(TrainableEncoder):
    """Vectors of texts, each of the length `scale` and followed by the constant `scale`."""

    n_at_once = 64

    def __init__(
        self, model: SentenceTransformer, scale: float = 10.0, learning_rate: float = 5e-5, n_features: int = 0
    ) -> None:
        super().__init__()
        self.model, self.scale, self.own_rate, self.n_features = model, scale, learning_rate, n_features

    @property
    def n_dims(self) -> int:
        """Length of a vector, the constant at its end included."""
        return int(self.model.get_embedding_dimension() or 0) + 1

    def vectors(self, inputs: Sequence[str], rows: NDArray[Any]) -> Tensor:
        """docs_by_dims of these texts."""
        tokens = self.model.preprocess([inputs[int(row)] for row in rows])
        vectors = functional.normalize(self.model(tokens)["sentence_embedding"])
        return torch.cat([vectors, vectors.new_ones(len(vectors), 1)], dim=1) * self.scale

    def dense_parameters(self) -> list[nn.Parameter]:
        """Those of the whole model."""
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def frozen(self) -> TextVectors:
        """The model as an ONNX graph."""
        with quiet():
            self.model.eval()
            return TextVectors(as_onnx(self.model), self.scale, self.n_dims, self.n_features)


class FixedTextModule(TextModule):
    """The same for a model that stays as it is: each text is encoded once."""

    _cached: Tensor | None = None

    def vectors(self, inputs: Sequence[str], rows: NDArray[Any]) -> Tensor:
        """docs_by_dims of these texts; all are encoded at the first call."""
        if self._cached is None:
            self._cached = self._all(inputs)
        return self._cached[torch.from_numpy(np.asarray(rows, dtype=np.int64))]

    def _all(self, inputs: Sequence[str]) -> Tensor:
        self.model.eval()
        parts = []
        with torch.no_grad(), steps("encoding texts", len(inputs)) as advance:
            for start in range(0, len(inputs), self.n_at_once):
                rows = np.arange(start, min(start + self.n_at_once, len(inputs)))
                parts.append(super().vectors(inputs, rows))
                advance(len(rows), "")
        return torch.cat(parts)

    def train(self, mode: bool = True) -> Self:  # noqa: ARG002 - torch's signature
        """Itself, as it was: nothing is dropped from a model that does not learn."""
        return self

    def dense_parameters(self) -> list[nn.Parameter]:
        """None: it does not learn."""
        return []


def open_text_module(name: str, config: TextConfig, scale: float, n_features: int) -> TextModule:
    """The encoder of a name: `minilm`, the folder of a SentenceTransformer, or a name of the hub."""
    with quiet():
        model = open_sentence_transformer(name)
    model.max_seq_length = min(model.max_seq_length or config.max_tokens, config.max_tokens)
    kind = TextModule if config.learning_rate > 0 else FixedTextModule
    return kind(model, scale, config.learning_rate, n_features)
