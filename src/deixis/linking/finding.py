"""From a text without mentions to links: spans, how likely each is a mention, candidates, and one decision over all.

A long text walks in parts, cut where no span is cut; what is kept of a part is the mentions that were decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from deixis.decision.calibrator import evidence_of
from deixis.detection.config import FindingConfig
from deixis.detection.correction_odds import CorrectedSpans
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.markup import outside_markup
from deixis.detection.recognizers import Recognize, recognized
from deixis.detection.span_scorer import SpanScorer
from deixis.detection.spans import Sign, SpanTable, on_one_line
from deixis.linking.calibration import Calibration, rule_for
from deixis.linking.deciding import Decider, best_apart, decision_evidence, default_decision
from deixis.linking.nil import NilRule
from deixis.linking.portions import MENTIONS_AT_ONCE
from deixis.progress import track
from deixis.store.checks import check_length, check_range, require
from deixis.types import Candidate, Document, Mention, MentionInContext

Rank = Callable[[Sequence[MentionInContext]], list[list[Candidate]]]
Overlaps = Literal["drop", "keep"]

NIL_CHANCE = 0.5  # to be a mention, of names that are told though they are not linked
_NAME_SIGNS = Sign.NAME | Sign.UNRULY_NAME | Sign.INFLECTED | Sign.COMMON_NAME


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of a batch of documents with the log odds that they are mentions, and later what they are linked to."""

    table: SpanTable
    log_odds: NDArray[np.float64]

    def take(self, rows: slice | NDArray[np.bool_] | NDArray[np.integer]) -> Spans:
        """The spans in these rows."""
        return Spans(self.table.take(rows), self.log_odds[rows])

    def parts(self) -> Iterator[slice]:
        """Which spans walk together: those of whole documents, and of a long one as many as go without a cut."""
        texts = self.table.texts
        begin = 0
        while begin < len(texts):
            end = min(begin + MENTIONS_AT_ONCE, len(texts))
            if end < len(texts):
                first = int(np.searchsorted(texts, texts[end]))
                end = first if first > begin else self._apart(begin, end, int(np.searchsorted(texts, texts[end] + 1)))
            yield slice(begin, end)
            begin = end

    def _apart(self, begin: int, wished: int, last: int) -> int:
        """The last place up to the one wished where no span is cut, or else the first one after it."""
        reached = np.maximum.accumulate(self.table.ends[begin:last])
        places = begin + 1 + np.flatnonzero(self.table.starts[begin + 1 : last] >= reached[:-1])
        earlier = places[places <= wished]
        if len(earlier):
            return int(earlier[-1])
        return int(places[0]) if len(places) else last


