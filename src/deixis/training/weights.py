"""The trainer of feature weights and of the calibration; it needs no neural network."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deixis.evaluation.statistics.metric import Metric
from deixis.linking.model import LinkerModel
from deixis.training.calibrate import calibrate, judge, measured
from deixis.training.config import TrainingConfig
from deixis.training.documents import known, n_known, unseen
from deixis.training.examples import fit_weights
from deixis.training.result import TrainingResult, accuracy
from deixis.training.split import TrainDevSplit
from deixis.types import Document

logger = logging.getLogger(__name__)


def train_weights(
    model: LinkerModel,
    documents: Sequence[Document],
    dev: Sequence[Document] | None = None,
    config: TrainingConfig | None = None,
    folder: Path | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> TrainingResult:
    """The model with weights learned from documents that it has not seen, measured on those of them held out.

    One that was calibrated is calibrated anew. Weights that get fewer held-out mentions right than those before are not
    taken; neither are any where there are fewer mentions to learn from than the model's settings require.
    """
    fraction = (config or TrainingConfig()).held_out_share
    split = TrainDevSplit.of(model, unseen(model, documents, "to learn from"), dev, fraction, seed)
    known(model.kb, split.dev, "to hold out")
    before = accuracy_of("before", model, split.dev)
    fitted, after = reweighted(model, split, before)
    if fitted is not model:
        warn_of_older_parts(model)
    accuracies = before, replace(after, name="after")
    is_calibrated = model.decisions.given.model is not None
    fitted = calibrate(fitted, split.dev) if is_calibrated else measured(fitted, split.dev)
    return TrainingResult(fitted, accuracies, n_known(model.kb, split.train))


def reweighted(model: LinkerModel, split: TrainDevSplit, before: Metric) -> tuple[LinkerModel, Metric]:
    """The model with new weights, if there can be any that are no worse, and its accuracy."""
    n_train, n_needed = n_known(model.kb, split.train), model.config.ranking.min_mentions
    if n_train < n_needed or model.config.ranking.weights != "auto":
        reason = f"there are {n_train:,} mentions to learn from, and it takes {n_needed:,}"
        if n_train >= n_needed:
            reason = f"the model's setting ranking.weights is {model.config.ranking.weights!r}"
        logger.warning("The weights of features stay as they are: %s.", reason)
        return model, before
    fitted = fit_weights(model, split.train)
    after = accuracy_of("after", fitted, split.dev)
    if after.value < before.value:
        logger.warning(
            "The weights of features stay as they are: with those learned %.1f %% of the held-out mentions are right, "
            "with those before %.1f %%.", 100 * after.value, 100 * before.value,
        )  # fmt: skip
        return model, before
    return fitted, after


def warn_of_older_parts(before: LinkerModel) -> None:
    """Says that a re-ranker or reader that there was before was not trained on what the model is now."""
    if before.reranker is not None:
        logger.warning("The re-ranker was trained for the model before this. Train it again: deixis fit reranker")
    if before.reader is not None:
        logger.warning("The reader was weighed against the model before this. Train it again: deixis fit reader")


def accuracy_of(name: str, model: LinkerModel, documents: Sequence[Document]) -> Metric:
    """The accuracy of a model on annotated mentions of known entities, without a threshold."""
    curve = judge(model, documents).curve
    return accuracy(name, curve.is_right[curve.is_known], curve.documents[curve.is_known])
