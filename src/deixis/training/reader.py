"""The trainer of a reader, alone or with a retriever: its links are weighed against those of detection and sources.

A reader alone learns from what the model's own detection and sources propose.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision
from deixis.errors import DataError
from deixis.evaluation.linking.figures import measured, micro
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.log_odds import expit
from deixis.learners.logistic import fit_logistic, weighed
from deixis.linking.batching import batches
from deixis.linking.lazy_parts import open_reader
from deixis.linking.model import LinkerModel, Reader
from deixis.linking.options import LinkOptions
from deixis.linking.plan import MIN_READ_PROBABILITY, LinkPlan, LinkPlans
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stages.decide import mentions_among
from deixis.linking.stages.detect import detect
from deixis.linking.stages.rank import rank
from deixis.linking.stages.read import (
    COUNTS_FOR,
    EVIDENCE,
    PossibleLinks,
    passage_candidates,
    possible_links,
    reader_input,
)
from deixis.linking.streams import link_stream
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.train import train_reader as train_passage_reader
from deixis.progress import stage
from deixis.store.lazy_part import LazyPart
from deixis.tables import Ranking, Spans
from deixis.training.config import TrainingConfig
from deixis.training.detector import curve_of_links, gold_spans, with_end_to_end_threshold
from deixis.training.documents import known, n_known, split_documents
from deixis.training.result import TrainingResult
from deixis.training.split import TrainDevSplit
from deixis.types import Document, Mention

logger = logging.getLogger(__name__)

START = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # detection and ranking alone
OF_READER = np.array([False, False, True, True, True, True])
F1 = [figure for figure in micro("inkb_micro", "n_right", "n_links", "n_in_kb") if figure.name == "inkb_micro_f1"]


def train_reader(
    model: LinkerModel,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: TrainingConfig,
    folder: Path | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> TrainingResult:
    """The model with a reader, and how detection alone, the reader alone and both do on held-out documents.

    All mentions of the documents must be annotated: what is not counts as wrong. The two are weighed by one half of the
    held-out documents, `dev` or a fraction of the others, and evaluated on the other half; the final weights are
    fitted on all of them.
    """
    if not documents:
        raise DataError("There are no documents to learn from.")
    split = TrainDevSplit.of(model, documents, dev, config.held_out_share, seed)
    halves = split_documents(split.dev, 0.5, seed)
    for half in halves:
        known(model.kb, half, "to hold out")
    with stage("finding candidates"):
        proposed = reader_input_of(split.judge, split.train)
    settings = replace(config.reader, seed=seed, n_threads=n_threads)

    def source(passages: Sequence[AnnotatedPassage]) -> list[list[int]]:
        return passage_candidates(*proposed, [each.passage for each in passages], 2 * settings.n_candidates)

    own = None if settings.has_retriever else source
    arrays = train_passage_reader(model.kb, split.train, settings, own, folder=folder).to_arrays("reader")
    reader = Reader(LazyPart(arrays, "reader", open_reader(model.kb, n_threads)), START, SeenDocuments.of(split.train))
    target = model.decisions.given.target_precision
    with stage("judging by held-out documents"):
        begin = time.perf_counter()
        held_out = [*halves[0], *halves[1]]
        links = possible_links(reader, held_out, *reader_input_of(split.judge, held_out))
        seconds = time.perf_counter() - begin
        f1s = _f1s(split.judge, held_out, links, target, len(halves[0]))
    if f1s[-1].value <= f1s[0].value:
        logger.warning("Links are no better by the reader on these held-out documents: deixis link --no-reader.")
    weights, decision = fit_reading(model.kb, held_out, links, target)
    n_characters = sum(len(document.text) for document in split.dev)
    trained = replace(model, reader=replace(reader, weights=weights), decisions=replace(model.decisions, read=decision))
    per_second = n_characters / max(seconds, 1e-9)
    return TrainingResult(trained, (), n_known(model.kb, split.train), f1s=f1s, characters_per_second=per_second)


def reader_input_of(model: LinkerModel, documents: Sequence[Document]) -> tuple[Spans, Ranking]:
    """The reader's input for the texts of documents; their own mentions are ignored."""
    bare = [document.with_mentions(()) for document in documents]
    plan = LinkPlan.of(model, LinkOptions(reader=False, overlaps="keep"), detects=True)
    plan = replace(plan, min_probability=min(plan.min_probability, MIN_READ_PROBABILITY))
    spans = detect(plan, bare, range(len(bare)), None)
    return reader_input(plan, (rank(plan, bare, batch) for batch in batches(spans, is_given=False)))


