"""A linker's model as settings and named arrays, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.candidates.combined import UnionCandidates
from deixis.config import config_to_dict
from deixis.detection.detector import SpanDetector
from deixis.detection.dictionary import DictionaryDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stored_decisions import decision_arrays, decisions_from, reader_from, reranker_from
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.model_folder import StoredModel

KIND = "linker"
UNCORRECTED = "uncorrected.weights"  # the ranker's, before many corrections refitted them


def stored_config(model: LinkerModel) -> dict[str, Any]:
    """The settings to save, with the threshold in force."""
    given = model.decisions.given
    return config_to_dict(replace(model.config, nil=ThresholdConfig(given.threshold, given.target_precision)))


def model_arrays(model: LinkerModel) -> dict[str, NDArray[Any]]:
    """All parts as arrays, each under a prefix of its own."""
    arrays = model.kb.to_arrays("kb") | model.detector.names.to_arrays("detector")
    arrays |= model.sources.to_arrays("candidates") | model.ranker.to_arrays("ranking")
    arrays |= model.seen.to_arrays("learned_from") | model.detector.to_arrays("finding")
    if model.uncorrected_weights is not None:
        arrays |= model.uncorrected_weights.to_arrays(UNCORRECTED)
    return arrays | decision_arrays(model) | model.corrections.to_arrays("corrections")


def model_from(stored: StoredModel, n_threads: int = 0) -> LinkerModel:
    """The model, checked, memory-mapped; its re-ranker and reader are not opened yet."""
    arrays, config = stored.arrays, stored.settings(LinkerConfig)
    kb = KnowledgeBase.from_arrays(arrays, "kb")
    sources = UnionCandidates.from_arrays(arrays, "candidates", kb, config.candidates, n_threads)
    names = DictionaryDetector.from_arrays(arrays, "detector", config.detection)
    model = LinkerModel(
        kb,
        SpanDetector.from_arrays(arrays, "finding", names, config.finding),
        sources,
        FeatureRanker.from_arrays(arrays, "ranking", sources.words, n_threads),
        decisions_from(arrays, config.nil),
        config,
        reranker_from(arrays, kb, n_threads),
        reader_from(arrays, kb, n_threads),
        seen=SeenDocuments.from_arrays(arrays, "learned_from"),
        n_threads=n_threads,
    )
    corrections = Corrections.from_arrays(arrays, "corrections")
    if not corrections.each:
        return model
    if any(name.startswith(UNCORRECTED) for name in arrays):
        model = replace(model, uncorrected_weights=FeatureWeights.from_arrays(arrays, UNCORRECTED))
    return with_corrections(model, corrections)
