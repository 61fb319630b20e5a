"""A knowledge base, and annotated documents if there are any, to a model: part by part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.combined import CandidateSources
from deixis.candidates.entity_facts import popularity_from
from deixis.candidates.source import CandidateSource
from deixis.candidates.sources.name_vectors import NameVectorSource
from deixis.decision.decision import Decision, Decisions
from deixis.decision.link_model import LinkModel
from deixis.detection.detector import SpanDetector
from deixis.detection.dictionary import DictionaryDetector
from deixis.encoders.parallel import ParallelEncoder
from deixis.errors import DataError
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.model import LinkerModel
from deixis.linking.popularity import popularity_of
from deixis.linking.seen_documents import SeenDocuments
from deixis.progress import stage
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.build_folder import parts_below, stored_part
from deixis.store.part import Part
from deixis.training.calibrate import calibrate, measured
from deixis.training.detector import build_detector, fit_detected
from deixis.training.documents import split_documents
from deixis.training.examples import fit_weights
from deixis.types import Document

HELD_OUT = "held-out."  # what names of parts of the first model begin with, where there are two
ACROSS_LANGUAGES = 3.0
"""Weight of `name_vectors` by an encoder fitted across languages, chosen on dev (benchmarks.quality.cross_lingual)."""


def build_model(
    kb: KnowledgeBase,
    documents: Iterable[Document] | None = None,
    config: LinkerConfig | None = None,
    *,
    seed: int = 0,
    n_threads: int = 0,
    earlier: Mapping[str, CandidateSource] | None = None,
) -> LinkerModel:
    """A model of `kb`; documents with annotated mentions make it better but are not needed.

    With documents a first model is built without a part of them, by which weights, detection and decisions are fitted;
    the model itself is built with all of them and takes these over. What `earlier` sources of the same entities have
    encoded is not encoded again.
    """
    if not isinstance(kb, KnowledgeBase):
        raise DataError(
            f"Expected a KnowledgeBase, got {type(kb).__name__}. Make one with KnowledgeBase.read(path) or "
            "KnowledgeBase.from_records(records)."
        )
    config = config or LinkerConfig()
    annotated = None if documents is None else annotated_documents(documents)
    if annotated is not None:
        train, dev = held_out(kb, annotated, config, seed)
        if dev:
            with parts_below(HELD_OUT):
                first = _built(kb, train, config, seed, n_threads, earlier)
            first = _fitted(first, dev)
            whole = _built(kb, annotated, config, seed, n_threads, first.sources.by_name)
            ranker = whole.ranker.with_weights_of(first.ranker)
            return replace(whole, ranker=ranker, decisions=first.decisions)
    return _built(kb, annotated, config, seed, n_threads, earlier)


def held_out(
    kb: KnowledgeBase, annotated: Sequence[Document], config: LinkerConfig, seed: int
) -> tuple[Sequence[Document], Sequence[Document]]:
    """The documents that a first model is built with, and those that are held back; none if they are too few."""
    if config.held_out_share > 0:
        train, dev = split_documents(annotated, config.held_out_share, seed)
        if len(list(known_mentions(kb, dev))) >= config.ranking.min_mentions:
            return train, dev
    return annotated, ()


def _fitted(model: LinkerModel, dev: Sequence[Document]) -> LinkerModel:
    """The model with weights and decisions fitted on documents that it was not built with.

    Scores of given mentions stay probabilities by the list alone, which hold for other texts, too; they are calibrated
    where a target precision is given.
    """
    nil = model.config.nil
    model = fit_weights(model, dev)
    # On new text learned weights hold for names that were seen; here, too, or the held-out mentions would flatter.
    model = replace(model, ranker=replace(model.ranker, fitted_names=None))
    has_target = nil.target_precision is not None
    model = calibrate(model, dev, target_precision=nil.target_precision) if has_target else measured(model, dev)
    return fit_detected(model, dev, nil.threshold, nil.target_precision)


def _built(
    kb: KnowledgeBase,
    documents: Sequence[Document] | None,
    config: LinkerConfig,
    seed: int,
    n_threads: int,
    earlier: Mapping[str, CandidateSource] | None,
) -> LinkerModel:
    """Every part made from the knowledge base and all documents, with default weights and decisions."""
    annotated = documents or ()
    counts = entity_counts(kb, config, n_threads)
    sources = CandidateSources.build(kb, annotated, config.candidates, seed, n_threads, counts, earlier)
    seen_names = NameSet.of(mention.text for mention, _ in known_mentions(kb, annotated))
    build_ranker = partial(FeatureRanker.build, kb, sources.words, popularity_from(counts), seen_names, config.ranking)
    context = {"words": sources.words, "n_entities": len(kb), "n_threads": n_threads}
    ranker = stored_part(partial(build_ranker, n_threads, sources=sources.columns), "ranker", FeatureRanker, **context)
    ranker = _weighted(ranker, sources)
    detector = span_detector(kb, annotated, config, seed, n_threads)
    nil = config.nil
    given = Decision(threshold=nil.threshold, target_precision=nil.target_precision)
    detected = Decision(LinkModel.default(), nil.threshold)
    decisions, seen = Decisions(given, detected), SeenDocuments.of(annotated)
    return LinkerModel(kb, detector, sources, ranker, decisions, config, seen=seen, n_threads=n_threads)


def entity_counts(kb: KnowledgeBase, config: LinkerConfig, n_threads: int) -> NDArray[np.float64]:
    """How often each entity is spoken of: by its own count, and in the descriptions of others."""
    counts: NDArray[np.float64] = (
        kb.counts + stored_part(partial(_popularity, kb, config, n_threads), "popularity", Popularity).counts
    )
    return counts


def span_detector(
    kb: KnowledgeBase, annotated: Sequence[Document], config: LinkerConfig, seed: int, n_threads: int
) -> SpanDetector:
    """The detector of mentions of the entities."""
    return stored_part(
        partial(build_detector, kb, annotated, config.finding, config.detection, seed, n_threads),
        "detector", SpanDetector, config=config.finding,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Popularity(Part):
    """How often descriptions mention each entity."""

    counts: NDArray[np.float64]


def _popularity(kb: KnowledgeBase, config: LinkerConfig, n_threads: int) -> Popularity:
    with stage("making a dictionary of names"):
        names = DictionaryDetector.build(kb.names(), kb.description_texts(), config.detection)
    return Popularity(popularity_of(kb, names, n_threads, config.own_text))


def _weighted(ranker: FeatureRanker, sources: CandidateSources) -> FeatureRanker:
    """The ranker in which vectors of names count more if their encoder was fitted to names in several languages.

    The other sources and features compare letters, and are all but blind across languages.
    """
    source = sources.get(NameVectorSource.name)
    if not isinstance(source, NameVectorSource) or not isinstance(source.encoder, ParallelEncoder):
        return ranker
    weights = ranker.weights.by_name()
    if not weights.get(NameVectorSource.name):  # the ranking is by the label tree alone
        return ranker
    return ranker.with_weights(FeatureWeights.of(weights | {NameVectorSource.name: ACROSS_LANGUAGES}))
