"""Decisions, re-ranker and reader of a model as named arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision, Decisions
from deixis.decision.link_model import LinkModel
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.lazy_parts import lazy_reader, lazy_reranker
from deixis.linking.model import LinkerModel, Reader, TrainedReranker
from deixis.linking.seen_documents import SeenDocuments
from deixis.store.checks import check_length, check_range, require

Arrays = Mapping[str, NDArray[Any]]
N_READER_WEIGHTS = 6
MAX_READER_WEIGHT = 100.0


def decision_arrays(model: LinkerModel) -> dict[str, NDArray[Any]]:
    """Decisions, re-ranker and reader; the threshold of given mentions is in the settings."""
    decisions, detected = model.decisions, model.decisions.detected
    arrays = decisions.given.curve_to_arrays("calibration") | detected.curve_to_arrays("finding.calibration")
    arrays["finding.threshold"] = np.array([detected.min_probability])
    if isinstance(detected.model, LinkModel):
        arrays |= detected.model.to_arrays("finding.decider")
    if model.reranker is not None:
        reranked = decisions.reranked or Decision()
        rule = [np.nan if each is None else each for each in (reranked.threshold, reranked.target_precision)]
        arrays |= model.reranker.part.to_arrays("reranking.ranker") | {"reranking.nil": np.array(rule, np.float64)}
        arrays |= reranked.curve_to_arrays("reranking.calibration")
        arrays |= model.reranker.seen.to_arrays("reranking.learned_from")
    if model.reader is not None:
        read = decisions.read or Decision()
        arrays |= model.reader.part.to_arrays("reading.reader") | {"reading.weights": model.reader.weights}
        arrays |= {"reading.threshold": np.array([read.min_probability])}
        arrays |= read.curve_to_arrays("reading.calibration")
        arrays |= model.reader.seen.to_arrays("reading.learned_from")
    return arrays


def decisions_from(arrays: Arrays, nil: ThresholdConfig, calibration: str = "calibration") -> Decisions:
    """The decisions `decision_arrays` gave, checked."""
    given = Decision(threshold=nil.threshold, target_precision=nil.target_precision)
    detected = Decision(LinkModel.from_arrays(arrays, "finding.decider"), _threshold(arrays, "finding.threshold"))
    return Decisions(
        given.with_curve_from(arrays, calibration),
        detected.with_curve_from(arrays, "finding.calibration"),
        _reranked(arrays),
        _read(arrays),
    )


def reranker_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> TrainedReranker | None:
    """The re-ranker of a model, not opened yet; None if it has none."""
    if "reranking.nil" not in arrays:
        return None
    part = lazy_reranker(arrays, "reranking.ranker", kb, n_threads)
    return TrainedReranker(part, SeenDocuments.from_arrays(arrays, "reranking.learned_from"))


def reader_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> Reader | None:
    """The reader of a model, not opened yet; None if it has none."""
    if "reading.weights" not in arrays:
        return None
    weights = require(arrays, "reading.weights", np.float64)
    check_length("reading.weights", weights, N_READER_WEIGHTS)
    check_range("reading.weights", weights, -MAX_READER_WEIGHT, MAX_READER_WEIGHT)
    part = lazy_reader(arrays, "reading.reader", kb, n_threads)
    return Reader(part, weights, SeenDocuments.from_arrays(arrays, "reading.learned_from"))


def _reranked(arrays: Arrays) -> Decision | None:
    if "reranking.nil" not in arrays:
        return None
    rule = require(arrays, "reranking.nil", np.float64)
    check_length("reranking.nil", rule, 2)
    threshold, target = (None if np.isnan(value) else value for value in rule.tolist())
    decision = Decision(threshold=threshold, target_precision=target)
    return decision.with_curve_from(arrays, "reranking.calibration")


def _read(arrays: Arrays) -> Decision | None:
    if "reading.weights" not in arrays:
        return None
    decision = Decision(threshold=_threshold(arrays, "reading.threshold"))
    return decision.with_curve_from(arrays, "reading.calibration")


def _threshold(arrays: Arrays, name: str) -> float:
    threshold = require(arrays, name, np.float64)
    check_length(name, threshold, 1)
    check_range(name, threshold, 0, np.nextafter(1, 2))
    return float(threshold[0])
