"""Evidence that a span is a mention: the features of the detector and of the decision on raw text, as parts."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision
from deixis.decision.link_model import EVIDENCE, EXCESS, LinkModel, link_evidence
from deixis.detection.detector import SpanDetector, as_spans, long_forms
from deixis.detection.span_features import FEATURES, MEANINGS, text_counts
from deixis.explanation.records import Detection, MentionEvidence, Part, parts_of
from deixis.linking.model import Reader
from deixis.linking.stages.rank import RankedSpans
from deixis.linking.stages.read import EVIDENCE as READ_EVIDENCE
from deixis.tables import Ranking

Key = tuple[int, int]


class DetectedText:
    """The spans of one text that could be mentions, with their log odds."""

    def __init__(self, detector: SpanDetector, text: str, n_threads: int = 0) -> None:
        self._detector = detector
        self._table = detector.table([text], n_threads=n_threads)
        self._log_odds = detector.log_odds(self._table, long_forms(self._table, [text]))

    @cached_property
    def _rows(self) -> dict[Key, int]:
        keys = zip(self._table.starts.tolist(), self._table.ends.tolist(), strict=True)
        return {key: row for row, key in enumerate(keys)}

    @cached_property
    def _n_same(self) -> NDArray[np.float32]:
        return text_counts(self._table)

    @cached_property
    def _log_odds_before(self) -> NDArray[np.float64]:
        return self._detector.scorer.log_odds(self._table)

    def detection(self, key: Key, is_ranked: bool) -> Detection:
        """The result of detection for a span."""
        return "likely" if is_ranked else "unlikely" if key in self._rows else "not_considered"

    def evidence(self, key: Key, ranking: Ranking, decision: Decision) -> MentionEvidence | None:
        """The evidence that a span is a mention of its best candidate; None for rules, or if it was not considered."""
        row = self._rows.get(key)
        if row is None or not isinstance(decision.model, LinkModel):
            return None
        rows = np.array([row])
        span, log_odds = self._table.take(rows), self._log_odds[rows]
        evidence = link_evidence(as_spans(span, log_odds), ranking)
        parts = parts_of(EVIDENCE, evidence[0], decision.model.weights)
        excess = float(decision.model.excess(evidence, np.array([sum(part.contribution for part in parts)]))[0])
        if excess < 0:
            parts = (*parts, Part("excess", EXCESS, excess, 1.0, excess))
        corrected = float(log_odds[0] - self._log_odds_before[row])
        scorer = self._detector.scorer
        span_parts = parts_of(
            {name: MEANINGS[name] for name in FEATURES}, scorer.features(span, self._n_same[rows])[0],
            scorer.weights_of(span)[0],
            Part("corrected", MEANINGS["corrected"], corrected, 1.0, corrected),
        )  # fmt: skip
        return MentionEvidence(
            float(decision.model.of_evidence(evidence)[0]), sum(part.contribution for part in parts), parts,
            float(log_odds[0]), span_parts,
        )  # fmt: skip


def read_evidence(reader: Reader, read: RankedSpans) -> MentionEvidence | None:
    """The evidence of a reader that one span is a mention of its best candidate."""
    if read.links is None:
        return None
    key = next(iter(read.spans.keys()))
    row = int(read.ranking.rows[0])
    number = next(number for number, link in enumerate(read.links.keys()) if link == (*key, row))
    parts = parts_of(READ_EVIDENCE, read.links.evidence[number], reader.weights)
    log_odds = sum(part.contribution for part in parts)
    return MentionEvidence(float(read.ranking.scores[0]), log_odds, parts, log_odds, ())