@dataclass(frozen=True, eq=False)
class Finding:
    """Finds mentions and links them: what is looked for, what it weighs, and from which chance on a link is made.

    `learned` has the names that annotated documents use. `calibration` has what held-out documents say of chances.
    `corrected` is what corrections say of names; it is not stored.
    """

    detector: DictionaryDetector
    learned: DictionaryDetector | None
    scorer: SpanScorer
    decider: Decider
    nil: NilRule
    config: FindingConfig
    calibration: Calibration | None = None
    corrected: CorrectedSpans = field(default_factory=CorrectedSpans)

    @classmethod
    def by_rules(cls, detector: DictionaryDetector, config: FindingConfig | None = None) -> Finding:
        """What the dictionary's rules find, linked by the candidates' scores."""
        rule = NilRule(default_decision("described")["threshold"])
        decider = Decider.default("described")
        return cls(detector, None, SpanScorer.by_rules(), decider, rule, config or FindingConfig())

    def spans(
        self,
        texts: Sequence[str],
        n_threads: int = 0,
        recognize: Recognize | None = None,
        overlaps: Overlaps = "drop",
    ) -> Spans:
        """The spans of the texts that may well be mentions, none of them in markup."""
        table = self.looked_at(texts, n_threads, recognize)
        return self.likely(Spans(table, self.log_odds(table, overlaps)))

    def looked_at(self, texts: Sequence[str], n_threads: int = 0, recognize: Recognize | None = None) -> SpanTable:
        """All spans of the texts that could be mentions, however unlikely, none of them in markup."""
        config = self.config
        if self.scorer.is_by_rules:
            config = replace(config, any_case=False, plurals=False, max_run=0)
        learned = [each for each in (self.learned, self.corrected.names) if each is not None]
        table = all_spans(self.detector, learned, texts, config, n_threads)
        if recognize is not None:
            table = table.merged(SpanTable.of_spans(recognized(recognize, texts), texts))
        return table

    def log_odds(self, table: SpanTable, overlaps: Overlaps = "drop") -> NDArray[np.float64]:
        """How likely each of all spans of some texts is a mention, with what corrections say of those that read so."""
        may_overlap = overlaps == "keep"
        log_odds = self.scorer.log_odds(table, may_overlap)
        return self.corrected.revised(table, log_odds, self.scorer.is_by_rules, may_overlap)

    def likely(self, spans: Spans) -> Spans:
        """Those that are likely enough to be ranked."""
        return spans.take(spans.log_odds >= (logit(self.config.min_chance) if self.config.min_chance > 0 else -np.inf))

    def find(
        self,
        documents: Sequence[Document],
        rank: Rank,
        n_threads: int = 0,
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        own_rule: NilRule | None = None,
        look_again: Rank | None = None,
    ) -> list[Document]:
        """The documents with the mentions found in them, each with candidates and the chance that its link is right.

        Where the dictionary's rules decide what is a mention, the best candidate's score is the chance, and `own_rule`
        says when a link is made. With `look_again`, a slower ranking, what was found is ranked again: the mentions
        stay, what they are linked to and whether they are linked is decided anew.
        """
        rule = self.rule(own_rule)
        found: list[list[Mention]] = [[] for _ in documents]
        spans = self.spans([document.text for document in documents], n_threads, recognize, overlaps)
        for part in track(list(spans.parts()), "looking at names"):
            here = spans.take(part)
            ranked = rank(in_context(documents, here.table))
            chances = self.chances(here, ranked)
            is_taken, is_linked = self.decide(here, chances, rule.least_score, overlaps)
            taken = np.flatnonzero(is_taken).tolist()
            if look_again is not None and taken:
                mentions = here.take(is_taken)
                again = look_again(in_context(documents, mentions.table))
                ranked = [*ranked]
                for row, listed in zip(taken, again, strict=True):
                    ranked[row] = listed
                chances[is_taken] = self.chances(mentions, again)
                is_linked[is_taken] = _reach(chances[is_taken], rule.least_score)
            for row in taken:
                number = int(here.table.texts[row])
                mention = _mention(documents[number], here.table, row, ranked[row], float(chances[row]))
                found[number].append(_linked(mention) if is_linked[row] else mention)
        return [document.with_mentions(mentions) for document, mentions in zip(documents, found, strict=True)]

    def rule(self, own_rule: NilRule | None = None) -> NilRule:
        """When a link is made: by `own_rule` where the dictionary's rules decide what is a mention, if it is given."""
        return own_rule if own_rule is not None and self.scorer.is_by_rules else self.nil

    def chances(self, spans: Spans, ranked: Sequence[Sequence[Candidate]]) -> NDArray[np.float64]:
        """How likely each span is a mention of its best candidate; 0 for one without candidates."""
        best = np.array([listed[0].score if listed else 0.0 for listed in ranked], dtype=np.float64)
        if self.scorer.is_by_rules:
            return best
        chances = self.decider.chances(decision_evidence(spans.log_odds, evidence_of(ranked), is_nameless(spans.table)))
        return np.where(best > 0, chances, 0.0)

    @staticmethod
    def decide(
        spans: Spans, chances: NDArray[np.float64], least: float, overlaps: Overlaps
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which spans are mentions, and which of these are linked; the others are names of nothing known."""
        is_likely = (expit(spans.log_odds) >= NIL_CHANCE) & ~is_nameless(spans.table)
        if overlaps == "keep":
            is_linked = _reach(chances, least)
            return is_linked | is_likely, is_linked
        table = spans.table
        starts, ends = on_one_line(table.texts, table.starts, table.ends)
        # What just reaches the threshold is worth a little, too.
        gains = np.where(_reach(chances, least), chances - least + 1e-6, 0.0)
        is_linked = best_apart(starts, ends, gains)
        is_free = ~_touch(starts, ends, starts[is_linked], ends[is_linked])
        is_named = best_apart(starts, ends, np.where(is_free & is_likely, expit(spans.log_odds), 0.0))
        return is_linked | is_named, is_linked

    def ruled(self, rule: NilRule) -> Finding:
        """The same with a rule's threshold, or with the one that held-out documents have for its target precision."""
        return replace(self, nil=rule_for(rule, self.calibration, self.nil))

    def with_decision(self, other: Finding) -> Finding:
        """The same with another's weights and threshold."""
        return replace(self, decider=other.decider, nil=other.nil, calibration=other.calibration)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All but the detector of the knowledge base's names, as arrays under names that begin with `prefix`."""
        arrays = self.scorer.to_arrays(f"{prefix}.scorer") | self.decider.to_arrays(f"{prefix}.decider")
        arrays[f"{prefix}.threshold"] = np.array([self.nil.least_score])
        if self.learned is not None:
            arrays |= self.learned.to_arrays(f"{prefix}.learned")
        if self.calibration is not None:
            arrays |= self.calibration.to_arrays(f"{prefix}.calibration")
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, detector: DictionaryDetector, config: FindingConfig
    ) -> Finding:
        """What `to_arrays` gave, checked."""
        has_learned = f"{prefix}.learned.flags" in arrays
        learned = DictionaryDetector.from_arrays(arrays, f"{prefix}.learned", detector.config) if has_learned else None
        threshold = require(arrays, f"{prefix}.threshold", np.float64)
        check_length(f"{prefix}.threshold", threshold, 1)
        check_range(f"{prefix}.threshold", threshold, 0, np.nextafter(1, 2))
        return cls(
            detector,
            learned,
            SpanScorer.from_arrays(arrays, f"{prefix}.scorer", detector.n_numbers),
            Decider.from_arrays(arrays, f"{prefix}.decider"),
            NilRule(float(threshold[0])),
            config,
            Calibration.from_arrays(arrays, f"{prefix}.calibration"),
        )


