"""Detection fitted to annotated documents: odds of spans from train, the decision over raw text from dev."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision
from deixis.decision.link_model import LinkModel, link_evidence
from deixis.decision.overlaps import best_apart
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector, all_spans
from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.names import NameMatcher
from deixis.detection.span_scorer import SpanScorer
from deixis.detection.spans import SpanTable
from deixis.errors import ConfigError
from deixis.gold import Resolve, acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.batching import batches
from deixis.linking.inputs import as_document
from deixis.linking.model import LinkerModel
from deixis.linking.streams import score_mentions
from deixis.progress import stage
from deixis.tables import Ranking, Spans, on_one_line
from deixis.types import Document

logger = logging.getLogger(__name__)

MIN_DOCUMENTS = 10  # with mentions, to learn a decision from
MAX_THRESHOLD = 0.5  # of the best F1: that of calibrated probabilities is half of that F1

GoldSpans = dict[tuple[int, int, int], frozenset[str]]
"""(number of a document, start, end) -> the ids that are right there."""


def build_detector(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    config: FindingConfig | None = None,
    dictionary: DictionaryConfig | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> SpanDetector:
    """The detector of mentions of the knowledge base's entities; many annotated documents train it."""
    config = config or FindingConfig()
    gold = gold_spans(documents, kb.own_id)
    with stage("learning how names are written"):
        detector = SpanDetector.from_names(
            kb.names()[0], kb.titles, kb.description_texts(), config, dictionary, n_threads
        )
    if len({number for number, _, _ in gold}) < max(1, config.min_documents):
        return detector
    with stage("learning what a mention looks like"):
        texts = [document.text for document in documents]
        used = sorted({texts[number][start:end] for number, start, end in gold})
        seen_names = NameMatcher.build(used, dictionary)
        table = all_spans(detector.names, [seen_names], texts, config, n_threads)
        scorer = SpanScorer.fit(table, _is_gold(table, gold), detector.scorer.facts, seed)
    return replace(detector, scorer=scorer, learned=seen_names)


def fit_detected(
    model: LinkerModel,
    documents: Sequence[Document],
    threshold: float | None = None,
    target_precision: float | None = None,
) -> LinkerModel:
    """The model with a decision on detected mentions, learned from annotated documents that it was not trained on.

    All mentions of the documents must be annotated: what is not counts as wrong. The threshold is the given one,
    or the one for the target precision, or the one with the best end-to-end F1. Fewer than ten documents with
    mentions change nothing.
    """
    documents = [as_document(document, number) for number, document in enumerate(documents)]
    gold = gold_spans(documents, model.kb.own_id)
    if len({number for number, _, _ in gold}) < MIN_DOCUMENTS:
        return model
    with stage("deciding what is a mention"):
        spans = model.detector.detect([document.text for document in documents], n_threads=model.n_threads)
        rankings = [score_mentions(model, batch.in_context(documents)) for batch in batches(spans, is_given=False)]
        ranking = Ranking.joined(rankings)
        ids = [None if row < 0 else model.kb.ids[row] for row in ranking.best_rows().tolist()]
        is_right = np.array(
            [name in gold.get(key, ()) for key, name in zip(spans.keys(), ids, strict=True)], dtype=bool
        )
        if not is_right.any():
            return model
        evidence, before = link_evidence(spans, ranking), model.decisions.detected
        start = before.model if isinstance(before.model, LinkModel) else LinkModel.default()
        link_model = LinkModel.fit(evidence, is_right, start)
        curve = curve_of_links(spans, link_model.of_evidence(evidence), is_right, gold)
    decision = with_end_to_end_threshold(Decision(link_model, curve=curve), threshold, target_precision)
    return replace(model, decisions=replace(model.decisions, detected=decision))


def curve_of_links(
    spans: Spans, probabilities: NDArray[np.float64], is_right: NDArray[np.bool_], gold: GoldSpans
) -> ThresholdCurve:
    """The links of held-out documents, whatever their probability; mentions that are not among them have score 0."""
    starts, ends = on_one_line(spans.documents, spans.starts, spans.ends)
    chosen = np.flatnonzero(best_apart(starts, ends, probabilities**2 * (ends - starts)))
    keys = list(spans.take(chosen).keys())
    is_known = [key in gold for key in keys]
    missed = sorted(number for number, _, _ in gold.keys() - set(keys))
    nothing = np.zeros(len(missed))
    return ThresholdCurve(
        np.concatenate([spans.documents[chosen], missed]).astype(np.int64),
        np.concatenate([probabilities[chosen], nothing]),
        np.concatenate([is_right[chosen], nothing > 0]),
        np.concatenate([np.array(is_known, dtype=bool), nothing == 0]),
    )


def gold_spans(documents: Sequence[Document], resolve: Resolve) -> GoldSpans:
    """The mentions of entities of the knowledge base, and the ids that are right for each."""
    gold: GoldSpans = {}
    for number, document in enumerate(documents):
        for mention in document.mentions:
            accepted = frozenset[str]() if mention.entity is None else acceptable_ids(mention.entity, resolve)
            if accepted and mention.start < mention.end:
                gold[number, mention.start, mention.end] = accepted
    return gold


def _is_gold(table: SpanTable, gold: GoldSpans) -> NDArray[np.bool_]:
    return np.fromiter((position in gold for position in table.positions()), dtype=bool, count=len(table))


def with_end_to_end_threshold(
    decision: Decision, threshold: float | None = None, target_precision: float | None = None
) -> Decision:
    """The decision with the given threshold or target precision; with neither, the one with the best end-to-end F1."""
    if threshold is not None or target_precision is not None:
        try:
            return decision.with_best_threshold(threshold, target_precision)
        except ConfigError as error:
            logger.warning("In texts without mentions links are made at the threshold of the best F1: %s", error)
    best = decision.with_best_threshold()
    return replace(best, threshold=min(best.min_probability, MAX_THRESHOLD))
