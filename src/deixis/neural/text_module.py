"""A SentenceTransformer as the encoder of ELIAS: texts in, vectors with slopes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn
from torch.nn import functional

from deixis.features.encoders.onnx import OnnxEncoder
from deixis.neural.onnx_export import encoder_to_onnx
from deixis.neural.quiet import quiet
from deixis.neural.sentence_encoder import tokenizer_bytes
from deixis.neural.trainable_encoder import TrainableEncoder
from deixis.xmr.text_vectors import TextVectors


class TextModule(TrainableEncoder):
    """Vectors of texts, each of the length `scale` and followed by the constant `scale`."""

    def __init__(self, model: SentenceTransformer, scale: float = 10.0, learning_rate: float = 5e-5) -> None:
        super().__init__()
        self.model, self.scale, self.own_rate = model, scale, learning_rate

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
            encoder = OnnxEncoder(encoder_to_onnx(self.model), tokenizer_bytes(self.model))
        return TextVectors(encoder, self.scale, self.n_dims)
