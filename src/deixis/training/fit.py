"""One verb for all trainers: annotated documents in, a better model out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deixis.errors import UnknownNameError
from deixis.linking.model import LinkerModel
from deixis.training.config import TrainingConfig
from deixis.training.encoder import train_encoder
from deixis.training.reader import train_reader
from deixis.training.reranker import train_reranker
from deixis.training.result import TrainingResult
from deixis.training.weights import train_weights
from deixis.types import Document

TRAINERS = ("weights", "encoder", "reranker", "reader")


def fit(
    model: LinkerModel,
    documents: Sequence[Document],
    trainer: str = "weights",
    *,
    dev: Sequence[Document] | None = None,
    config: TrainingConfig | None = None,
    folder: Path | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> TrainingResult:
    """A better model, trained on annotated documents, and how it did on documents it had not seen.

    Checkpoints of an encoder or a re-ranker are kept in `folder`, or in a temporary one that is gone afterwards.
    """
    config, n_threads = config or TrainingConfig(), n_threads or model.n_threads or os.cpu_count() or 1
    if trainer not in TRAINERS:
        raise UnknownNameError("trainer", trainer, known=TRAINERS)
    if trainer == "weights":
        return train_weights(model, documents, dev, config, seed)
    if trainer == "reader":
        return train_reader(model, documents, dev, config, seed, n_threads)
    train = train_encoder if trainer == "encoder" else train_reranker
    if folder is not None:
        return train(model, documents, dev, config, folder, seed, n_threads)
    with tempfile.TemporaryDirectory() as temporary:
        return train(model, documents, dev, config, Path(temporary), seed, n_threads)
