"""A cross-encoder at work, without torch: pairs of texts to one number each, by onnxruntime.

The graph and the tokenizer are bytes, as a model keeps them. Pairs of like length go through together, so little is
padded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from deixis.errors import StoreError
from deixis.neural.pairs import Pair
from deixis.progress import track
from deixis.store.checks import require

BATCH = 16  # pairs that go through together: more are no faster on a processor


class OnnxPairScorer:
    """A trained cross-encoder: a graph whose inputs are tokens and whose output is one logit for each pair."""

    def __init__(self, graph: NDArray[np.uint8], tokenizer: NDArray[np.uint8], n_threads: int = 0) -> None:
        self.graph = graph
        self.tokenizer = tokenizer
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = n_threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(graph.tobytes(), options, providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_buffer(tokenizer.tobytes())
        except Exception as error:  # neither library raises anything more precise
            raise StoreError(f"The cross-encoder is damaged ({error}). Learn it again.") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._inputs = {each.name for each in self._session.get_inputs()}

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """A logit for each pair; the same whatever other pairs there are, up to rounding."""
        encoded = self._tokenizer.encode_batch(list(pairs))
        order = np.argsort([len(encoding.ids) for encoding in encoded], kind="stable")
        logits = np.empty(len(pairs), dtype=np.float32)
        for start in track(range(0, len(order), BATCH), "re-ranking"):
            chosen = order[start : start + BATCH]
            logits[chosen] = self._logits([encoded[number] for number in chosen])
        return logits

    def _logits(self, encoded: Sequence[Encoding]) -> NDArray[np.float32]:
        shape = len(encoded), max(len(encoding.ids) for encoding in encoded)
        ids, types, mask = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for row, encoding in enumerate(encoded):
            n = len(encoding.ids)
            ids[row, :n], types[row, :n], mask[row, :n] = encoding.ids, encoding.type_ids, 1
        given = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        (logits,) = self._session.run(None, {name: given[name] for name in self._inputs})
        return np.asarray(logits, dtype=np.float32).reshape(len(encoded))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The graph and the tokenizer as bytes under names that begin with `prefix`."""
        return {f"{prefix}.onnx": self.graph, f"{prefix}.tokenizer": self.tokenizer}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_threads: int = 0) -> OnnxPairScorer:
        """The scorer `to_arrays` gave."""
        graph, tokenizer = (require(arrays, f"{prefix}.{name}", np.uint8) for name in ("onnx", "tokenizer"))
        return cls(graph, tokenizer, n_threads)
