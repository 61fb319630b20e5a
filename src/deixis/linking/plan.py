"""What one call does: options checked against a model, everything looked up once.

Which decision holds when:

| spans                      | ranked by            | selected by | decided by            |
|----------------------------|----------------------|-------------|-----------------------|
| given                      | ranker               | (all)       | given                 |
| given                      | re-ranker            | (all)       | reranked              |
| detected                   | ranker               | detected    | detected              |
| detected                   | re-ranker            | detected    | detected, new scores  |
| read                       | ranker and reader    | read        | read                  |
| read                       | re-ranker            | read        | reranked              |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.filters import EntityFilter
from deixis.config import config_to_dict
from deixis.decision.decision import Decision
from deixis.decision.type_thresholds import entity_thresholds
from deixis.detection.config import EVERY_MIN_PROBABILITY, NIL_PROBABILITY, SURE_THRESHOLD, Names
from deixis.errors import ConfigError
from deixis.learners.log_odds import expit
from deixis.linking.model import LinkerModel, Reader, TrainedReranker
from deixis.linking.options import LinkOptions
from deixis.tables import EntityMask, Spans
from deixis.types import Document

NEVER = 2.0  # a probability that nothing has
MIN_READ_PROBABILITY = 0.02  # of spans given to a reader, which includes spans too improbable to be ranked without it
HOW_TO_GET_A_RERANKER = "Train one on annotated mentions: deixis fit reranker MODEL --mentions train.jsonl"
HOW_TO_GET_A_READER = "Train one on annotated documents: deixis fit reader MODEL --mentions train.jsonl"
NO_RAW_CURVE = (
    "No threshold is known that has a precision of {} on texts without given mentions: the model was never calibrated "
    "on them. Calibrate it on ten or more documents whose mentions are all annotated (deixis calibrate; in Python, "
    "all_mentions_annotated=True), give the mentions, or give a threshold."
)


@dataclass(frozen=True, eq=False)
class LinkPlan:
    """What one call does with one kind of documents: those that bring mentions, or those that bring none.

    `scoring` turns the ranker's scores into probabilities; `selecting` and `deciding` have the thresholds of which
    spans are mentions, and of which mentions are linked. `n_candidates` candidates count, `n_shown` are shown. Spans
    below `min_probability` are not ranked. Names that are mentions with `min_linked_probability` are linked to the best
    of their entities, however many there are.
    """

    model: LinkerModel
    detects: bool
    mask: EntityMask | None
    sources: CandidateSources
    n_candidates: int
    n_shown: int
    scoring: Decision
    selecting: Decision
    deciding: Decision
    may_overlap: bool
    min_probability: float
    min_linked_probability: float
    reranker: TrainedReranker | None
    reader: Reader | None
    type_thresholds: NDArray[np.float64] | None = None

    @property
    def min_named_probability(self) -> float:
        """How likely names must be mentions to be among them, whether they are linked or not."""
        return min(self.min_linked_probability, NIL_PROBABILITY)

    @property
    def depth(self) -> int:
        """How many candidates are ranked: those that count, those to be shown, and those that a re-ranker reads."""
        n_read = 0 if self.reranker is None else self.reranker.opened.n_candidates
        return max(self.n_candidates, self.n_shown, n_read)

    def thresholds(
        self, decision: Decision, rows: NDArray[np.int64], is_linked_name: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """The threshold of `decision` for a link to the entity of each row, -1 for none; types may have their own.

        Spans that are linked because of their name have none.
        """
        general = np.full(len(rows), decision.min_probability)
        if is_linked_name is not None:
            general[is_linked_name] = 0.0
        if self.type_thresholds is None or decision is not self.deciding:
            return general
        own = np.where(rows >= 0, self.type_thresholds[rows], np.nan)
        return np.where(np.isnan(own), general, own)

    def is_linked_name(self, spans: Spans, on_list: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which detected spans are linked because of their name: it is likely meant, and something on the list has it.

        Where every name is linked, it need not be likely that something has it: it may be misspelt.
        """
        if not self.detects:
            return np.zeros(len(spans), dtype=bool)
        is_name: NDArray[np.bool_] = spans.has_name & (expit(spans.log_odds) >= self.min_linked_probability)
        if self.min_linked_probability <= EVERY_MIN_PROBABILITY:
            return is_name
        return is_name & (on_list >= NIL_PROBABILITY)

    @classmethod
    def of(cls, model: LinkerModel, options: LinkOptions, detects: bool) -> LinkPlan:
        """The plan for documents without mentions (`detects`), or with. What is wrong with the options is said here."""
        reranker = _reranker(model, options)
        reader = _reader(model, options) if detects else None
        on_given, detected, read = _decisions(model, options)
        scoring = detected if detects else on_given
        selecting = scoring if reader is None else read
        deciding = selecting
        if reranker is not None and (reader is not None or not detects):
            deciding = _reranked(model, options)
        min_probability = model.detector.config.min_chance
        if reader is not None:
            min_probability = min(min_probability, MIN_READ_PROBABILITY)
        min_linked = _min_linked_probability(model, options, scoring) if detects else NEVER
        return cls(
            model, detects, options.only.cached_mask(model.kb), _sources(model, options), model.config.n_candidates,
            options.top_k or model.config.n_candidates, scoring, selecting, deciding, options.overlaps == "keep",
            min(min_probability, min_linked), min_linked, reranker, reader, _type_thresholds(model, options),
        )  # fmt: skip


