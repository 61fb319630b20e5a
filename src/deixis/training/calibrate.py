"""Calibration on annotated documents: probabilities of scores, and the threshold of links."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deixis.decision.calibrator import CalibrationConfig, Calibrator
from deixis.decision.decision import Decision, Source
from deixis.decision.evidence import score_evidence
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.errors import ConfigError, DataError
from deixis.gold import Resolve, acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.inputs import as_document
from deixis.linking.model import LinkerModel
from deixis.linking.streams import score_mentions
from deixis.progress import stage
from deixis.tables import Ranking
from deixis.types import Document

logger = logging.getLogger(__name__)

N_FOLDS = 5
MIN_BEST_SCORE = 1e-12  # of a mention with candidates: 0 would say that there are none


@dataclass(frozen=True, eq=False)
class JudgedMentions:
    """Mentions whose gold is known, with the evidence for the best candidate of each and whether it is right.

    Examples
    --------
    >>> ranking = Ranking(np.array([0, 1, 1]), np.array([0]), np.array([0.4]))
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
    >>> mentions = JudgedMentions.of(kb, ranking, [frozenset({"Q90"}), frozenset()], documents=[0, 0])
    >>> mentions.curve.is_right.tolist(), mentions.curve.scores.tolist()
    ([True, False], [0.4, 0.0])
    """

    evidence: NDArray[np.float64]
    curve: ThresholdCurve

    @classmethod
    def of(
        cls, kb: KnowledgeBase, ranking: Ranking, accepted: Sequence[frozenset[str]], documents: Iterable[int]
    ) -> JudgedMentions:
        """The best candidate of each mention compared with the ids that answer it; no id: NIL is the answer."""
        is_right = [row >= 0 and kb.ids[row] in ids for row, ids in zip(_rows(ranking), accepted, strict=True)]
        best = ranking.best_scores()
        scores = np.where(np.diff(ranking.starts) > 0, np.maximum(best, MIN_BEST_SCORE), 0.0)
        numbers = np.fromiter(documents, dtype=np.int64, count=len(ranking))
        is_known = np.array([bool(ids) for ids in accepted], dtype=bool)
        return cls(score_evidence(ranking), ThresholdCurve(numbers, scores, np.array(is_right, dtype=bool), is_known))

    def fitted(self, config: CalibrationConfig, is_chosen: NDArray[np.bool_] | None = None) -> Calibrator:
        """The calibrator of these mentions, or of the chosen ones among them."""
        is_used = self.curve.scores > 0
        if is_chosen is not None:
            is_used = is_used & is_chosen
        return Calibrator.fit(self.evidence[is_used], self.curve.is_right[is_used], config)

    def rescored(self, calibrator: Calibrator, is_chosen: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """The scores after calibration, of all mentions or of the chosen ones; 0 where there is no candidate."""
        evidence = self.evidence if is_chosen is None else self.evidence[is_chosen]
        raw = self.curve.scores if is_chosen is None else self.curve.scores[is_chosen]
        return np.where(raw > 0, calibrator.of_evidence(evidence), 0.0)

    def cross_validated(self, config: CalibrationConfig) -> ThresholdCurve:
        """The mentions with scores of calibrators that have not seen their document: what new text would get."""
        if config.method == "none":
            return self.curve
        _, numbers = np.unique(self.curve.documents, return_inverse=True)
        folds = np.random.default_rng(0).permutation(int(numbers.max(initial=-1)) + 1)[numbers] % N_FOLDS
        scores = np.zeros(len(self.curve))
        for fold in np.unique(folds):
            others = folds != fold
            calibrator = self.fitted(config, others if (others & (self.curve.scores > 0)).any() else None)
            scores[~others] = self.rescored(calibrator, ~others)
        return self.curve.with_scores(scores)

    def decision(self, config: CalibrationConfig, source: Source = "annotated") -> Decision:
        """The calibrated decision of these mentions, no threshold chosen; with the method `none` scores stay."""
        if config.method == "none":
            return Decision(curve=self.curve, source=source)
        calibrator = self.fitted(config)
        return Decision(calibrator, curve=self.curve.with_scores(self.rescored(calibrator)), source=source)


def judge(model: LinkerModel, documents: Iterable[Document], rerank: bool = False) -> JudgedMentions:
    """How the model ranks the mentions of annotated documents, compared with their gold; NIL counts too.

    Mentions that are annotated with neither an entity nor NIL are left out.
    """
    checked = [as_document(document, number) for number, document in enumerate(documents)]
    annotated = [each.with_mentions([m for m in each.mentions if m.is_decided]) for each in checked]
    accepted, numbers = gold_ids(annotated, model.kb.own_id)
    mentions = [mention for document in annotated for mention in document.mentions_in_context()]
    return JudgedMentions.of(model.kb, score_mentions(model, mentions, rerank), accepted, numbers)


def calibrate(
    model: LinkerModel,
    documents: Iterable[Document],
    *,
    threshold: float | None = None,
    target_precision: float | None = None,
    rerank: bool = False,
) -> LinkerModel:
    """The model with probabilities as scores of given mentions, learned from documents it was not trained on."""
    with stage("calibrating"):
        decision = judge(model, documents, rerank).decision(model.config.calibration)
    return with_decision(model, decision, threshold, target_precision, rerank)


def measured(model: LinkerModel, documents: Iterable[Document]) -> LinkerModel:
    """The model with what held-out mentions say of thresholds; scores and threshold of given mentions stay."""
    with stage("judging by held-out documents"):
        curve = judge(model, documents).curve
    decision = replace(model.decisions.given, curve=curve, source="annotated")
    return replace(model, decisions=replace(model.decisions, given=decision))


def with_decision(
    model: LinkerModel,
    decision: Decision,
    threshold: float | None = None,
    target_precision: float | None = None,
    rerank: bool = False,
) -> LinkerModel:
    """The model with a decision on given mentions, with the given threshold or target precision.

    With neither, the model's target precision is kept; if it has none, the threshold is the one with the best F1.
    With `rerank` the decision is that after the re-ranker.
    """
    before = model.decisions.reranked if rerank else model.decisions.given
    if threshold is None and target_precision is None and before is not None:
        target_precision = before.target_precision
    decision = decision.with_best_threshold(threshold, target_precision)
    changed = {"reranked" if rerank else "given": decision}
    return replace(model, decisions=replace(model.decisions, **changed))


def gold_ids(documents: Sequence[Document], resolve: Resolve) -> tuple[list[frozenset[str]], list[int]]:
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


def _rows(ranking: Ranking) -> list[int]:
    rows: list[int] = ranking.best_rows().tolist()
    return rows


def with_promised_precision(model: LinkerModel, decision: Decision, rerank: bool) -> LinkerModel:
    """The model with a decision that keeps to the precision its settings ask for, as far as can be promised."""
    target = model.decisions.given.target_precision
    try:
        return with_decision(model, decision.with_best_threshold(None, target), None, target, rerank)
    except ConfigError as error:
        whose = "of the re-ranker " if rerank else ""
        logger.warning("%s Until then the threshold %sis the one with the best F1.", error, whose)
        best = decision.with_best_threshold()
        return with_decision(model, best, best.threshold, None, rerank)
