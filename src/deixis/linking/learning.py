"""A re-ranker for a linker: trained on the candidates that the linker itself finds for annotated mentions."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deixis.errors import ConfigError, DataError
from deixis.linking.calibration import Calibration
from deixis.linking.learned import Learned, accuracy
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reranking import Reranking
from deixis.linking.seen import SeenDocuments
from deixis.linking.teaching import Teaching, known, n_known
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.progress import stage
from deixis.ranking import RERANKERS, TRAINERS
from deixis.ranking.feature import document_numbers
from deixis.ranking.rerankers.examples import Ranked
from deixis.ranking.rerankers.mixing import RANKING_ALONE, RERANKER_ALONE
from deixis.types import Document

logger = logging.getLogger(__name__)

MIN_DESCRIBED = 0.1
NEW = "cross-encoder"
PAIRS_AN_HOUR = 30_000  # that MiniLM learns from on one processor, of 128 tokens
LONG = 12  # hours


def learn_reranker(
    linker: Linker,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: LearningConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> Learned:
    """The linker with a re-ranker, and how the linker, the cross-encoder and both together do on held-out mentions.

    How the two are mixed and what the scores mean is learned on held-out documents: `dev`, or a share of the others.
    Checkpoints are kept in `folder`; called again with the same data and settings, training goes on from there.
    """
    if not documents:
        raise DataError("There are no documents to learn from.")
    kind, _ = RERANKERS[NEW], TRAINERS[NEW]  # what is not installed is said before the work
    if linker.kb.described_share < MIN_DESCRIBED:
        logger.warning("Hardly any entity has a description: the re-ranker reads names, and gains little by it.")
    teaching = Teaching.of(linker, documents, dev, config.held_out_share, seed)
    how = config.rerank
    _warn_of_time(n_known(linker.kb, teaching.taught), how)
    with stage("finding candidates"):
        taught = ranked(teaching.linker, teaching.taught, "to learn from", how.n_taught, how.max_mentions, seed)
        checked = ranked(teaching.linker, teaching.held_out, "to hold out", how.n_candidates, how.max_checked, seed + 1)
    ranker, opinions = kind.learn(linker.kb, taught, checked, config.rerank, folder, seed, n_threads)
    numbers = document_numbers(checked.mentions)
    sides = {"retriever": RANKING_ALONE, NEW: RERANKER_ALONE, "fused": ranker.mixing}
    accuracies = tuple(accuracy(name, opinions.is_first_right(mixing), numbers) for name, mixing in sides.items())
    reranking = Reranking(ranker, learned_from=SeenDocuments.of(teaching.taught))
    calibration, per_second = _calibration(
        teaching.linker.with_reranking(reranking), teaching.held_out, config.rerank.max_checked, seed
    )
    return Learned(settled(linker.with_reranking(reranking), calibration), accuracies, len(taught.mentions), per_second)


def ranked(
    linker: Linker, documents: Sequence[Document], purpose: str, k: int, max_mentions: int = 0, seed: int = 0
) -> Ranked:
    """The best `k` candidates of mentions whose entity is known: of all, or of so many drawn at random, in order.

    Of documents without a drawn mention nothing is ranked; what a mention gets does not depend on who was drawn.
    """
    mentions, gold = known(linker.kb, documents, purpose)
    if not 0 < max_mentions < len(mentions):
        return Ranked(mentions, linker.ranked_rows(mentions, k), gold)
    drawn = np.sort(np.random.default_rng(seed).choice(len(mentions), max_mentions, replace=False))
    numbers = document_numbers(mentions)
    near = np.flatnonzero(np.isin(numbers, numbers[drawn]))
    asked, answers = [mentions[number] for number in near.tolist()], [gold[number] for number in near.tolist()]
    return Ranked(asked, linker.ranked_rows(asked, k), answers).take(np.searchsorted(near, drawn))


def _warn_of_time(n_mentions: int, config: CrossEncoderConfig) -> None:
    """Tells how long a training may take, if that is long: on one processor, with a model as large as MiniLM."""
    n_mentions = min(n_mentions, config.max_mentions or n_mentions)
    hours = n_mentions * config.n_taught * config.epochs / PAIRS_AN_HOUR
    if hours > LONG:
        logger.warning(
            "To learn from %s mentions with %d candidates each, %d times, takes up to %.0f hours for MiniLM on one "
            "processor. Fewer mentions (--rerank-max-mentions) or epochs (--rerank-epochs) take less.",
            f"{n_mentions:,}", config.n_taught, config.epochs, hours,
        )  # fmt: skip


def _calibration(
    linker: Linker, documents: Sequence[Document], max_mentions: int, seed: int
) -> tuple[Calibration, float]:
    """What the scores of a second look mean, by held-out documents of about so many mentions, and its mentions/s."""
    drawn = enough(documents, max_mentions, seed)
    with stage("calibrating the re-ranker"):
        started = time.perf_counter()
        judged = linker.judged(drawn, rerank=True)
        per_second = len(judged.held_out) / max(time.perf_counter() - started, 1e-9)
    return Calibration.fit(judged, linker.config.calibration), per_second


def enough(documents: Sequence[Document], n_mentions: int, seed: int) -> list[Document]:
    """Documents drawn at random until they have so many decided mentions, in their order; all, if they have not.

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


def settled(linker: Linker, calibration: Calibration, rerank: bool = True) -> Linker:
    """The linker, or its re-ranker, keeps to the precision that its settings ask for, as far as can be promised."""
    rule = NilRule(target_precision=linker.config.nil.target_precision)
    try:
        return linker.calibrated_by(calibration, rule, rerank)
    except ConfigError as error:
        whose = "of the re-ranker " if rerank else ""
        logger.warning("%s Until then the threshold %sis the one with the best F1.", error, whose)
        return linker.calibrated_by(calibration, NilRule(), rerank)
