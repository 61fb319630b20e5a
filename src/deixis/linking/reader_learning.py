"""A reader for a linker: trained on what the linker's own stations propose, and weighed against them."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from deixis.errors import DataError
from deixis.evaluation.linking.figures import measured, micro
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.logistic import fit_logistic, weighed
from deixis.linking.calibration import Calibration
from deixis.linking.finding_learning import answers_in, held_out_links, settled_threshold
from deixis.linking.held_out import split_documents
from deixis.linking.learned import Learned
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reading import (
    COUNTS_FOR,
    EVIDENCE,
    PossibleLinks,
    ReadingStation,
    StoredReader,
    passage_candidates,
)
from deixis.linking.seen import SeenDocuments
from deixis.linking.teaching import Teaching, known, n_known
from deixis.progress import stage
from deixis.registry import Lazy, LazyRegistry
from deixis.types import Document

if TYPE_CHECKING:  # it needs the extra
    from deixis.neural.reader.examples import TaughtPassage

logger = logging.getLogger(__name__)

TRAINERS = LazyRegistry("training", {"reader": Lazy("deixis.neural.reader.train:train_reader", extra="neural")})
START = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # finding is believed, and the reader is not heard
OF_READER = np.array([False, False, True, True, True, True])
F1 = [figure for figure in micro("inkb_micro", "n_right", "n_links", "n_in_kb") if figure.name == "inkb_micro_f1"]


def learn_reader(
    linker: Linker,
    documents: Sequence[Document],
    dev: Sequence[Document] | None,
    config: LearningConfig,
    seed: int = 0,
    n_threads: int = 1,
) -> Learned:
    """The linker with a reader, and how finding alone, the reader alone and both do on held-out documents.

    All mentions of the documents must be annotated: what is not counts as wrong. The two are weighed by one half of the
    held-out documents, `dev` or a share of the others, and judged by the other half; in the end they are weighed by
    all.
    """
    if not documents:
        raise DataError("There are no documents to learn from.")
    train = TRAINERS["reader"]  # what is not installed is said before the work
    teaching = Teaching.of(linker, documents, dev, config.held_out_share, seed)
    halves = split_documents(teaching.held_out, 0.5, seed)
    for half in halves:
        known(linker.kb, half, "to hold out")
    with stage("finding candidates"):
        proposed = teaching.linker.proposed(teaching.taught)
    settings = replace(config.reader, seed=seed, n_threads=n_threads)

    def source(passages: Sequence[TaughtPassage]) -> list[list[int]]:
        return passage_candidates(linker.kb, proposed, [each.passage for each in passages], 2 * settings.n_candidates)

    trained = train(linker.kb, teaching.taught, settings, source)
    reader = StoredReader(trained.to_arrays("reader"), "reader", linker.kb, n_threads)
    station = ReadingStation(reader, START, NilRule(), learned_from=SeenDocuments.of(teaching.taught))
    rule = NilRule(target_precision=linker.config.nil.target_precision)
    with stage("judging by held-out documents"):
        begin = time.perf_counter()
        asked = [*halves[0], *halves[1]]
        looked = station.possible(linker.kb, teaching.linker.proposed(asked))
        seconds = time.perf_counter() - begin
        f1s = _judged(teaching.linker, station, asked, looked, rule, len(halves[0]))
    if f1s[-1].value <= f1s[0].value:
        logger.warning("Links are no better by the reader on these held-out documents: deixis link --no-reader.")
    weighed_by_all = weighed_by(station, linker.kb, asked, looked, rule)
    n_characters = sum(len(document.text) for document in teaching.held_out)
    return Learned(
        linker.with_reading(weighed_by_all),
        (),
        n_known(linker.kb, teaching.taught),
        f1s=f1s,
        characters_per_second=n_characters / max(seconds, 1e-9),
    )


def _judged(
    linker: Linker,
    station: ReadingStation,
    documents: Sequence[Document],
    links: PossibleLinks,
    rule: NilRule,
    n_weighing: int,
) -> tuple[Metric, ...]:
    """F1 from text to links of finding alone, the reader alone and both, on all documents but the first."""
    weighing, judging = documents[:n_weighing], documents[n_weighing:]
    weighed_links = links.take(np.flatnonzero(links.texts < n_weighing))
    judged_links = links.take(np.flatnonzero(links.texts >= n_weighing))
    judged_links = replace(judged_links, texts=judged_links.texts - n_weighing)
    bare = [document.with_mentions(()) for document in judging]
    found = {"finding alone": linker.link(bare, read=False)}
    for name, is_alone in (("reader alone", True), ("both", False)):
        own = weighed_by(station, linker.kb, weighing, weighed_links, rule, is_alone)
        found[name] = own.linked(linker.kb, bare, judged_links)
    return tuple(f1_of(name, linker.kb, judging, linked) for name, linked in found.items())


def weighed_by(
    station: ReadingStation,
    kb: KnowledgeBase,
    documents: Sequence[Document],
    links: PossibleLinks,
    rule: NilRule,
    is_reader_alone: bool = False,
) -> ReadingStation:
    """The same with weights and a threshold learned from annotated documents, which neither of the two has seen."""
    answers = answers_in(documents, kb.own_id)
    is_right = np.array([kb.ids[row] in answers.get(place, ()) for place, row in links.places()], dtype=bool)
    evidence = links.evidence * OF_READER if is_reader_alone else links.evidence
    weights: NDArray[np.float64] = np.zeros(len(EVIDENCE))
    if is_right.any():
        start = weights if is_reader_alone else START
        weights = fit_logistic(evidence.astype(np.float32), is_right, 1.0, start, COUNTS_FOR)
    chances = expit(weighed(links.evidence, weights))
    best = links.taken(chances, 0.0, "keep")
    places = (links.texts[best], links.starts[best], links.ends[best])
    calibration = Calibration(None, held_out_links(places, chances[best], is_right[best], answers))
    return replace(station, weights=weights, nil=settled_threshold(calibration, rule), calibration=calibration)


def f1_of(name: str, kb: KnowledgeBase, gold: Sequence[Document], linked: Sequence[Document]) -> Metric:
    """InKB micro F1 of links: the same span and a right entity, among the mentions the knowledge base has."""
    tally = Tally(kb.own_id)
    for right, found in zip(gold, linked, strict=True):
        known_only = [m for m in right.mentions if m.entity and acceptable_ids(m.entity, kb.own_id)]
        tally.add(
            right.with_mentions(known_only), found.with_mentions([m for m in found.mentions if m.entity is not None])
        )
    return replace(measured(tally.columns(), F1, seed=0)[0], name=name)
