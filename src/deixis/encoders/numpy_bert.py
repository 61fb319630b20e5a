"""The forward pass of a BERT encoder in NumPy, enough to encode short texts without a deep-learning framework.

Devlin et al., 2019, "BERT: Pre-training of Deep Bidirectional Transformers". Texts of one length go through together,
so nothing is padded and no mask is needed. Most of the time goes into products of matrices, which are NumPy's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from deixis.errors import DataError

Floats = NDArray[np.float32]
_SAFETENSORS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8")}


class BertModel:
    """Mean of the last layer's vectors over all pieces of a text."""

    def __init__(self, weights: Mapping[str, Floats], n_heads: int, epsilon: float = 1e-12) -> None:
        self.n_heads = n_heads
        self.epsilon = epsilon
        self._weights = weights
        self.n_layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
        self._inputs = [self._attention_input(layer) for layer in range(self.n_layers)]

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return int(self._weights["embeddings.word_embeddings.weight"].shape[1])

    def means(self, pieces: NDArray[np.integer]) -> Floats:
        """texts_by_dims, for texts_by_pieces: the numbers of the pieces, as many in each text."""
        weights, n_pieces = self._weights, pieces.shape[1]
        states = weights["embeddings.word_embeddings.weight"][pieces]
        states = states + weights["embeddings.position_embeddings.weight"][:n_pieces]
        states = states + weights["embeddings.token_type_embeddings.weight"][0]
        states = self._normed(states.reshape(-1, self.n_dims), "embeddings.LayerNorm")
        for layer in range(self.n_layers):
            states = self._layer(states, layer, n_pieces)
        return np.asarray(states.reshape(-1, n_pieces, self.n_dims).mean(axis=1))

    def _layer(self, states: Floats, layer: int, n_pieces: int) -> Floats:
        name = f"encoder.layer.{layer}"
        seen = self._dense(self._attended(states, layer, n_pieces), f"{name}.attention.output.dense")
        states = self._normed(states + seen, f"{name}.attention.output.LayerNorm")
        hidden = self._dense(states, f"{name}.intermediate.dense")
        hidden *= np.float32(0.5) * (1 + erf(hidden * np.float32(2**-0.5)))  # GELU
        return self._normed(states + self._dense(hidden, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attended(self, states: Floats, layer: int, n_pieces: int) -> Floats:
        matrix, bias = self._inputs[layer]
        size = self.n_dims // self.n_heads
        parts = (states @ matrix + bias).reshape(-1, n_pieces, 3, self.n_heads, size).transpose(2, 0, 3, 1, 4)
        queries, keys, values = parts
        scores = queries @ keys.swapaxes(2, 3) / np.float32(np.sqrt(size))
        probabilities = np.exp(scores - scores.max(axis=-1, keepdims=True))
        probabilities /= probabilities.sum(axis=-1, keepdims=True)
        return np.asarray((probabilities @ values).transpose(0, 2, 1, 3).reshape(-1, self.n_dims))

    def _attention_input(self, layer: int) -> tuple[Floats, Floats]:
        """The three projections of attention as one matrix."""
        name = f"encoder.layer.{layer}.attention.self"
        parts = [
            (self._weights[f"{name}.{p}.weight"], self._weights[f"{name}.{p}.bias"]) for p in ("query", "key", "value")
        ]
        matrix = np.ascontiguousarray(np.concatenate([weight for weight, _ in parts]).T)
        return matrix, np.concatenate([bias for _, bias in parts])

    def _dense(self, states: Floats, name: str) -> Floats:
        return np.asarray(states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normed(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        centred /= np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        return np.asarray(centred * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file, memory-mapped."""
    raw = np.memmap(path, np.uint8, "r")
    try:
        start = 8 + int(raw[:8].view(np.uint64)[0])
        entries = json.loads(raw[8:start].tobytes())
        entries.pop("__metadata__", None)
        return {name: _array(raw[start:], entry) for name, entry in entries.items()}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise DataError(f"not a safetensors file of 16- or 32-bit numbers ({error})", path=path) from error


def _array(raw: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    array: NDArray[Any] = raw[begin:end].view(_SAFETENSORS[entry["dtype"]])
    return array.reshape(entry["shape"])
