"""Candidates by vectors put into a model, or exchanged."""

from __future__ import annotations

from dataclasses import replace

from deixis.candidates.sources.vectors import VectorSource
from deixis.linking.model import LinkerModel
from deixis.ranking.features import FEATURES


def with_vectors(model: LinkerModel, vectors: VectorSource) -> LinkerModel:
    """The model with another source by vectors, or with its first, which weighs as is the default.

    Scores are calibrated as before, by the sources before.

    Examples
    --------
    >>> from deixis.candidates.source import SourceInputs
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> from deixis.training.build import build_model
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "capital of France"}])
    >>> model = with_vectors(build_model(kb), VectorSource.build(SourceInputs(kb)))
    >>> other = with_vectors(model, model.sources.get("vectors").with_contents("descriptions"))
    >>> other.config.candidates["vectors"].contents
    'descriptions'
    """
    sources = model.sources.with_source(vectors)
    start = model.config.ranking.start_weights(model.kb, sources.columns).by_name()
    further = {name: weight for name, weight in start.items() if "vectors" in FEATURES[name].needs}
    ranker = model.ranker.with_further_features(further)
    return replace(model, sources=sources, ranker=ranker, config=replace(model.config, candidates=sources.config))
