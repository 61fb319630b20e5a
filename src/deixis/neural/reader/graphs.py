"""A trained retriever and reader as ONNX graphs: used without torch, kept with a model as arrays of bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from deixis.encoders.token_graph import TokenGraph, batches
from deixis.errors import DataError, StoreError
from deixis.store.checks import require

Bytes = NDArray[np.uint8]


class OnnxNumbers:
    """What `Reader` asks of an encoder, by onnxruntime: one graph for the retriever, one for the reader."""

    def __init__(self, states: Bytes | None, numbers: Bytes, tokenizer: Bytes, n_threads: int = 1) -> None:
        self.tokenizer = tokenizer
        self._graphs: dict[str, TokenGraph] = {}
        for name, graph in (("states", states), ("numbers", numbers)):
            if graph is None:
                continue
            try:
                self._graphs[name] = TokenGraph(graph, tokenizer, n_threads)
            except DataError as error:
                raise StoreError(f"The reader is damaged ({error}). Learn it again.") from error

    def states(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_dims of each text."""
        return per_token(encoded, self._graphs["states"].run)

    def numbers(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_3 of each pair."""
        return per_token(encoded, self._graphs["numbers"].run)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Graphs and tokenizer as bytes under names that begin with `prefix`."""
        graphs = {f"{prefix}.{name}": graph.graph for name, graph in self._graphs.items()}
        return graphs | {f"{prefix}.tokenizer": self.tokenizer}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_threads: int = 1) -> OnnxNumbers:
        """What `to_arrays` gave."""
        states = require(arrays, f"{prefix}.states", np.uint8) if f"{prefix}.states" in arrays else None
        numbers, tokenizer = (require(arrays, f"{prefix}.{name}", np.uint8) for name in ("numbers", "tokenizer"))
        return cls(states, numbers, tokenizer, n_threads)


def per_token(
    encoded: Sequence[Encoding], run: Callable[[list[Encoding]], NDArray[np.float32]]
) -> list[NDArray[np.float32]]:
    """The rows that `run` gives for the tokens of each text; texts of like length go through it together."""
    outputs: list[NDArray[np.float32]] = [np.zeros((0, 0), np.float32)] * len(encoded)
    for numbers in batches([len(encoding.ids) for encoding in encoded]):
        rows = run([encoded[number] for number in numbers])
        for number, row in zip(numbers, rows, strict=True):
            outputs[number] = row[: len(encoded[number].ids)]
    return outputs
