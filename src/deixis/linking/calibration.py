"""A linker's calibration: the curve that turns its scores into probabilities, and the mentions it was learned from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.decision.calibrator import CalibrationConfig, Calibrator, evidence_of
from deixis.errors import DataError
from deixis.gold import Resolve, acceptable_ids
from deixis.linking.held_out import Expectation, HeldOut
from deixis.linking.nil import NilRule
from deixis.store.checks import require
from deixis.types import Candidate, Document

Source = Literal["annotated", "rehearsed"]
SOURCES: tuple[Source, ...] = ("annotated", "rehearsed")
N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Judged:
    """Ranked candidates of mentions whose answers are known, with the raw scores of their ranker.

    Examples
    --------
    >>> judged = Judged.of([[Candidate("Q90", 0.4)], []], [frozenset({"Q90"}), frozenset()], documents=[0, 0])
    >>> judged.held_out.is_right.tolist(), judged.held_out.scores.tolist()
    ([True, False], [0.4, 0.0])
    """

    evidence: NDArray[np.float64]
    held_out: HeldOut

    @classmethod
    def of(
        cls, ranked: Sequence[Sequence[Candidate]], accepted: Sequence[frozenset[str]], documents: Iterable[int]
    ) -> Judged:
        """The best candidate of each list held against the ids that answer it; no id means that NIL is the answer."""
        right = [bool(listed) and listed[0].id in ids for listed, ids in zip(ranked, accepted, strict=True)]
        # A score of 0 would say that there is no candidate.
        scores = [max(listed[0].score, 1e-12) if listed else 0.0 for listed in ranked]
        numbers = np.fromiter(documents, dtype=np.int64, count=len(ranked))
        is_known = np.array([bool(ids) for ids in accepted], dtype=bool)
        held_out = HeldOut(numbers, np.array(scores, dtype=np.float64), np.array(right, dtype=bool), is_known)
        return cls(evidence_of(ranked), held_out)

    def fitted(self, config: CalibrationConfig, chosen: NDArray[np.bool_] | None = None) -> Calibrator:
        """The curve of these mentions, or of the chosen ones among them."""
        is_used = self.held_out.scores > 0
        if chosen is not None:
            is_used = is_used & chosen
        return Calibrator.fit(self.evidence[is_used], self.held_out.is_right[is_used], config)

    def rescored(self, calibrator: Calibrator, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """The scores after calibration, of all mentions or of the chosen ones; 0 where there is no candidate."""
        evidence = self.evidence if chosen is None else self.evidence[chosen]
        raw = self.held_out.scores if chosen is None else self.held_out.scores[chosen]
        return np.where(raw > 0, calibrator.probabilities(evidence), 0.0)

    def cross_validated(self, config: CalibrationConfig) -> HeldOut:
        """The mentions with scores of curves that have not seen their document: what calibration does to new text."""
        if config.method == "none":
            return self.held_out
        _, numbers = np.unique(self.held_out.documents, return_inverse=True)
        folds = np.random.default_rng(0).permutation(int(numbers.max(initial=-1)) + 1)[numbers] % N_FOLDS
        scores = np.zeros(len(self.held_out))
        for fold in np.unique(folds):
            others = folds != fold
            calibrator = self.fitted(config, others if (others & (self.held_out.scores > 0)).any() else None)
            scores[~others] = self.rescored(calibrator, ~others)
        return self.held_out.with_scores(scores)


@dataclass(frozen=True, eq=False)
class Calibration:
    """The curve, if there is one, and the mentions that say what a threshold buys.

    `source` tells annotated mentions from those made of the knowledge base itself.

    Examples
    --------
    >>> lists = [[Candidate("Q90", 0.3)]] * 50
    >>> judged = Judged.of(lists, [frozenset({"Q90"})] * 45 + [frozenset()] * 5, documents=range(50))
    >>> round(Calibration.fit(judged).calibrated(lists[:1])[0][0].score, 1)
    0.9
    """

    calibrator: Calibrator | None
    held_out: HeldOut
    source: Source = field(default="annotated")

    @classmethod
    def fit(cls, judged: Judged, config: CalibrationConfig | None = None, source: Source = "annotated") -> Calibration:
        """The calibration these mentions give; with the method `none` scores stay as they are."""
        config = config or CalibrationConfig()
        if config.method == "none":
            return cls(None, judged.held_out, source)
        calibrator = judged.fitted(config)
        return cls(calibrator, judged.held_out.with_scores(judged.rescored(calibrator)), source)

    def calibrated(self, ranked: list[list[Candidate]]) -> list[list[Candidate]]:
        """The same candidates in the same order, with probabilities as scores."""
        return ranked if self.calibrator is None else self.calibrator.calibrated(ranked)

    def expected(self, rule: NilRule) -> Expectation:
        """What to expect of a rule; of one that says nothing, the threshold of the best F1."""
        if rule.target_precision is not None:
            return self.held_out.for_precision(rule.target_precision)
        return self.held_out.best_f1() if rule.threshold is None else self.held_out.at(rule.threshold)

    def settled(self, rule: NilRule) -> NilRule:
        """The rule with the threshold that does what it asks for."""
        return NilRule(self.expected(rule).threshold, rule.target_precision)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Curve and mentions as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.source": np.array([SOURCES.index(self.source)], dtype=np.uint8)}
        if self.calibrator is not None:
            arrays |= self.calibrator.to_arrays(f"{prefix}.curve")
        return arrays | self.held_out.to_arrays(f"{prefix}.held_out")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Calibration | None:
        """The calibration `to_arrays` gave; None if the model has none."""
        if f"{prefix}.source" not in arrays:
            return None
        source = int(require(arrays, f"{prefix}.source", np.uint8)[:1].sum())
        has_curve = f"{prefix}.curve.weights" in arrays
        calibrator = Calibrator.from_arrays(arrays, f"{prefix}.curve") if has_curve else None
        return cls(calibrator, HeldOut.from_arrays(arrays, f"{prefix}.held_out"), SOURCES[min(source, 1)])


def rule_for(rule: NilRule, calibration: Calibration | None, before: NilRule) -> NilRule:
    """The rule if it names a threshold; else the one that held-out mentions have for it, or the one before for want."""
    if rule.threshold is not None:
        return rule
    return before if calibration is None else calibration.settled(rule)


def answers_of(documents: Sequence[Document], resolve: Resolve) -> tuple[list[frozenset[str]], list[int]]:
    """The ids that answer each annotated mention, none for NIL and for what the knowledge base lacks; its document."""
    accepted = [
        frozenset() if mention.entity is None else acceptable_ids(mention.entity, resolve)
        for document in documents
        for mention in document.mentions
    ]
    if not any(accepted):
        raise DataError(
            f"None of the {len(accepted):,} mentions to calibrate on has an entity of the knowledge base. Annotated "
            'mentions have an "entity", null for NIL.'
        )
    return accepted, [number for number, document in enumerate(documents) for _ in document.mentions]
