"""A linker's model as named arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections, known_to
from deixis.linking.edited import without_edits
from deixis.linking.lazy_parts import reader_from, reranker_from
from deixis.linking.model import LinkerModel
from deixis.linking.older_models import stored_decisions, stored_detector
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stored_settings import stored_settings
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.model_folder import StoredModel

KIND = "linker"
PARTS = ("kb", "detector", "sources", "ranker", "decisions", "reranker", "reader", "corrections", "seen")
"""The parts of a model, and the names that their arrays begin with."""
EDITS = "edits"
"""What the names of edits' arrays begin with."""
UNCORRECTED = "uncorrected_weights"  # the ranker's, before many corrections refitted them


def model_arrays(model: LinkerModel) -> dict[str, NDArray[Any]]:
    """All parts as arrays, each under its own name: those that were built, and beside them edits and corrections."""
    arrays: dict[str, NDArray[Any]] = model.edits.to_arrays(EDITS) if len(model.edits) else {}
    built = model
    if model.built is not None:
        built = without_edits(model)
        built = replace(built, ranker=built.ranker.with_weights(model.ranker.weights), corrections=model.corrections)
    for name in PARTS:
        part = getattr(built, name)
        arrays |= {} if part is None else part.to_arrays(name)
    if model.uncorrected_weights is not None:
        arrays |= model.uncorrected_weights.to_arrays(UNCORRECTED)
    return arrays


def model_from(stored: StoredModel, n_threads: int = 0) -> LinkerModel:
    """The model of the built list, checked, memory-mapped; its re-ranker and reader are not opened yet.

    `deixis.training.folder_model` applies edits of entities.
    """
    arrays, config = stored.arrays, stored_settings(stored)
    kb = KnowledgeBase.from_arrays(arrays, "kb")
    sources = CandidateSources.from_arrays(arrays, "sources", kb, config.candidates, n_threads)
    model = LinkerModel(
        kb,
        stored_detector(arrays, kb, config, n_threads),
        sources,
        FeatureRanker.from_arrays(arrays, "ranker", words=sources.words, n_entities=len(kb), n_threads=n_threads),
        stored_decisions(arrays),
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
    return with_corrections(
        model, Corrections(tuple(known_to(kb, corrections.each))) if has_edits(arrays) else corrections
    )


def has_edits(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether entities were edited since the parts were built; corrections can name entities that were added."""
    return any(name.startswith(f"{EDITS}.") for name in arrays)
