"""Learning without anything neural: what each kind of evidence weighs, and how far scores can be believed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from deixis.evaluation.statistics.metric import Metric
from deixis.linking.learned import Learned, accuracy
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.teaching import Teaching, known, n_known, unseen
from deixis.types import Document

logger = logging.getLogger(__name__)


def learn_weights(
    linker: Linker,
    documents: Sequence[Document],
    dev: Sequence[Document] | None = None,
    config: LearningConfig | None = None,
    rule: NilRule | None = None,
    seed: int = 0,
) -> Learned:
    """The linker with weights learned from documents that it has not seen, calibrated on those of them held out.

    Weights that get fewer held-out mentions right than those before are not taken; neither are any where there are
    fewer mentions to learn from than the linker's settings ask for.
    """
    share = (config or LearningConfig()).held_out_share
    teaching = Teaching.of(linker, unseen(linker, documents, "to learn from"), dev, share, seed)
    known(linker.kb, teaching.held_out, "to hold out")
    before = accuracy_of("before", linker, teaching.held_out)
    taught, after = reweighed(linker, teaching, before)
    if taught is not linker:
        warn_of_older_parts(linker)
    accuracies = before, replace(after, name="after")
    return Learned(taught.calibrate(teaching.held_out, rule), accuracies, n_known(linker.kb, teaching.taught))


def reweighed(linker: Linker, teaching: Teaching, before: Metric) -> tuple[Linker, Metric]:
    """The linker with new weights, if there can be any that are no worse, and its accuracy."""
    n_taught, least = n_known(linker.kb, teaching.taught), linker.config.ranking.min_mentions
    if n_taught < least or linker.config.ranking.weights != "auto":
        reason = f"there are {n_taught:,} mentions to learn from, and it takes {least:,}"
        if n_taught >= least:
            reason = f"the model's setting ranking.weights is {linker.config.ranking.weights!r}"
        logger.warning("What evidence weighs stays as it is: %s. Scores are calibrated all the same.", reason)
        return linker, before
    taught = linker.taught_by(teaching.taught)
    after = accuracy_of("after", taught, teaching.held_out)
    if after.value < before.value:
        logger.warning(
            "What evidence weighs stays as it is: with the weights learned %.1f %% of the held-out mentions are right, "
            "with those before %.1f %%.", 100 * after.value, 100 * before.value,
        )  # fmt: skip
        return linker, before
    return taught, after


def warn_of_older_parts(before: Linker) -> None:
    """Tells that a re-ranker or reader there was before has not learned what the linker has."""
    if before.reranking is not None:
        logger.warning("The re-ranker was fitted to the linker before this. Learn it again: deixis learn --rerank")
    if before.reading is not None:
        logger.warning("The reader was weighed against the linker before this. Learn it again: deixis learn --reader")


def accuracy_of(name: str, linker: Linker, documents: Sequence[Document]) -> Metric:
    """The share of annotated mentions of known entities that a linker gets right, whatever the threshold."""
    judged = linker.judged(documents).held_out
    return accuracy(name, judged.is_right[judged.is_known], judged.documents[judged.is_known])
