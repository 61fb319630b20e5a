"""The trainer of a re-ranker: on the candidates that the model itself finds for annotated mentions."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from deixis.decision.decision import Decision
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import LinkerModel, TrainedReranker
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.streams import rank_mentions
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.texts import MentionCandidates
from deixis.neural.cross_encoder.train import train_pair_scorer
from deixis.progress import stage
from deixis.ranking.feature import document_numbers
from deixis.ranking.rerankers.cross_encoder import CrossEncoderRanker
from deixis.ranking.rerankers.examples import Ranked, best_scores
from deixis.ranking.rerankers.mixing import RANKING_ALONE, RERANKER_ALONE, RerankerScores
from deixis.training.calibrate import judge, with_promised_precision
from deixis.training.config import TrainingConfig
from deixis.training.documents import known, n_known
from deixis.training.result import TrainingResult, accuracy
from deixis.training.split import TrainDevSplit
from deixis.types import Document

logger = logging.getLogger(__name__)

MIN_DESCRIBED = 0.1
NEW = "cross-encoder"
PAIRS_AN_HOUR = 30_000  # that MiniLM learns from on one processor, of 128 tokens
LONG = 12  # hours


def train_reranker(
    model: LinkerModel,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: TrainingConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> TrainingResult:
    """The model with a re-ranker, and how the ranker, the cross-encoder and both together do on held-out mentions.

    The mixture of both and the calibration are learned on held-out documents: `dev`, or a fraction of the others.
    Checkpoints are kept in `folder`; called again with the same data and settings, training goes on from there.
    """
    if not documents:
        raise DataError("There are no documents to learn from.")
    if model.kb.described_fraction < MIN_DESCRIBED:
        logger.warning("Hardly any entity has a description: the re-ranker reads names, and gains little by it.")
    split = TrainDevSplit.of(model, documents, dev, config.held_out_share, seed)
    how = config.reranker
    _warn_of_time(n_known(model.kb, split.train), how)
    with stage("finding candidates"):
        train = ambiguous_examples(split, how, seed)
        check = ranked_examples(split.judge, split.dev, "to hold out", how.n_candidates, how.max_checked, seed + 1)
    ranker, dev_scores = fit_cross_encoder(model.kb, train, check, how, folder, seed, n_threads)
    numbers = document_numbers(check.mentions)
    sides = {"retriever": RANKING_ALONE, NEW: RERANKER_ALONE, "fused": ranker.mixing}
    accuracies = tuple(accuracy(name, dev_scores.is_first_right(mixing), numbers) for name, mixing in sides.items())
    if not ranker.mixing.reranker:
        logger.warning(
            "The re-ranker is not used: %d held-out mentions do not gain by it beyond noise, and --rerank leaves the "
            "order of candidates as it is.", len(check.mentions),
        )  # fmt: skip
    reranker = TrainedReranker(ranker, SeenDocuments.of(split.train))
    decision, per_second = _decision(replace(split.judge, reranker=reranker), split.dev, how.max_checked, seed)
    trained = with_promised_precision(replace(model, reranker=reranker), decision, rerank=True)
    return TrainingResult(trained, accuracies, len(train.mentions), per_second)


def fit_cross_encoder(
    kb: KnowledgeBase,
    train: Ranked,
    dev: Ranked,
    config: CrossEncoderConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> tuple[CrossEncoderRanker, RerankerScores]:
    """A re-ranker trained on the mentions `train` and mixed on those of `dev`, and what was said of these.

    Training is watched on those of `dev` that it will read, or on all if these are none. Checkpoints are kept in
    `folder`: called again with the same data and settings, training goes on from there.
    """
    is_unsure = best_scores(dev.candidates) <= config.max_score
    watched = dev.take(np.flatnonzero(is_unsure)) if is_unsure.any() else dev
    scorer, texts = train_pair_scorer(
        kb,
        MentionCandidates.of(train.mentions, train.candidates, train.gold, config.n_taught, True),
        MentionCandidates.of(watched.mentions, watched.candidates, watched.gold, config.n_candidates, False),
        config,
        folder,
        seed,
        n_threads,
    )
    ranker = CrossEncoderRanker(kb, scorer, texts, config)
    scores = ranker.reranker_scores(dev)
    ranker.mixing = scores.mixing()
    return ranker, scores


def ambiguous_examples(split: TrainDevSplit, config: CrossEncoderConfig, seed: int = 0) -> Ranked:
    """The mentions to learn from, with the candidates of models that have not seen their documents.

    With a `max_score` below 1 they are the ambiguous ones: the best candidate has no larger score, and a right one is
    among those learned from. Of many, `max_mentions` are drawn; a second model is not built if one finds enough.
    """
    purpose, takes_all, parts = "to learn from", config.max_score == 1, []
    for documents, model in split.train_as_unseen(seed):
        n_drawn = config.max_mentions if takes_all else 0
        ranked = ranked_examples(model, documents, purpose, config.n_taught, n_drawn, seed)
        is_ambiguous = ranked.has_right & (best_scores(ranked.candidates) <= config.max_score)
        parts.append(ranked if takes_all else ranked.take(np.flatnonzero(is_ambiguous)))
        if 0 < config.max_mentions <= sum(len(part.mentions) for part in parts):
            break
    chosen = Ranked.joined(parts)
    n_chosen = len(chosen.mentions)
    if not n_chosen:
        raise DataError(
            f"There is nothing {purpose}: no mention has a best candidate with a score of {config.max_score:g} or less "
            f"and the right one among the first {config.n_taught}. Set reranker.max_score to 1."
        )
    if not 0 < config.max_mentions < n_chosen:
        return chosen
    return chosen.take(np.sort(np.random.default_rng(seed).choice(n_chosen, config.max_mentions, replace=False)))


def ranked_examples(
    model: LinkerModel, documents: Sequence[Document], purpose: str, k: int, max_mentions: int = 0, seed: int = 0
) -> Ranked:
    """The best `k` candidates of mentions whose entity is known: of all, or of `max_mentions` drawn ones, in order.

    Of documents without a drawn mention nothing is ranked; what a mention gets does not depend on which were drawn.
    """
    mentions, gold = known(model.kb, documents, purpose)
    n_entities = len(model.kb)
    if not 0 < max_mentions < len(mentions):
        return Ranked(mentions, rank_mentions(model, mentions, k).to_matrix(n_entities), gold)
    drawn = np.sort(np.random.default_rng(seed).choice(len(mentions), max_mentions, replace=False))
    numbers = document_numbers(mentions)
    near = np.flatnonzero(np.isin(numbers, numbers[drawn]))
    beside, answers = [mentions[number] for number in near.tolist()], [gold[number] for number in near.tolist()]
    ranking = rank_mentions(model, beside, k).to_matrix(n_entities)
    return Ranked(beside, ranking, answers).take(np.searchsorted(near, drawn))


def _warn_of_time(n_mentions: int, config: CrossEncoderConfig) -> None:
    """Tells how long a training may take, if that is long: on one processor, with a model as large as MiniLM."""
    n_mentions = min(n_mentions, config.max_mentions or n_mentions)
    hours = n_mentions * config.n_taught * config.epochs / PAIRS_AN_HOUR
    if hours > LONG:
        logger.warning(
            "To learn from %s mentions with %d candidates each, %d times, takes up to %.0f hours for MiniLM on one "
            "processor. Fewer mentions (--max-mentions) or epochs (--epochs) take less.",
            f"{n_mentions:,}", config.n_taught, config.epochs, hours,
        )  # fmt: skip


def _decision(
    model: LinkerModel, documents: Sequence[Document], max_mentions: int, seed: int
) -> tuple[Decision, float]:
    """The calibrated decision of the re-ranker, from held-out documents, and its speed in mentions per second."""
    drawn = enough(documents, max_mentions, seed)
    with stage("calibrating the re-ranker"):
        started = time.perf_counter()
        dev_mentions = judge(model, drawn, rerank=True)
        per_second = len(dev_mentions.curve) / max(time.perf_counter() - started, 1e-9)
    return dev_mentions.decision(model.config.calibration), per_second


def enough(documents: Sequence[Document], n_mentions: int, seed: int) -> list[Document]:
    """Documents drawn at random until they have `n_mentions` annotated mentions, in order; all if they have fewer.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> documents = [Document(str(n), "Troy", mentions=(Mention(0, 4, "Troy", "Q1"),)) for n in range(9)]
    >>> len(enough(documents, 4, seed=0))
    4
    """
    sizes = np.array([sum(mention.is_decided for mention in document.mentions) for document in documents])
    order = np.random.default_rng(seed).permutation(len(documents))
    n = int(np.searchsorted(np.cumsum(sizes[order]), n_mentions)) + 1
    return [documents[number] for number in np.sort(order[:n]).tolist()]
