"""One encoder for mentions and entities, on sentence-transformers (imports torch).

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", sections 4.1 and 5.1: the name is marked on
both sides by a token of its own, both in a mention's window and in an entity's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import CrossEncoder, SentenceTransformer
from tokenizers import AddedToken

from deixis.encoders.config import MARKER
from deixis.encoders.onnx import GRAPH
from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.texts import BiTexts
from deixis.neural.onnx_export import encoder_to_onnx
from deixis.neural.sentence_encoder import open_sentence_transformer, tokenizer_bytes
from deixis.neural.windows import TokenWindows
from deixis.progress import steps

_CHUNK, _BATCH = 512, 64  # texts between two words of progress; texts in a forward pass


class BiEncoder:
    """Encodes mentions and entities as vectors of one space; `texts` makes its input texts."""

    def __init__(self, model: SentenceTransformer, n_tokens: int = 64) -> None:
        self.model = model
        self.texts = BiTexts(TokenWindows.from_bytes(tokenizer_bytes(model)), n_tokens)
        model.max_seq_length = n_tokens + model.tokenizer.num_special_tokens_to_add()  # nothing is cut behind our back
        check_length(model, model.max_seq_length, "n_tokens, with the tokens around a text,")

    @classmethod
    def open(cls, name: str | Path, n_tokens: int = 64, n_layers: int = 0) -> BiEncoder:
        """The encoder that `name` says, with markers: `minilm`, a folder or a hub name of sentence-transformers."""
        model = open_sentence_transformer(name)
        if n_layers:
            keep_layers(model, n_layers)
        add_marker(model)
        return cls(model, n_tokens)

    def encode(self, texts: Sequence[str], label: str = "encoding") -> NDArray[np.float32]:
        """texts_by_dims: rows of length one."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))  # texts of a length waste no room
        vectors = np.empty((len(texts), int(self.model.get_embedding_dimension() or 0)), dtype=np.float32)
        with steps(label, len(texts)) as advance:
            for start in range(0, len(order), _CHUNK):
                numbers = order[start : start + _CHUNK]
                vectors[numbers] = self.model.encode(
                    [texts[number] for number in numbers],
                    batch_size=_BATCH,
                    show_progress_bar=False,
                    normalize_embeddings=True,
                )
                advance(len(numbers), "")
        return vectors

    def encode_entities(
        self, kb: KnowledgeBase, label: str = "encoding"
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """texts_by_dims, one row for each description, and the rows of the knowledge base they belong to."""
        texts, rows = self.texts.of_entities(kb)
        return self.encode(texts, label), rows

    def save(self, folder: Path, with_graph: bool = False) -> None:
        """Write a SentenceTransformer folder; with the ONNX graph beside it, the encoder is used without torch."""
        self.model.save(str(folder), create_model_card=False)
        if with_graph:
            (folder / GRAPH).write_bytes(encoder_to_onnx(self.model))


def add_marker(model: SentenceTransformer | CrossEncoder, marker: str = MARKER) -> None:
    """Make the marker a token of its own, if it is none yet; its vector begins as the mean of all."""
    if marker in model.tokenizer.get_vocab():
        return
    # The space before it is its own: to sentence pieces it would be a token.
    token = AddedToken(marker, lstrip=True, normalized=False, special=True)
    model.tokenizer.add_tokens([token], special_tokens=True)
    inner = inner_model(model)
    words = inner.get_input_embeddings().weight
    mean = words.detach().mean(dim=0)
    inner.resize_token_embeddings(max(len(model.tokenizer), len(words)), mean_resizing=False)
    with torch.no_grad():
        inner.get_input_embeddings().weight[model.tokenizer.convert_tokens_to_ids(marker)] = mean


def keep_layers(model: SentenceTransformer, n_layers: int) -> None:
    """Cut all layers but the first ones off a model built like BERT."""
    inner = inner_model(model)
    layers = getattr(getattr(inner, "encoder", None), "layer", None)
    if layers is None:
        raise ConfigError(f"n_layers needs an encoder built like BERT, not {type(inner).__name__}; leave it at 0.")
    if not 1 <= n_layers <= len(layers):
        raise ConfigError(f"n_layers must lie in 1..{len(layers)}, or be 0 for all, got {n_layers}.")
    inner.encoder.layer = layers[:n_layers]
    inner.config.num_hidden_layers = n_layers


def check_length(model: SentenceTransformer | CrossEncoder, n_tokens: int, name: str) -> None:
    """Raise an error if the model has no places for that many tokens; XLM-R's begin after that of its padding."""
    inner = inner_model(model)
    longest = getattr(inner.config, "max_position_embeddings", None)
    if longest is None:
        return
    for part_name, part in inner.named_modules():
        if part_name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None:
            longest -= part.padding_idx + 1
    if n_tokens > longest:
        raise ConfigError(f"{name} is {n_tokens}, and the encoder reads {longest}. Choose a smaller number.")


def inner_model(model: SentenceTransformer | CrossEncoder) -> Any:  # noqa: ANN401 - a class of transformers
    """The transformer inside; an error if there is none."""
    inner = model.transformers_model
    if inner is None:
        raise DataError("The encoder has no transformer inside, so it cannot be trained here; choose another.")
    return inner
