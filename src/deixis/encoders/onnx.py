"""A sentence encoder as an ONNX graph, run by onnxruntime: neural vectors without torch.

The graph takes tokens and gives the pooled vectors; `neural/onnx_export` makes such graphs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deixis.encoders.token_graph import Bytes, TokenGraph
from deixis.encoders.unit_rows import unit_rows
from deixis.errors import DataError
from deixis.store.checks import require

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
MAX_TOKENS = 512  # of a text, where neither the tokenizer nor the folder says
_LIMITS = {
    "sentence_bert_config.json": "max_seq_length",
    "tokenizer_config.json": "model_max_length",
    "config.json": "max_position_embeddings",
}

_COUNT_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")  # kinds whose first place is after padding's


class OnnxEncoder:
    """Vectors by a graph and its tokenizer; a text's are the same up to 1e-5 whatever is encoded with it."""

    def __init__(self, model: Path | bytes | Bytes, tokenizer: Path | bytes | Bytes, n_threads: int = 1) -> None:
        self._graph = TokenGraph(_bytes(model), _bytes(tokenizer), max(1, n_threads))
        shape = self._graph.shape
        if len(shape) != 2 or not isinstance(shape[1], int):
            raise DataError(
                f"The ONNX graph gives rows of shape {shape}, where texts by a number of dimensions is needed: pooling "
                "must be in the graph. Export it with deixis.neural.onnx_export."
            )
        self.n_dims: int = shape[1]
        if self._graph.tokenizer.truncation is None:
            self._graph.tokenizer.enable_truncation(MAX_TOKENS)

    @classmethod
    def from_folder(cls, folder: Path, n_threads: int = 1) -> OnnxEncoder:
        """The encoder of a folder with `model.onnx` and `tokenizer.json`."""
        for name in (GRAPH, TOKENIZER):
            if not (folder / name).is_file():
                raise DataError(f"is no ONNX encoder: it has no {name}. Check the path", path=folder)
        encoder = cls(folder / GRAPH, folder / TOKENIZER, n_threads)
        limits = list(_limits(folder))
        if limits:
            encoder._graph.tokenizer.enable_truncation(min(limits))
        return encoder

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts texts into tokens."""
        return self._graph.tokenizer

    def save(self, folder: Path) -> None:
        """Write the files that `from_folder` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        arrays = self.to_arrays("x")
        for name, array in ((GRAPH, arrays["x.onnx"]), (TOKENIZER, arrays["x.tokenizer"])):
            (folder / name).write_bytes(array.tobytes())

    @property
    def digest(self) -> str:
        """SHA-256 of graph and tokenizer, in hexadecimal."""
        return self._graph.digest

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """texts_by_dims: rows of length one."""
        vectors = np.zeros((len(texts), self.n_dims), dtype=np.float32)
        for numbers, rows in self._graph.rows(texts):
            vectors[numbers] = rows
        return unit_rows(vectors)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Graph and tokenizer as bytes, under names that begin with `prefix`."""
        return self._graph.to_arrays(prefix)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_threads: int = 1) -> OnnxEncoder:
        """The encoder `to_arrays` gave."""
        graph, tokenizer = (require(arrays, f"{prefix}.{name}", np.uint8) for name in ("onnx", "tokenizer"))
        return cls(graph, tokenizer, n_threads)


def _limits(folder: Path) -> Iterator[int]:
    """How many tokens a text may have, by each file of the folder that says."""
    for name, key in _LIMITS.items():
        if (folder / name).is_file():
            settings = json.loads((folder / name).read_text(encoding="utf-8"))
            limit = settings.get(key)
            if isinstance(limit, int):
                yield limit - (
                    settings.get("pad_token_id", 1) + 1 if settings.get("model_type") in _COUNT_FROM_PADDING else 0
                )


def _bytes(source: Path | bytes | Bytes) -> Bytes:
    if not isinstance(source, Path):
        return np.frombuffer(source, np.uint8)
    try:
        return np.frombuffer(source.read_bytes(), np.uint8)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}). Check the path", path=source) from error
