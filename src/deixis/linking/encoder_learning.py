"""An encoder for a linker: a bi-encoder trained on annotated mentions, and a list of candidates by its vectors.

The list is put beside those that the linker has; these stay as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.sources.vectors import DenseCandidates, DenseConfig
from deixis.encoders.registry import LEARNED
from deixis.errors import DataError
from deixis.evaluation.statistics.metric import Metric
from deixis.linking.calibration import Calibration
from deixis.linking.held_out import split_documents
from deixis.linking.learned import Learned, accuracy
from deixis.linking.learning import settled
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reweighing import accuracy_of, reweighed, warn_of_older_parts
from deixis.linking.seen import SeenDocuments
from deixis.linking.teaching import Teaching, known
from deixis.neural.opening import open_folder
from deixis.progress import stage
from deixis.ranking.feature import document_numbers
from deixis.registry import Lazy, LazyRegistry
from deixis.types import Document

logger = logging.getLogger(__name__)

TRAINERS = LazyRegistry(
    "training", {"bi-encoder": Lazy("deixis.neural.bi_encoder.train:train_bi_encoder", extra="neural")}
)
DEPTH = 10


def learn_encoder(
    linker: Linker,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: LearningConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> Learned:
    """The linker with a list of candidates by vectors, whose encoder was trained on annotated mentions.

    What is held out, `dev` or a share of the documents, the encoder has not seen. By one half of it the best round is
    chosen and it is learned what vectors weigh; by the other half the linker is judged and calibrated. All contexts
    become vectors in the end, but those of the `dev` documents that judged: they can judge again. Called again with the
    same data and folder, training goes on.
    """
    train = TRAINERS["bi-encoder"]
    if not documents:
        raise DataError("There are no documents to learn from.")
    teaching = Teaching.of(linker, documents, dev, config.held_out_share, seed)
    weighing, judging = split_documents(teaching.held_out, 0.5, seed)
    known(linker.kb, teaching.taught, "to learn from")
    asked, _ = known(linker.kb, weighing, "to hold out")
    known(linker.kb, judging, "to hold out")
    settings = replace(config.bi_encoder, seed=seed, n_threads=n_threads)
    trained = train(linker.kb, teaching.taught, folder, settings, weighing)
    recalls = _recalls(trained.rounds, trained.chosen, document_numbers(asked))
    settings_now = _settings(linker.config.candidates.dense, trained.n_tokens)
    encoder = open_folder(trained.folder, n_threads)
    dense = DenseCandidates.build(linker.kb, teaching.taught, settings_now, seed, n_threads, encoder)
    with stage("judging by held-out documents"):
        before = accuracy_of("before", teaching.linker, judging)
        start, started = _started(teaching.linker, dense, judging, before)
        weighed, after = reweighed(start, Teaching(weighing, judging, start), started)
        calibration = Calibration.fit(weighed.judged(judging), linker.config.calibration)
    if after.value < before.value:
        logger.warning("The linker is no better by the trained encoder, on these held-out mentions.")
    further = teaching.held_out if dev is None else weighing
    whole = linker.with_dense(dense.with_contexts(further))
    whole.ranker = whole.ranker.with_weights(weighed.ranker.weights)
    whole.learned_from |= SeenDocuments.of([*teaching.taught, *further])
    warn_of_older_parts(linker)
    accuracies = before, replace(after, name="after")
    return Learned(settled(whole, calibration, rerank=False), accuracies, trained.n_mentions, recalls=recalls)


def _settings(before: DenseConfig, n_tokens: int) -> DenseConfig:
    """Those of the list by an encoder that is kept in the model: the folder it was trained in is soon gone."""
    encoder, texts = replace(before.encoder, name=LEARNED), replace(before.texts, n_tokens=n_tokens)
    return replace(before, encoder=encoder, texts=texts)


def _started(
    linker: Linker, dense: DenseCandidates, judging: Sequence[Document], before: Metric
) -> tuple[Linker, Metric]:
    """The linker with the list, and its accuracy; vectors weigh nothing at first if by the usual weights they harm."""
    start = linker.with_dense(dense)
    found = accuracy_of("start", start, judging)
    if found.value >= before.value or linker.generator.dense is not None:
        return start, found
    logger.warning(
        "By the usual weights %.1f %% of the held-out mentions are right with vectors, %.1f %% without. They get no "
        "say in the ranking, unless better weights are learned.", 100 * found.value, 100 * before.value,
    )  # fmt: skip
    weights = np.zeros_like(start.ranker.weights)
    weights[: len(linker.ranker.weights)] = linker.ranker.weights
    start.ranker = start.ranker.with_weights(weights)
    return start, accuracy_of("start", start, judging)


def _recalls(rounds: Sequence[dict[str, Any]], chosen: int, documents: NDArray[np.int64]) -> tuple[Metric, ...]:
    """The share of mentions whose entity is among the nearest, by the encoder as it came and after each round."""
    found = []
    for number, report in enumerate(rounds):
        ranks = np.asarray(report["ranks"], dtype=np.int64)
        name = f"after round {number}" if number else "untrained"
        is_taken = ", taken" if number == chosen else ""
        found.append(accuracy(name + is_taken, (ranks > 0) & (ranks <= DEPTH), documents))
    return tuple(found)
