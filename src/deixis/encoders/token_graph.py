"""An ONNX graph over tokens and the tokenizer that goes with it: texts in, rows of numbers out, without torch.

Both are bytes, kept with a model as arrays. Texts of like length go through together, so little is padded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from deixis.errors import DataError

Bytes = NDArray[np.uint8]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
BATCH = 2048  # tokens at a time, padding counted: more are no faster on a processor


class TokenGraph:
    """Runs texts, or pairs of texts, through a graph with one output, one row for each.

    A row is the same whatever else is in the batch, up to rounding. No `n_threads` are as many as there are cores.
    """

    def __init__(self, graph: Bytes, tokenizer: Bytes, n_threads: int = 1) -> None:
        self.graph = graph
        self.tokenizer = _tokenizer(tokenizer.tobytes())
        self._session = _session(graph.tobytes(), n_threads)
        self._inputs = [each.name for each in self._session.get_inputs()]
        outputs = self._session.get_outputs()
        if not {"input_ids", "attention_mask"} <= set(self._inputs) <= set(INPUTS) or len(outputs) != 1:
            raise DataError(
                f"The ONNX graph takes {', '.join(self._inputs)} and gives {len(outputs)} output(s). It must take "
                "input_ids, attention_mask and perhaps token_type_ids, and give one output. Export it with "
                "deixis.neural.onnx_export."
            )
        self.shape: list[int | str] = outputs[0].shape

    @cached_property
    def digest(self) -> str:
        """SHA-256 of graph and tokenizer, in hexadecimal."""
        digest = hashlib.sha256(self.graph.data)
        digest.update(self._tokenizer_bytes())
        return digest.hexdigest()

    def rows(self, texts: Iterable[str | tuple[str, str]]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Places of texts and what the graph gives for them, batch by batch, shortest texts first."""
        encoded = self.tokenizer.encode_batch([_encodable(text) for text in texts])
        for numbers in batches([len(encoding.ids) for encoding in encoded]):
            yield numbers, self.run([encoded[number] for number in numbers])

    def run(self, encoded: Sequence[Encoding]) -> NDArray[np.float32]:
        """What the graph gives for encoded texts, padded to the longest."""
        fed = padded(encoded)
        try:
            (output,) = self._session.run(None, {name: fed[name] for name in self._inputs})
        except Exception as error:  # the library's kinds of errors have no name in common
            raise DataError(
                f"The ONNX graph does not take texts of {fed['input_ids'].shape[1]} tokens ({str(error):.200}). "
                "Lower the tokenizer's limit (its 'truncation')."
            ) from error
        return np.asarray(output, dtype=np.float32)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Graph and tokenizer as bytes, under names that begin with `prefix`."""
        return {
            f"{prefix}.onnx": self.graph,
            f"{prefix}.tokenizer": np.frombuffer(self._tokenizer_bytes(), np.uint8),
        }

    def _tokenizer_bytes(self) -> bytes:
        stored: str = self.tokenizer.to_str()
        return stored.encode("utf-8")


def padded(encoded: Sequence[Encoding]) -> dict[str, NDArray[np.int64]]:
    """texts_by_tokens: ids, mask and types, filled up with zeros."""
    shape = len(encoded), max([1, *(len(encoding.ids) for encoding in encoded)])
    fed = {name: np.zeros(shape, dtype=np.int64) for name in INPUTS}
    for row, encoding in enumerate(encoded):
        n = len(encoding.ids)
        fed["input_ids"][row, :n] = encoding.ids
        fed["attention_mask"][row, :n] = 1
        fed["token_type_ids"][row, :n] = encoding.type_ids
    return fed


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts, shortest first, in batches of about `BATCH` tokens."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[number] > BATCH:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _session(graph: bytes, n_threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised; nothing else is to be said
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's kinds of errors have no name in common
        raise DataError(f"Not an ONNX graph that onnxruntime can open ({str(error):.200}).") from error


def _tokenizer(stored: bytes) -> Tokenizer:
    """The tokenizer of the bytes of a tokenizer.json; it pads nothing."""
    try:
        tokenizer = Tokenizer.from_buffer(stored)
    except Exception as error:  # the library raises nothing more precise
        raise DataError(f"Not a tokenizer.json of the 'tokenizers' library ({str(error):.200}).") from error
    tokenizer.no_padding()
    return tokenizer


def _encodable(text: str | tuple[str, str]) -> str | tuple[str, str]:
    """The text or pair; half a character, which has no bytes in UTF-8, becomes a question mark."""
    if isinstance(text, tuple):
        return _whole(text[0]), _whole(text[1])
    return _whole(text)


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
