"""The trainer of an encoder: a bi-encoder trained on annotated mentions, and candidates by its vectors.

The new source is added to those of the model, which do not change.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.encoders.registry import LEARNED
from deixis.errors import DataError
from deixis.evaluation.statistics.metric import Metric
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.neural.bi_encoder.train import train_bi_encoder
from deixis.neural.opening import open_folder
from deixis.progress import stage
from deixis.ranking.feature import document_numbers
from deixis.training.calibrate import judge, with_promised_precision
from deixis.training.config import TrainingConfig
from deixis.training.documents import known, split_documents
from deixis.training.result import TrainingResult, accuracy
from deixis.training.split import TrainDevSplit
from deixis.training.vectors import with_vectors
from deixis.training.weights import accuracy_of, reweighted, warn_of_older_parts
from deixis.types import Document

logger = logging.getLogger(__name__)

DEPTH = 10


def train_encoder(
    model: LinkerModel,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: TrainingConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> TrainingResult:
    """The model with candidates by vectors, whose encoder was trained on annotated mentions.

    The encoder does not see the held-out documents, `dev` or a fraction of the documents. One half of them chooses the
    best round and fits the weights of vectors; the second half evaluates and calibrates the model. In the end all
    contexts become vectors, except those of `dev` documents used for evaluation. Called again with the same data and
    folder, training continues.
    """
    if not documents:
        raise DataError("There are no documents to learn from.")
    split = TrainDevSplit.of(model, documents, dev, config.held_out_share, seed)
    weighing, judging = split_documents(split.dev, 0.5, seed)
    known(model.kb, split.train, "to learn from")
    mentions, _ = known(model.kb, weighing, "to hold out")
    known(model.kb, judging, "to hold out")
    settings = replace(config.encoder, seed=seed, n_threads=n_threads)
    trained = train_bi_encoder(model.kb, split.train, folder, settings, weighing)
    recalls = _recalls(trained.rounds, trained.chosen, document_numbers(mentions))
    own_settings = _settings(model.config.candidates["vectors"], trained.n_tokens)
    encoder = open_folder(trained.folder, n_threads)
    inputs = SourceInputs(model.kb, split.train, seed=seed, n_threads=n_threads)
    vectors = VectorSource.build(inputs, own_settings, encoder)
    with stage("judging by held-out documents"):
        before = accuracy_of("before", split.judge, judging)
        start, at_start = _started(split.judge, vectors, judging, before)
        weighted, after = reweighted(start, TrainDevSplit(weighing, judging, start), at_start)
        decision = judge(weighted, judging).decision(model.config.calibration)
    if after.value < before.value:
        logger.warning("The model is no better by the trained encoder, on these held-out mentions.")
    further = split.dev if dev is None else weighing
    whole = with_vectors(model, vectors.with_contexts(further))
    ranker = whole.ranker.with_weights_of(weighted.ranker)
    whole = replace(whole, ranker=ranker, seen=whole.seen | SeenDocuments.of([*split.train, *further]))
    warn_of_older_parts(model)
    accuracies = before, replace(after, name="after")
    result = with_promised_precision(whole, decision, rerank=False)
    return TrainingResult(result, accuracies, trained.n_mentions, recalls=recalls)


def _settings(before: VectorConfig, n_tokens: int) -> VectorConfig:
    """Those of the list by an encoder that is kept in the model: the folder it was trained in is soon gone."""
    encoder, texts = replace(before.encoder, name=LEARNED), replace(before.texts, n_tokens=n_tokens)
    return replace(before, encoder=encoder, texts=texts)


def _started(
    model: LinkerModel, vectors: VectorSource, judging: Sequence[Document], before: Metric
) -> tuple[LinkerModel, Metric]:
    """The model with the vectors, and its accuracy; they weigh nothing at first if by the usual weights they harm."""
    start = with_vectors(model, vectors)
    own = accuracy_of("start", start, judging)
    if own.value >= before.value or model.sources.get("vectors") is not None:
        return start, own
    logger.warning(
        "By the usual weights %.1f %% of the held-out mentions are right with vectors, %.1f %% without. They weigh "
        "nothing in the ranking, unless better weights are learned.", 100 * own.value, 100 * before.value,
    )  # fmt: skip
    unweighted = model.ranker.with_further_features(dict.fromkeys(start.ranker.weights.names, 0.0))
    start = replace(start, ranker=start.ranker.with_weights_of(unweighted))
    return start, accuracy_of("start", start, judging)


def _recalls(rounds: Sequence[dict[str, Any]], chosen: int, documents: NDArray[np.int64]) -> tuple[Metric, ...]:
    """Recall of the untrained encoder and after each round: how many mentions have their entity among the nearest."""
    metrics = []
    for number, report in enumerate(rounds):
        ranks = np.asarray(report["ranks"], dtype=np.int64)
        name = f"after round {number}" if number else "untrained"
        is_taken = ", taken" if number == chosen else ""
        metrics.append(accuracy(name + is_taken, (ranks > 0) & (ranks <= DEPTH), documents))
    return tuple(metrics)
