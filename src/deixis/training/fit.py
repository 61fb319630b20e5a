"""One verb for all trainers: annotated documents in, a better model out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deixis.linking.model import LinkerModel
from deixis.training import TRAINERS
from deixis.training.config import TrainingConfig
from deixis.training.result import TrainingResult
from deixis.types import Document


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

    Checkpoints of an encoder, a re-ranker or a reader are kept in `folder`, or in a temporary one that is gone
    afterwards.
    """
    train, n_threads = TRAINERS[trainer], n_threads or model.n_threads or os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) if folder is None else folder
        result: TrainingResult = train(model, documents, dev, config or TrainingConfig(), place, seed, n_threads)
        return result
