"""How mentions are found is learned: chances of spans from annotated documents, the decision from held-out ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.decision.calibrator import evidence_of
from deixis.detection.config import FindingConfig
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.name_facts import NameFacts
from deixis.detection.span_scorer import SpanScorer
from deixis.detection.spans import SpanTable, on_one_line
from deixis.errors import ConfigError
from deixis.gold import Resolve, acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration
from deixis.linking.deciding import Decider, best_apart, decision_evidence, default_decision
from deixis.linking.finding import Finding, Rank, all_spans, in_context, is_nameless
from deixis.linking.held_out import HeldOut
from deixis.linking.nil import NilRule
from deixis.progress import stage
from deixis.ranking.ranker import kind_of
from deixis.types import Document

logger = logging.getLogger(__name__)

MIN_DOCUMENTS = 10  # with mentions, to learn a decision from
MAX_THRESHOLD = 0.5  # of the best F1: that of chances that can be believed is half of that F1

Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Numbers of texts, and where something begins and ends in each."""
Answers = dict[tuple[int, int, int], frozenset[str]]
"""(number of a document, start, end) -> the ids that are right there."""


def build_finding(
    kb: KnowledgeBase,
    detector: DictionaryDetector,
    counts: NDArray[np.float64],
    documents: Sequence[Document],
    config: FindingConfig | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> Finding:
    """How mentions of the knowledge base's entities, met `counts` times, are found; documents teach, if they are many.

    With few documents and a long list the chances of names are read from the knowledge base itself; in a short list
    the rules of the dictionary decide.
    """
    config = config or FindingConfig()
    answers = answers_in(documents, kb.own_id)
    names, rows = kb.names()
    is_taught = len({number for number, _, _ in answers}) >= max(1, config.min_documents)
    default = Decider.default(kind_of(kb))
    rule = NilRule(default_decision(kind_of(kb))["threshold"])
    if config.scoring == "rules" or not (is_taught or len(names) >= config.min_names):
        return Finding(detector, None, SpanScorer.by_rules(), default, rule, config)
    with stage("learning what a mention looks like"):
        facts = NameFacts.build(detector, names, rows, counts, kb.description_texts(), n_threads)
        if not is_taught:
            return Finding(detector, None, SpanScorer.from_kb(facts, kind_of(kb)), default, rule, config)
        texts = [document.text for document in documents]
        used = sorted({texts[number][start:end] for number, start, end in answers})
        learned = DictionaryDetector.build(used, config=detector.config)
        table = all_spans(detector, [learned], texts, config, n_threads)
        scorer = SpanScorer.fit(table, _is_answered(table, answers), facts, seed)
    return Finding(detector, learned, scorer, default, rule, config)


def decided_by(
    finding: Finding, documents: Sequence[Document], resolve: Resolve, rank: Rank, rule: NilRule, n_threads: int = 0
) -> Finding:
    """The same with a decision learned from annotated documents that it has not learned from, and what they say of it.

    The threshold is the rule's, or keeps to its target precision, or has the best F1 from text to links. Fewer than ten
    documents with mentions change nothing.
    """
    answers = answers_in(documents, resolve)
    if finding.scorer.is_by_rules or len({number for number, _, _ in answers}) < MIN_DOCUMENTS:
        return finding
    spans = finding.spans([document.text for document in documents], n_threads)
    evidence, is_right = [], []
    for part in spans.parts():
        here = spans.take(part)
        ranked = rank(in_context(documents, here.table))
        evidence.append(decision_evidence(here.log_odds, evidence_of(ranked), is_nameless(here.table)))
        asked = zip(here.table.texts.tolist(), here.table.starts.tolist(), here.table.ends.tolist(), strict=True)
        is_right += [
            bool(listed) and listed[0].id in answers.get(place, ()) for place, listed in zip(asked, ranked, strict=True)
        ]
    if not any(is_right):
        return finding
    verdicts, told = np.array(is_right, dtype=bool), np.concatenate(evidence)
    decider = Decider.fit(told, verdicts, finding.decider)
    places = (spans.table.texts, spans.table.starts, spans.table.ends)
    calibration = Calibration(None, held_out_links(places, decider.chances(told), verdicts, answers))
    return replace(finding, decider=decider, nil=settled_threshold(calibration, rule), calibration=calibration)


def held_out_links(
    places: Columns, chances: NDArray[np.float64], is_right: NDArray[np.bool_], answers: Answers
) -> HeldOut:
    """The links of held-out documents, whatever their chance; mentions that are not among them have the score 0."""
    texts, starts, ends = places
    taken = np.flatnonzero(best_apart(*on_one_line(texts, starts, ends), chances**2))
    found = list(zip(texts[taken].tolist(), starts[taken].tolist(), ends[taken].tolist(), strict=True))
    is_known = [place in answers for place in found]
    missed = sorted(number for number, _, _ in answers.keys() - set(found))
    nothing = np.zeros(len(missed))
    return HeldOut(
        np.concatenate([texts[taken], missed]).astype(np.int64),
        np.concatenate([chances[taken], nothing]),
        np.concatenate([is_right[taken], nothing > 0]),
        np.concatenate([np.array(is_known, dtype=bool), nothing == 0]),
    )


def answers_in(documents: Sequence[Document], resolve: Resolve) -> Answers:
    """The mentions of entities of the knowledge base, and the ids that are right for each."""
    answers: Answers = {}
    for number, document in enumerate(documents):
        for mention in document.mentions:
            accepted = frozenset[str]() if mention.entity is None else acceptable_ids(mention.entity, resolve)
            if accepted and mention.start < mention.end:
                answers[number, mention.start, mention.end] = accepted
    return answers


def _is_answered(table: SpanTable, answers: Answers) -> NDArray[np.bool_]:
    places = zip(table.texts.tolist(), table.starts.tolist(), table.ends.tolist(), strict=True)
    return np.fromiter((place in answers for place in places), dtype=bool, count=len(table))


def settled_threshold(calibration: Calibration, rule: NilRule) -> NilRule:
    """The threshold that the rule asks for, or else that of the best F1 from text to links."""
    if rule.threshold is not None or rule.target_precision is not None:
        try:
            return calibration.settled(rule)
        except ConfigError as error:
            logger.warning("In texts without mentions links are made at the threshold of the best F1: %s", error)
    return NilRule(min(calibration.settled(NilRule()).least_score, MAX_THRESHOLD))
