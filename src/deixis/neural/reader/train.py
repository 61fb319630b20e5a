"""A retriever and a reader that learn together, each from what the other says (imports torch).

After Li et al., 2023, "Bidirectional End-to-End Learning of Retriever-Reader Paradigm for Entity Linking"
(BEER²), 2.2 and 2.3. Both begin alone (warm-up). Then, step by step, the retriever's newest candidates go to the
reader, the spans it reads go back to the retriever, and each takes a step (Eq. 15). All entities are encoded anew
now and then, since the encoder moves. With `flows` one way or both are cut; with none of them the retriever learns
first and the reader afterwards, for as many steps: the pipeline that the paper compares with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from tokenizers import Encoding

from deixis.config import config_to_dict
from deixis.encoders.token_graph import INPUTS
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.checkpoints import claim_folder, fingerprint, room_for_checkpoints
from deixis.neural.onnx_export import per_token_to_onnx
from deixis.neural.quiet import quiet
from deixis.neural.reader.checkpoint import FILE, CheckpointFile
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import annotated_passages
from deixis.neural.reader.graphs import OnnxNumbers, per_token
from deixis.neural.reader.joint import JointTraining, Source
from deixis.neural.reader.model import RetrieverReader, as_tensors
from deixis.neural.reader.run import Reader
from deixis.neural.reader.texts import ReaderTexts
from deixis.neural.sentence_encoder import tokenizer_bytes
from deixis.neural.windows import TokenWindows
from deixis.types import Document


class TorchNumbers:
    """The model as `Reader` asks it while it learns."""

    def __init__(self, model: RetrieverReader, has_types: bool) -> None:
        self.model = model
        self.has_types = has_types

    def states(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_dims of each text."""
        return self._run(encoded, self.model.states)

    def numbers(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_3 of each pair."""
        return self._run(encoded, self.model.numbers)

    def _run(self, encoded: Sequence[Encoding], run: Callable[..., torch.Tensor]) -> list[NDArray[np.float32]]:
        was_training = self.model.training
        self.model.eval()
        with torch.inference_mode():
            outputs = per_token(encoded, lambda batch: run(as_tensors(batch, self.has_types)).numpy())
        self.model.train(was_training)
        return outputs


def train_reader(
    kb: KnowledgeBase,
    documents: Iterable[Document],
    config: ReaderConfig | None = None,
    source: Source | None = None,
    notice: Callable[[str, float], None] | None = None,
    folder: Path | None = None,
) -> Reader:
    """A retriever and a reader of the entities of `kb`, learned from annotated documents.

    With `source` the reader learns from those candidates, and no retriever is trained. `notice` hears each loss.
    With `folder` its state is written there every minute; called again with the same settings and documents, training
    goes on from there.
    """
    config = config or ReaderConfig()
    with quiet(config.n_threads), ExitStack() as stack:
        training, whole = new_training(kb, documents, config, source, notice)
        if folder is not None:
            claim_folder(folder, _fingerprint(training))
            training.checkpoint = CheckpointFile(folder / FILE)
            stack.enter_context(room_for_checkpoints(folder, training.model))
        training.run()
        graphs = _graphs(training.model, whole, config, has_retriever=source is None)
    return Reader(training.reader.texts, graphs, kb, training.reader.vectors)


def new_training(
    kb: KnowledgeBase,
    documents: Iterable[Document],
    config: ReaderConfig,
    source: Source | None = None,
    notice: Callable[[str, float], None] | None = None,
) -> tuple[JointTraining, SentenceTransformer]:
    """A training that has not begun, and the encoder it begins with."""
    torch.manual_seed(config.seed)
    model, whole = RetrieverReader.open(config)
    texts = ReaderTexts(TokenWindows.from_bytes(tokenizer_bytes(whole)), config)
    passages = annotated_passages(kb, documents, texts)
    numbers = TorchNumbers(model, has_types="token_type_ids" in whole.tokenizer.model_input_names)
    return JointTraining(model, Reader(texts, numbers, kb), passages, config, source, notice), whole


def _fingerprint(training: JointTraining) -> dict[str, Any]:
    """What a training depends on: settings, passages with what is mentioned in them, names of entities."""
    settings = config_to_dict(replace(training.config, n_threads=0)) | {"has_source": training.source is not None}
    passages = (f"{each.passage.text}{sorted(each.spans.items())}" for each in training.passages)
    return fingerprint(settings, chain(passages, training.reader.kb.titles))


def _graphs(
    model: RetrieverReader, whole: SentenceTransformer, config: ReaderConfig, has_retriever: bool
) -> OnnxNumbers:
    """The trained model, to be used without torch."""
    states = per_token_to_onnx(_OneByOne(model.states), whole.tokenizer, "states", False) if has_retriever else None
    numbers = per_token_to_onnx(_OneByOne(model.numbers), whole.tokenizer, "numbers", True)
    stored = np.frombuffer(tokenizer_bytes(whole), np.uint8)
    first = None if states is None else np.frombuffer(states, np.uint8)
    return OnnxNumbers(first, np.frombuffer(numbers, np.uint8), stored, config.n_threads)


class _OneByOne(torch.nn.Module):
    """A method of the model that takes tensors one by one, as graphs do."""

    def __init__(self, run: Callable[[dict[str, torch.Tensor]], torch.Tensor]) -> None:
        super().__init__()
        self.inner = run.__self__  # type: ignore[attr-defined]
        self.run = run

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return self.run(dict(zip(INPUTS, tensors, strict=False)))