def all_spans(
    detector: DictionaryDetector,
    learned: Sequence[DictionaryDetector],
    texts: Sequence[str],
    config: FindingConfig,
    n_threads: int = 0,
) -> SpanTable:
    """Every span that is looked at: names, names that others have `learned`, runs of capitals; not in markup."""
    any_case, plurals = config.any_case, config.plurals
    table = detector.spans(texts, n_threads, any_case=any_case, plurals=plurals, max_run=config.max_run)
    for each in learned:
        used = each.spans(texts, n_threads, any_case=any_case, plurals=plurals)
        signs = (used.signs & ~np.uint32(_NAME_SIGNS)) | np.uint32(Sign.LEARNED_NAME)
        table = table.merged(replace(used, names=np.full_like(used.names, -1), signs=signs))
    return outside_markup(table, texts)


def is_nameless(table: SpanTable) -> NDArray[np.bool_]:
    """Which spans are neither names of the knowledge base nor of annotated documents, nor given by a recognizer."""
    return (table.names < 0) & ~table.has(Sign.LEARNED_NAME | Sign.RECOGNIZED)


def in_context(documents: Sequence[Document], table: SpanTable) -> list[MentionInContext]:
    """The spans as mentions that stations can be asked about; documents go by number."""
    columns = zip(table.texts.tolist(), table.starts.tolist(), table.ends.tolist(), strict=True)
    return [
        MentionInContext(documents[n].text[s:e], documents[n].text, s, e, documents[n].lang, str(n))
        for n, s, e in columns
    ]


def _reach(chances: NDArray[np.float64], least: float) -> NDArray[np.bool_]:
    is_reached: NDArray[np.bool_] = (chances >= least) & (chances > 0)
    return is_reached


def _mention(document: Document, table: SpanTable, row: int, listed: Sequence[Candidate], chance: float) -> Mention:
    start, end = int(table.starts[row]), int(table.ends[row])
    score = chance if listed else None
    return Mention(start, end, document.text[start:end], None, score, is_nil=True, candidates=rescored(listed, chance))


def _linked(mention: Mention) -> Mention:
    return replace(mention, entity=mention.candidates[0].id, is_nil=False)


def rescored(listed: Sequence[Candidate], chance: float) -> tuple[Candidate, ...]:
    """The best candidate with its chance, the others in proportion."""
    if not listed or listed[0].score <= 0:
        return tuple(listed)
    factor = chance / listed[0].score
    return tuple(replace(candidate, score=candidate.score * factor) for candidate in listed)


def _touch(
    starts: NDArray[np.int64], ends: NDArray[np.int64], begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which spans overlap one of the others, which are apart; these begin at `begins` and end at `stops`."""
    order = np.argsort(begins)
    places = np.searchsorted(stops[order], starts, side="right")
    touched: NDArray[np.bool_] = np.append(begins[order], np.iinfo(np.int64).max)[places] < ends
    return touched
