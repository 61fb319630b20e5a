"""An encoder for a linker: a bi-encoder trained on annotated mentions, and a linker built anew with its vectors."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from deixis.candidates.dense import DenseCandidates
from deixis.candidates.union import UnionConfig
from deixis.errors import DataError
from deixis.evaluation.metric import Metric
from deixis.linking.held_out import split_documents
from deixis.linking.learned import Learned, accuracy
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.seen import SeenDocuments
from deixis.linking.teaching import apart_from, known
from deixis.ranking.fusion_features import document_numbers
from deixis.registry import Lazy, LazyRegistry
from deixis.types import Document

logger = logging.getLogger(__name__)

TRAINERS = LazyRegistry("training", {"bi-encoder": Lazy("deixis.neural.bi_training:train_bi_encoder", extra="neural")})
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
    """A linker built anew with a list of candidates by vectors, whose encoder was trained on annotated mentions.

    The accuracies are the share of held-out mentions whose entity is among the ten nearest, by the encoder alone:
    as it came, and trained. What is held out, `dev` or a share of the documents, the encoder has not seen; on it the
    new linker learns what vectors weigh. Called again with the same data and folder, training goes on.
    """
    train = TRAINERS["bi-encoder"]
    _check_all_are_here(linker, documents)
    kb, share = linker.kb, linker.config.held_out_share or config.held_out_share
    kept, held_out = split_documents(documents, share, seed)  # as a build does
    if dev is not None:
        kept, held_out = apart_from(dev, documents), list(dev)
    taught, _ = known(kb, kept, "to learn from")
    asked, _ = known(kb, held_out, "to hold out")
    trained = train(kb, kept, folder, replace(config.bi_encoder, seed=seed, n_threads=n_threads), held_out)
    numbers = document_numbers(asked)
    accuracies = tuple(
        _recall(name, trained.rounds[number]["ranks"], numbers)
        for name, number in (("encoder before", 0), ("encoder after", trained.chosen))
    )
    candidates = _with_encoder(linker.config.candidates, trained.folder, trained.n_tokens)
    dense = DenseCandidates.build(kb, (), candidates.dense, seed, linker.n_threads)
    settings = replace(linker.config, candidates=candidates, held_out_share=share if dev is None else 0.0)
    built = Linker.build(kb, kept if dev is not None else documents, settings, seed, linker.n_threads, dense)
    if dev is not None and len(asked) >= settings.ranking.min_mentions:
        built = built.taught_by(held_out).calibrate(held_out)
    if linker.reranking is not None:
        logger.warning("The re-ranker was fitted to other candidates and is gone. Learn it again with --rerank.")
    return Learned(built, accuracies, len(taught))


def _check_all_are_here(linker: Linker, documents: Sequence[Document]) -> None:
    """A linker that is built anew forgets what it is not told again."""
    if not documents:
        raise DataError("There are no documents to learn from.")
    n_missing = len(np.setdiff1d(linker.learned_from.hashes, SeenDocuments.of(documents).hashes))
    if n_missing:
        raise DataError(
            f"The model has learned from {n_missing:,} documents that are not among these, and with another encoder it "
            "is built anew: it would forget them. Give them too (--mentions may be repeated)."
        )


def _with_encoder(config: UnionConfig, folder: Path, n_tokens: int) -> UnionConfig:
    candidates = config.with_encoder(str(folder))
    texts = replace(candidates.dense.texts, n_tokens=n_tokens)
    return replace(candidates, dense=replace(candidates.dense, texts=texts))


def _recall(name: str, ranks: Sequence[int], documents: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Metric:
    found = np.asarray(ranks, dtype=np.int64)
    return accuracy(f"{name}, recall@{DEPTH}", (found > 0) & (found <= DEPTH), documents)
