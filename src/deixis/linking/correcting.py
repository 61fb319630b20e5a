"""Learning from corrections, in seconds: no tree is grown, no index built anew.

What corrections say of names comes at once with `Linker.corrected_by`: how often a name meant which entity, which pairs
are wrong, how often what reads so is a mention. Here it is learned what that and all else weighs. Every correction is
judged by a linker that knows those of other texts only (five folds, by the text): one that knew it would always be
right. Only spans that were corrected count, nothing is taken for wrong because nobody spoke of it. Everything is
learned from the weights before any correction and from all corrections, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deixis.documents.corrections import Correction
from deixis.linking.calibration import Calibration, Judged
from deixis.linking.corrections import Corrections, Merged, resolved, rows_named
from deixis.linking.deciding import Decider, decision_evidence
from deixis.linking.finding import is_nameless
from deixis.linking.linker import Linker
from deixis.linking.seen import SeenDocuments
from deixis.linking.uncorrected import Uncorrected
from deixis.progress import stage
from deixis.ranking.calibration import evidence_of
from deixis.ranking.fusion import learned_weights
from deixis.ranking.fusion_training import Lesson
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.types import Candidate, Document

N_FOLDS = 5
MIN_CALIBRATED = 100  # corrected mentions that it takes to calibrate anew
FEW = 300  # corrections up to which weights are held as if there were no more than a few


@dataclass(frozen=True)
class LearnedCorrections:
    """The new linker, and how many of the corrections told were new, changed an earlier one, or were known already."""

    linker: Linker
    n_new: int
    n_changed: int
    n_known: int


def learn_corrections(linker: Linker, corrections: Iterable[Correction]) -> LearnedCorrections:
    """A linker that heeds these corrections and those before; the one given stays as it is and can go on linking.

    In the texts that were corrected, corrected spans are linked as was said. Elsewhere they are evidence.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "count": 90, "description": "capital of France"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
    ... ])
    >>> linker = Linker.build(kb)
    >>> learned = learn_corrections(linker, [Correction("Paris fled.", 0, 5, "gold", "Q167646")])
    >>> [each.link("Paris fled.").mentions[0].entity for each in (linker, learned.linker)]
    ['Q90', 'Q167646']
    """
    with stage("learning from corrections"):
        merged = linker.corrections.merged(resolved(linker.kb, corrections))
        start = linker.uncorrected or Uncorrected(linker.ranker.weights, linker.finding.decider, linker.calibration)
        return LearnedCorrections(_learned(linker, start, merged.corrections), *_counts(merged))


def _counts(merged: Merged) -> tuple[int, int, int]:
    return merged.n_new, merged.n_changed, merged.n_known


def _learned(linker: Linker, start: Uncorrected, corrections: Corrections) -> Linker:
    """The linker that has learned from exactly these corrections, starting there."""
    ranker = linker.ranker.with_weights(start.weights)
    finding = replace(linker.finding, decider=start.decider)
    base = linker._with(ranker=ranker, finding=finding, calibration=start.calibration)
    folds = _folds(base, corrections)
    weights = _weights(base, folds, start.weights)
    answers = [fold.answered(weights) for fold in folds]
    finding = replace(finding, decider=_decider(folds, answers, start.decider))
    seen = SeenDocuments.of(Document("", text) for text in corrections.by_text)
    taught = base._with(
        ranker=ranker.with_weights(weights),
        finding=finding,
        calibration=_calibration(base, answers),
        learned_from=linker.learned_from | seen,
    )
    return taught.corrected_by(corrections)._with(uncorrected=start)


@dataclass(frozen=True, eq=False)
class _Fold:
    """Corrections of some texts, and a linker that knows all others."""

    linker: Linker
    told: list[Correction]

    def lesson(self) -> Lesson | None:
        """The candidates of those that name an entity: the right one, or all but the wrong one, are right."""
        told = [one for one in self.told if one.entity is not None]
        if not told:
            return None
        rows = rows_named(self.linker.kb, told)
        lesson = self.linker.lesson([one.in_context() for one in told], [[row] for row in rows])
        is_wrong = np.array([one.verdict == "wrong" for one in told])
        return replace(lesson, is_right=lesson.is_right ^ np.repeat(is_wrong, np.diff(lesson.starts)))

    def answered(self, weights: NDArray[np.float64]) -> list[_Answered]:
        """What the linker with these weights says of each correction, without those of which it is not known."""
        linker = self.linker._with(ranker=self.linker.ranker.with_weights(weights))
        ranked = linker.ranked([one.in_context() for one in self.told])
        answers = zip(self.told, ranked, strict=True)
        return [
            _Answered(one, listed, right) for one, listed in answers if (right := _is_right(one, listed)) is not None
        ]


@dataclass(frozen=True, eq=False)
class _Answered:
    """A correction, the candidates of its mention, and whether the first of them is right."""

    told: Correction
    ranked: list[Candidate]
    is_right: bool


def _folds(base: Linker, corrections: Corrections) -> list[_Fold]:
    """The corrections dealt out by their text, whatever others there are."""
    texts = list(corrections.by_text)
    numbers = (hash_strings(StringTable.from_strings(texts)) % np.uint64(N_FOLDS)).tolist()
    fold_of = dict(zip(texts, numbers, strict=True))
    folds = []
    for number in sorted(set(numbers)):
        others = Corrections(tuple(one for one in corrections.each if fold_of[one.text] != number))
        told = [one for one in corrections.each if fold_of[one.text] == number]
        folds.append(_Fold(base.corrected_by(others), told))
    return folds


def _weights(base: Linker, folds: Sequence[_Fold], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """What evidence weighs, with the corrections of a fold held against what those of the others say."""
    if base.config.ranking.weights != "auto":
        return start
    lessons = [lesson for fold in folds if (lesson := fold.lesson()) is not None]
    if not lessons:
        return start
    lesson = Lesson.joined(lessons)
    return learned_weights([lesson], base.config.ranking.penalty * max(1.0, FEW / (len(lesson.starts) - 1)), start)


def _decider(folds: Sequence[_Fold], answers: Sequence[list[_Answered]], start: Decider) -> Decider:
    """What goes into the chance of a link, learned from corrected spans that would be looked at."""
    evidence, is_right = [], []
    for fold, answered in zip(folds, answers, strict=True):
        finding = fold.linker.finding
        if finding.scorer.is_by_rules:
            return start
        texts = list(dict.fromkeys(each.told.text for each in answered))
        spans = finding.spans(texts, fold.linker.n_threads)
        places = zip(spans.table.texts.tolist(), spans.table.starts.tolist(), spans.table.ends.tolist(), strict=True)
        row_of = {(texts[number], begin, end): row for row, (number, begin, end) in enumerate(places)}
        known = [each for each in answered if each.told.key in row_of]
        looked_at = spans.take(np.array([row_of[each.told.key] for each in known], dtype=np.int64))
        of_lists = evidence_of([each.ranked for each in known])
        evidence.append(decision_evidence(looked_at.log_odds, of_lists, is_nameless(looked_at.table)))
        is_right += [each.is_right for each in known]
    return Decider.fit(np.concatenate(evidence), np.array(is_right, dtype=bool), start) if is_right else start


def _calibration(base: Linker, answers: Sequence[list[_Answered]]) -> Calibration | None:
    """How far scores of given mentions can be believed; as before where that rests on more mentions."""
    known = [each for answered in answers for each in answered if each.told.entity is not None]
    before = base.calibration
    n_before = 0 if before is None or before.source == "rehearsed" else len(before.held_out)
    if len(known) < max(MIN_CALIBRATED, n_before):
        return before
    accepted = [frozenset([each.told.entity or ""] if each.told.verdict == "gold" else []) for each in known]
    number_of = {text: number for number, text in enumerate(dict.fromkeys(each.told.text for each in known))}
    judged = Judged.of([each.ranked for each in known], accepted, [number_of[each.told.text] for each in known])
    return Calibration.fit(judged, base.config.calibration)


def _is_right(told: Correction, listed: Sequence[Candidate]) -> bool | None:
    """Whether a link to the first candidate is right; None if that is not known."""
    if told.verdict == "wrong":
        return None if listed and listed[0].id != told.entity else False
    return bool(listed) and told.entity is not None and listed[0].id == told.entity
