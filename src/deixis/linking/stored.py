"""A linker's model as named arrays, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.decision.decision import Decisions
from deixis.detection.detector import SpanDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections
from deixis.linking.lazy_parts import reader_from, reranker_from
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stored_settings import stored_settings
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.model_folder import StoredModel

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
        SpanDetector.from_arrays(arrays, "detector", config=config.finding, dictionary=config.detection),
        sources,
        FeatureRanker.from_arrays(arrays, "ranker", words=sources.words, n_entities=len(kb), n_threads=n_threads),
        Decisions.from_arrays(arrays, "decisions"),
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
