"""A linker's model as named arrays, and back."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.decision.decision import Decision, Decisions
from deixis.decision.link_model import LinkModel
from deixis.detection.detector import SpanDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections
from deixis.linking.lazy_parts import reader_from, reranker_from
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stored_settings import stored_settings
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.model_folder import StoredModel

logger = logging.getLogger(__name__)

KIND = "linker"
PARTS = ("kb", "detector", "sources", "ranker", "decisions", "reranker", "reader", "corrections", "seen")
"""The parts of a model, and the names that their arrays begin with."""
UNCORRECTED = "uncorrected_weights"  # the ranker's, before many corrections refitted them


def model_arrays(model: LinkerModel) -> dict[str, NDArray[Any]]:
    """All parts as arrays, each under its own name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in PARTS:
        part = getattr(model, name)
        arrays |= {} if part is None else part.to_arrays(name)
    if model.uncorrected_weights is not None:
        arrays |= model.uncorrected_weights.to_arrays(UNCORRECTED)
    return arrays


def model_from(stored: StoredModel, n_threads: int = 0) -> LinkerModel:
    """The model, checked, memory-mapped; its re-ranker and reader are not opened yet."""
    arrays, config = stored.arrays, stored_settings(stored)
    kb = KnowledgeBase.from_arrays(arrays, "kb")
    sources = CandidateSources.from_arrays(arrays, "sources", kb, config.candidates, n_threads)
    model = LinkerModel(
        kb,
        _detector(arrays, kb, config, n_threads),
        sources,
        FeatureRanker.from_arrays(arrays, "ranker", words=sources.words, n_entities=len(kb), n_threads=n_threads),
        _decisions(arrays),
        config,
        reranker_from(arrays, kb, n_threads),
        reader_from(arrays, kb, n_threads),
        seen=SeenDocuments.from_arrays(arrays, "seen"),
        n_threads=n_threads,
    )
    corrections = Corrections.from_arrays(arrays, "corrections")
    if not corrections.each:
        return model
    if any(name.startswith(UNCORRECTED) for name in arrays):
        model = replace(model, uncorrected_weights=FeatureWeights.from_arrays(arrays, UNCORRECTED))
    return with_corrections(model, corrections)


def _is_older(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the model is from before names were compared by stems: how it detects mentions cannot be read."""
    return "detector.names.writing" not in arrays


def _detector(
    arrays: Mapping[str, NDArray[Any]], kb: KnowledgeBase, config: LinkerConfig, n_threads: int
) -> SpanDetector:
    if not _is_older(arrays):
        return SpanDetector.from_arrays(arrays, "detector", config=config.finding)
    logger.warning(
        "The model was saved by an earlier Deixis, which detected mentions in another way. Its names are read anew; "
        "what it learned about detection from annotated documents is not used. Build it again to have that, and to "
        "open it faster."
    )
    return SpanDetector.from_names(
        kb.names()[0], kb.titles, kb.description_texts(), config.finding, config.detection, n_threads
    )


def _decisions(arrays: Mapping[str, NDArray[Any]]) -> Decisions:
    decisions = Decisions.from_arrays(arrays, "decisions")
    return replace(decisions, detected=Decision(LinkModel.default())) if _is_older(arrays) else decisions
