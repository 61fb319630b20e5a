"""A linker's model as settings and named arrays, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.old_settings import current_settings
from deixis.config import config_to_dict
from deixis.decision.decision import Decisions
from deixis.detection.detector import SpanDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections
from deixis.linking.lazy_parts import open_reader, open_reranker
from deixis.linking.model import LinkerModel, Reader, TrainedReranker
from deixis.linking.seen_documents import SeenDocuments
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.declared import Arrays, is_stored
from deixis.store.model_folder import StoredModel

KIND = "linker"
PARTS = ("kb", "detector", "sources", "ranker", "decisions", "reranker", "reader", "corrections", "seen")
"""The parts of a model, and the names that their arrays begin with."""
UNCORRECTED = "uncorrected_weights"  # the ranker's, before many corrections refitted them


def stored_config(model: LinkerModel) -> dict[str, Any]:
    """The settings to save, with the threshold in force."""
    given = model.decisions.given
    return config_to_dict(replace(model.config, nil=ThresholdConfig(given.threshold, given.target_precision)))


def model_arrays(model: LinkerModel) -> dict[str, NDArray[Any]]:
    """All parts as arrays, each under its own name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in PARTS:
        part = getattr(model, name)
        arrays |= {} if part is None else part.to_arrays(name)
    if model.uncorrected_weights is not None:
        arrays |= model.uncorrected_weights.to_arrays(UNCORRECTED)
    return arrays


def _settings(stored: StoredModel) -> LinkerConfig:
    """The settings of a model, those of earlier versions under their names of today."""
    candidates = stored.config.get("candidates")
    if not isinstance(candidates, dict):
        return stored.settings(LinkerConfig)
    config = stored.config | {"candidates": current_settings(candidates)}
    return replace(stored, manifest=replace(stored.manifest, config=config)).settings(LinkerConfig)


def model_from(stored: StoredModel, n_threads: int = 0) -> LinkerModel:
    """The model, checked, memory-mapped; its re-ranker and reader are not opened yet."""
    arrays, config = stored.arrays, _settings(stored)
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


def reranker_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> TrainedReranker | None:
    """The re-ranker of a model, not opened yet; None if it has none."""
    if not is_stored(arrays, "reranker"):
        return None
    return TrainedReranker.from_arrays(arrays, "reranker", open_reranker=open_reranker(kb, n_threads))


def reader_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> Reader | None:
    """The reader of a model, not opened yet; None if it has none."""
    if not is_stored(arrays, "reader"):
        return None
    return Reader.from_arrays(arrays, "reader", open_reader=open_reader(kb, n_threads))