def settings_in_force(model: LinkerModel, options: LinkOptions) -> dict[str, Any]:
    """The settings of a model with the threshold in force, and what the options change: to note beside results."""
    plan = LinkPlan.of(model, options, detects=False)
    settings = config_to_dict(model.config) | {"candidates": config_to_dict(plan.sources.config)}
    settings["nil"] = {"threshold": plan.deciding.threshold, "target_precision": plan.deciding.target_precision}
    if options.type_thresholds:
        settings["type_thresholds"] = dict(options.type_thresholds)
    if options.rerank:
        settings["rerank"] = True
    if options.reader is not None:
        settings["reader"] = options.reader
    if options.only:
        settings["only"] = {"types": options.types, "n_ids": len(options.ids), "languages": options.languages}
    return settings


@dataclass(frozen=True, eq=False)
class LinkPlans:
    """The plans of one call for both kinds of documents. `why_not_raw` says why raw text cannot be linked by these."""

    given: LinkPlan
    raw: LinkPlan
    why_not_raw: str = ""

    @classmethod
    def of(cls, model: LinkerModel, options: LinkOptions) -> LinkPlans:
        """Both plans; what is wrong with the options is said before anything is read.

        What is wrong with them for raw text only is said when there is raw text.
        """
        plan, raw = (LinkPlan.of(model, options, detects) for detects in (False, True))
        is_unknown = options.target_precision is not None and raw.deciding.curve is None
        return cls(plan, raw, NO_RAW_CURVE.format(options.target_precision) if is_unknown else "")

    def for_each_kind(self, documents: Sequence[Document]) -> Iterator[tuple[LinkPlan, list[int]]]:
        """Each plan with the numbers of its documents, if there are any."""
        numbers: dict[bool, list[int]] = {False: [], True: []}
        for number, document in enumerate(documents):
            numbers[not document.mentions].append(number)
        if self.why_not_raw and any(documents[number].text.strip() for number in numbers[True]):
            raise ConfigError(self.why_not_raw)
        for plan in (self.given, self.raw):
            if numbers[plan.detects]:
                yield plan, numbers[plan.detects]


def _decisions(model: LinkerModel, options: LinkOptions) -> tuple[Decision, Decision, Decision]:
    """The decisions on given, detected and read mentions, with the given threshold or target precision."""
    choice = options.threshold, options.target_precision
    decisions = model.decisions
    main = decisions.reranked if options.rerank else decisions.given
    if options.target_precision is not None and main is not None and main.curve is None:
        raise ConfigError(
            f"No threshold is known that has a precision of {options.target_precision}: the model was never "
            "calibrated. Calibrate it on annotated documents (deixis calibrate), or give a threshold."
        )
    read, detected = decisions.read or decisions.given, decisions.detected
    if _names(model, options) == "sure" and choice == (None, None):
        detected = detected.with_threshold(max(SURE_THRESHOLD, detected.min_probability))
    return tuple(each.with_threshold(*choice) for each in (decisions.given, detected, read))  # type: ignore[return-value]


def _names(model: LinkerModel, options: LinkOptions) -> Names:
    """Which names in raw text become links; a threshold says it more exactly."""
    if options.threshold is not None or options.target_precision is not None:
        return "sure"
    return options.names or model.detector.config.names


def _min_linked_probability(model: LinkerModel, options: LinkOptions, detected: Decision) -> float:
    """From which probability to be a mention on a name is linked whatever its score; a chosen threshold goes before."""
    if detected.threshold is not None and options.names is None:
        return NEVER
    return {"every": EVERY_MIN_PROBABILITY, "likely": NIL_PROBABILITY, "sure": NEVER}[_names(model, options)]


def _type_thresholds(model: LinkerModel, options: LinkOptions) -> NDArray[np.float64] | None:
    if not options.type_thresholds:
        return None
    masks = ((EntityFilter(types=(name,)).cached_mask(model.kb), each) for name, each in options.type_thresholds)
    return entity_thresholds(((mask, each) for mask, each in masks if mask is not None), len(model.kb))


def _reranked(model: LinkerModel, options: LinkOptions) -> Decision:
    decision = model.decisions.reranked or Decision()
    return decision.with_threshold(options.threshold, options.target_precision)


def _reranker(model: LinkerModel, options: LinkOptions) -> TrainedReranker | None:
    if options.rerank and model.reranker is None:
        raise ConfigError(f"This model has no re-ranker, so it cannot rerank. {HOW_TO_GET_A_RERANKER}")
    return model.reranker if options.rerank else None


def _reader(model: LinkerModel, options: LinkOptions) -> Reader | None:
    if options.reader and model.reader is None:
        raise ConfigError(f"This model has no reader, so it cannot read. {HOW_TO_GET_A_READER}")
    return None if options.reader is False else model.reader


def _sources(model: LinkerModel, options: LinkOptions) -> CandidateSources:
    """The model's sources, with the vectors that the options select."""
    if options.vectors is None:
        return model.sources
    vectors = model.sources.get("vectors")
    if vectors is None:
        raise ConfigError(
            f"This model has no vectors, so there are no {options.vectors!r} to compare with. Build one that has: "
            "deixis build KB --encoder static"
        )
    if options.vectors == "contexts" and vectors.contexts is None:
        raise ConfigError(
            "This model has vectors of descriptions only. Build it with annotated mentions to have contexts: "
            "deixis build KB --encoder static --mentions train.jsonl"
        )
    return model.sources.with_source(vectors.with_contents(options.vectors))