def fit_reading(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    links: PossibleLinks,
    target_precision: float | None,
    is_reader_alone: bool = False,
) -> tuple[NDArray[np.float64], Decision]:
    """Weights and a decision learned from annotated documents, which neither reader nor model has seen."""
    gold = gold_spans(documents, kb.own_id)
    is_right = np.array([kb.ids[row] in gold.get((n, s, e), ()) for n, s, e, row in links.keys()], dtype=bool)
    evidence = links.evidence * OF_READER if is_reader_alone else links.evidence
    weights: NDArray[np.float64] = np.zeros(len(EVIDENCE))
    if is_right.any():
        start = weights if is_reader_alone else START
        weights = fit_logistic(evidence.astype(np.float32), is_right, 1.0, start, COUNTS_FOR)
    spans, ranking = links.ranked(expit(weighed(links.evidence, weights)))
    best = [kb.ids[row] for row in ranking.best_rows().tolist()]
    is_best_right = np.array([name in gold.get(key, ()) for key, name in zip(spans.keys(), best, strict=True)], bool)
    curve = curve_of_links(spans, ranking.best_scores(), is_best_right, gold)
    return weights, with_end_to_end_threshold(Decision(curve=curve), None, target_precision)


def f1_of(name: str, kb: KnowledgeBase, gold: Sequence[Document], linked: Sequence[Document]) -> Metric:
    """InKB micro F1 of links: the same span and a right entity, among the mentions the knowledge base has."""
    tally = Tally(kb.own_id)
    for right, answer in zip(gold, linked, strict=True):
        known_only = [m for m in right.mentions if m.entity and acceptable_ids(m.entity, kb.own_id)]
        tally.add(
            right.with_mentions(known_only), answer.with_mentions([m for m in answer.mentions if m.entity is not None])
        )
    return replace(measured(tally.columns(), F1, seed=0)[0], name=name)


def _f1s(
    model: LinkerModel, documents: Sequence[Document], links: PossibleLinks, target: float | None, n_weighing: int
) -> tuple[Metric, ...]:
    """F1 from text to links of detection alone, the reader alone and both, on all documents but the first."""
    weighing, judging = documents[:n_weighing], documents[n_weighing:]
    weighed_links = links.take(np.flatnonzero(links.documents < n_weighing))
    dev_links = links.take(np.flatnonzero(links.documents >= n_weighing))
    dev_links = replace(dev_links, documents=dev_links.documents - n_weighing)
    bare = [document.with_mentions(()) for document in judging]
    alone = LinkPlans.of(model, LinkOptions(reader=False))
    answers = {"finding alone": list(link_stream(alone, bare))}
    for name, is_alone in (("reader alone", True), ("both", False)):
        weights, decision = fit_reading(model.kb, weighing, weighed_links, target, is_alone)
        answers[name] = _linked(model.kb, bare, dev_links, weights, decision)
    return tuple(f1_of(name, model.kb, judging, linked) for name, linked in answers.items())


def _linked(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    links: PossibleLinks,
    weights: NDArray[np.float64],
    decision: Decision,
) -> list[Document]:
    """The documents with the links that these weights and this decision make."""
    spans, ranking = links.ranked(expit(weighed(links.evidence, weights)))
    is_link = mentions_among(spans, ranking.best_scores(), decision.min_probability, may_overlap=False)
    rows = ranking.best_rows()
    mentions: list[list[Mention]] = [[] for _ in documents]
    for number in np.flatnonzero(is_link).tolist():
        document, start, end = int(spans.documents[number]), int(spans.starts[number]), int(spans.ends[number])
        mentions[document].append(Mention(start, end, documents[document].text[start:end], kb.ids[int(rows[number])]))
    return [document.with_mentions(own) for document, own in zip(documents, mentions, strict=True)]
