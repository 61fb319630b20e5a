"""Learning from corrections, in seconds: no tree is grown, no index built anew.

What corrections say of names comes at once with `Linker.corrected_by`: how often a name meant which entity, which pairs
are wrong, how often what reads so is a mention. Here it is learned what that and all else weighs. Every correction is
judged by a linker that knows those of other texts only (five folds, by the text): one that knew it would always be
right. Only spans that were corrected count, nothing is taken for wrong because nobody spoke of it. Everything is
learned from the weights before any correction and from all corrections, so their order does not matter.

What makes a chance of a span's odds and a candidate's score (`deixis.linking.deciding`) stays: those who correct links
see only links that were made, and of spans that were not none is ever said to be wrong. Learned from these, low chances
rise, and precision falls (`docs/explanation/corrections.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deixis.documents.corrections import Correction
from deixis.learners.listwise import Lesson
from deixis.linking.calibration import Calibration, Judged
from deixis.linking.corrections import Corrections, Merged, resolved, rows_named
from deixis.linking.linker import Linker
from deixis.linking.seen import SeenDocuments
from deixis.linking.uncorrected import Uncorrected
from deixis.progress import stage
from deixis.ranking.feature import FEATURES
from deixis.ranking.ranker import learned_weights
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.types import Candidate, Document

N_FOLDS = 5
MIN_CALIBRATED = 100  # corrected mentions that it takes to calibrate anew
FEW = 10_000  # corrections up to which leaving the weights before costs as much in all, and so the less each
OTHERS = list(FEATURES).index("others")

Answer = tuple[Correction, list[Candidate]]


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
        start = linker.uncorrected or Uncorrected(linker.ranker.weights, linker.calibration)
        return LearnedCorrections(_learned(linker, start, merged.corrections), *_counts(merged))


def _counts(merged: Merged) -> tuple[int, int, int]:
    return merged.n_new, merged.n_changed, merged.n_known


def _learned(linker: Linker, start: Uncorrected, corrections: Corrections) -> Linker:
    """The linker that has learned from exactly these corrections, starting there."""
    ranker = linker.ranker.with_weights(start.weights)
    base = linker._with(ranker=ranker, calibration=start.calibration)
    folds = _folds(base, corrections)
    weights = _weights(base, folds, start.weights)
    answers = [answer for fold in folds for answer in fold.answers(weights)]
    seen = SeenDocuments.of(Document("", text) for text in corrections.by_text)
    taught = base._with(
        ranker=ranker.with_weights(weights),
        calibration=_calibration(base, answers),
        learned_from=linker.learned_from | seen,
    )
    return taught.corrected_by(corrections)._with(uncorrected=start)


@dataclass(frozen=True, eq=False)
class _Fold:
    """The corrections of some texts that name an entity, and a linker that knows those of all others."""

    linker: Linker
    told: list[Correction]

    def lesson(self) -> Lesson:
        """The candidates of each mention: the right one, or all but the wrong one, are right."""
        rows = rows_named(self.linker.kb, self.told)
        lesson = self.linker.lesson([one.in_context() for one in self.told], [[row] for row in rows])
        is_wrong = np.array([one.verdict == "wrong" for one in self.told])
        features = lesson.features.copy()
        features[:, OTHERS] = 0  # of a text's mentions only those corrected are known here: what others weigh stays
        is_right = lesson.is_right ^ np.repeat(is_wrong, np.diff(lesson.starts))
        return replace(lesson, features=features, is_right=is_right)

    def answers(self, weights: NDArray[np.float64]) -> list[Answer]:
        """Candidates by these weights, where it is known whether the first is right: not if another one is wrong."""
        linker = self.linker._with(ranker=self.linker.ranker.with_weights(weights))
        ranked = linker.ranked([one.in_context() for one in self.told])
        return [
            (one, listed)
            for one, listed in zip(self.told, ranked, strict=True)
            if one.verdict == "gold" or (listed and listed[0].id == one.entity)
        ]


def _folds(base: Linker, corrections: Corrections) -> list[_Fold]:
    """The corrections dealt out by their text, whatever others there are."""
    texts = list(corrections.by_text)
    numbers = (hash_strings(StringTable.from_strings(texts)) % np.uint64(N_FOLDS)).tolist()
    fold_of = dict(zip(texts, numbers, strict=True))
    folds = []
    for number in sorted(set(numbers)):
        others = Corrections(tuple(one for one in corrections.each if fold_of[one.text] != number))
        told = [one for one in corrections.each if fold_of[one.text] == number and one.entity is not None]
        if told:
            folds.append(_Fold(base.corrected_by(others), told))
    return folds


def _weights(base: Linker, folds: Sequence[_Fold], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """What evidence weighs, with the corrections of a fold held against what those of the others say."""
    if base.config.ranking.weights != "auto" or not folds:
        return start
    lesson = Lesson.joined([fold.lesson() for fold in folds])
    return learned_weights([lesson], base.config.ranking.penalty * max(1.0, FEW / (len(lesson.starts) - 1)), start)


def _calibration(base: Linker, answers: Sequence[Answer]) -> Calibration | None:
    """How far scores of given mentions can be believed; as before where that rests on more mentions."""
    before = base.calibration
    n_before = 0 if before is None or before.source == "rehearsed" else len(before.held_out)
    if len(answers) < max(MIN_CALIBRATED, n_before):
        return before
    accepted = [frozenset([told.entity or ""] if told.verdict == "gold" else []) for told, _ in answers]
    number_of = {text: number for number, text in enumerate(dict.fromkeys(told.text for told, _ in answers))}
    judged = Judged.of([listed for _, listed in answers], accepted, [number_of[told.text] for told, _ in answers])
    return Calibration.fit(judged, base.config.calibration)
