"""A cross-encoder at work, without torch: pairs of texts to one number each, by onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.token_graph import TokenGraph
from deixis.errors import DataError, StoreError
from deixis.neural.cross_encoder.pairs import Pair
from deixis.progress import steps
from deixis.store.checks import require


class OnnxPairScorer:
    """A trained cross-encoder: a graph whose inputs are tokens and whose output is one logit for each pair."""

    def __init__(self, graph: NDArray[np.uint8], tokenizer: NDArray[np.uint8], n_threads: int = 0) -> None:
        self.graph = graph
        self.tokenizer = tokenizer
        try:
            self._graph = TokenGraph(graph, tokenizer, n_threads)
        except DataError as error:
            raise StoreError(f"The cross-encoder is damaged ({error}). Learn it again.") from error
        self._graph.tokenizer.no_truncation()

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """A logit for each pair; the same whatever other pairs there are, up to rounding."""
        logits = np.empty(len(pairs), dtype=np.float32)
        with steps("re-ranking", len(pairs)) as advance:
            for places, found in self._graph.rows(pairs):
                logits[places] = found.reshape(len(places))
                advance(len(places), "")
        return logits

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The graph and the tokenizer as bytes under names that begin with `prefix`."""
        return {f"{prefix}.onnx": self.graph, f"{prefix}.tokenizer": self.tokenizer}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_threads: int = 0) -> OnnxPairScorer:
        """The scorer `to_arrays` gave."""
        graph, tokenizer = (require(arrays, f"{prefix}.{name}", np.uint8) for name in ("onnx", "tokenizer"))
        return cls(graph, tokenizer, n_threads)
