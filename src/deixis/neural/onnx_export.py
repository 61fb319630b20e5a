"""Trained models as ONNX graphs: bytes that onnxruntime opens without torch, weights and pooling inside.

Torch has two exporters. The one that traces is taken: its graphs run a fifth quicker here, are made in a second, and do
not carry the paths of the machine that made them (decision 21). A trace follows one example, so the example has
padding, and each graph is run once on other shapes and compared with torch before it is given away.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnxruntime
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from transformers import PreTrainedModel

from deixis.encoders.token_graph import INPUTS
from deixis.errors import ConfigError, DataError

OPSET = 18
MAX_DIFFERENCE = 1e-3  # between torch and the graph, of numbers of about one
_MAX_EXAMPLE = 32  # tokens
_EXAMPLE = (["a much longer text than the other one", "short"], ["another text to stand beside it", "b"])


def encoder_to_onnx(encoder: SentenceTransformer) -> bytes:
    """The graph texts_by_tokens -> texts_by_dims, with pooling and what else follows in the encoder."""
    return _exported(_Vectors(encoder), _tokens(encoder, _EXAMPLE[0]), "vectors")


def pair_scorer_to_onnx(model: CrossEncoder) -> bytes:
    """The graph pairs_by_tokens -> one logit per pair, before any sigmoid."""
    if model.model is None or model.num_labels != 1:
        raise ConfigError(f"A pair scorer gives one number per pair, but this one gives {model.num_labels}.")
    return _exported(_Logits(model.model), _tokens(model, *_EXAMPLE), "logits")


def per_token_to_onnx(
    module: torch.nn.Module,
    tokenizer: Any,  # noqa: ANN401 - a class of transformers
    output: str,
    is_pair: bool,
) -> bytes:
    """The graph of a module that takes tensors one by one and gives a row of numbers for each token."""
    texts = _EXAMPLE if is_pair else _EXAMPLE[:1]
    return _exported(module, _encoded(tokenizer, *texts), output, is_per_token=True)


def _tokens(model: SentenceTransformer | CrossEncoder, *texts: list[str]) -> dict[str, torch.Tensor]:
    """The example as the model reads it; however few its pieces are, it has no more tokens than any model reads."""
    return _encoded(model.tokenizer, *texts)


def _encoded(tokenizer: Any, *texts: list[str]) -> dict[str, torch.Tensor]:  # noqa: ANN401 - as above
    tokens: dict[str, torch.Tensor] = tokenizer(
        *texts, padding=True, truncation=True, max_length=_MAX_EXAMPLE, return_tensors="pt"
    )
    return tokens


class _Vectors(torch.nn.Module):
    """An encoder that takes tensors one by one, as graphs do."""

    def __init__(self, encoder: SentenceTransformer) -> None:
        super().__init__()
        self.inner = encoder

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = self.inner(dict(zip(INPUTS, tensors, strict=False)))["sentence_embedding"]
        return vectors


class _Logits(torch.nn.Module):
    """The same for a model that classifies pairs."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.inner = model

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.inner(**dict(zip(INPUTS, tensors, strict=False))).logits
        return logits.squeeze(-1)


def _exported(
    module: torch.nn.Module, example: dict[str, torch.Tensor], output: str, is_per_token: bool = False
) -> bytes:
    names = [name for name in INPUTS if name in example]
    tensors = tuple(example[name].to("cpu") for name in names)
    graph, both = io.BytesIO(), {0: "batch", 1: "length"}
    with _ready_to_trace(module), torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the exporter is not the newest, and that a trace is a trace
        torch.onnx.export(
            module,
            tensors,
            graph,  # the tracing exporter writes to open files too
            dynamo=False,
            opset_version=OPSET,
            input_names=names,
            output_names=[output],
            dynamic_axes={name: both for name in names} | {output: both if is_per_token else {0: "batch"}},
        )
        _check(module, graph.getvalue(), dict(zip(names, tensors, strict=True)))
    return graph.getvalue()


@contextmanager
def _ready_to_trace(module: torch.nn.Module) -> Iterator[None]:
    """For a while the module is on the CPU, does not train, and writes attention out, which runs quicker as a graph."""
    was_training, device = module.training, next(module.parameters()).device
    inner = [part for part in module.modules() if isinstance(part, PreTrainedModel)][:1]
    attention = [part.config._attn_implementation for part in inner]
    module.eval().to("cpu")
    try:
        for part in inner:
            part.set_attn_implementation("eager")
        yield
    finally:
        for part, own in zip(inner, attention, strict=True):
            part.set_attn_implementation(own)
        module.train(was_training).to(device)


def _check(module: torch.nn.Module, graph: bytes, example: dict[str, torch.Tensor]) -> None:
    """Texts one by one, of other lengths and without padding, have the same numbers from the graph as from torch."""
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    for row, mask in enumerate(example["attention_mask"].bool()):
        alone: dict[str, Any] = {name: tensor[row : row + 1, mask] for name, tensor in example.items()}
        expected = module(*alone.values()).numpy()
        output = session.run(None, {name: tensor.numpy() for name, tensor in alone.items()})[0]
        difference = float(np.abs(output - expected).max())
        if not difference <= MAX_DIFFERENCE:
            raise DataError(
                f"The ONNX graph of this model differs from it by {difference:.2g}, more than {MAX_DIFFERENCE}: "
                "its architecture cannot be traced. Use a plain BERT, RoBERTa, MPNet or DistilBERT model."
            )
