"""A text without mentions as linking searches it, for explanations: which spans walk together, how likely each is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from deixis.decision.calibrator import evidence_of
from deixis.detection.span_features import FEATURES, SAYS, n_alike
from deixis.detection.spans import SpanTable
from deixis.linking.deciding import EVIDENCE, decision_evidence
from deixis.linking.explanation import FoundSpan, Part, Standing, parts_of
from deixis.linking.finding import Spans, in_context, is_nameless
from deixis.linking.linker import Linker
from deixis.linking.remembered import Remembered
from deixis.types import Candidate, Document, Mention, MentionInContext


class SearchedText:
    """What the search of one text looks at."""

    def __init__(self, linker: Linker, document: Document) -> None:
        self._linker, self._finding, self._document = linker, linker.finding, document
        self._table = self._finding.looked_at([document.text], linker.n_threads)
        self._log_odds = self._finding.log_odds(self._table)
        self._likely = self._finding.likely(Spans(self._table, self._log_odds))

    def together(self, asked: Sequence[tuple[int, int]]) -> list[list[MentionInContext]]:
        """The likely spans, and those asked about, in the parts that are ranked together."""
        table = self._likely.table.merged(SpanTable.of_spans([asked], [self._document.text]))
        mentions = in_context([self._document], table)
        return [mentions[part] for part in Spans(table, np.zeros(len(table))).parts()]

    @cached_property
    def _rows(self) -> dict[tuple[int, int], int]:
        return _row_of(self._table)

    @cached_property
    def _likely_rows(self) -> dict[tuple[int, int], int]:
        return _row_of(self._likely.table)

    @cached_property
    def _alike(self) -> NDArray[np.float32]:
        return n_alike(self._table)

    @cached_property
    def _uncorrected(self) -> NDArray[np.float64]:
        return self._finding.scorer.log_odds(self._table)

    def links(
        self, together: Sequence[MentionInContext], ranked: list[list[Candidate]]
    ) -> dict[tuple[int, int], str | None]:
        """What the spans of a part are linked to, None for names of nothing known; those that are no mentions lack."""
        row_of = self._likely_rows
        is_likely = [(each.start, each.end) in row_of for each in together]
        mentions = list(compress(together, is_likely))
        spans = self._likely.take(np.array([row_of[each.start, each.end] for each in mentions], dtype=np.int64))
        listed = self._linker.decidable(mentions, list(compress(ranked, is_likely)))
        is_taken, is_linked = self._finding.decide(
            spans, self._finding.chances(spans, listed), self._linker.least_found(), "drop"
        )
        taken = [
            Mention(each.start, each.end, each.text, best[0].id if is_link else None)
            for each, best, is_link in compress(zip(mentions, listed, is_linked, strict=True), is_taken)
        ]
        remembered = Remembered(self._linker.kb, self._linker.corrections)
        held = remembered.held_to(self._document.with_mentions(taken)).mentions
        return {(each.start, each.end): each.entity for each in held}

    def standing(self, mention: MentionInContext) -> Standing:
        """What the search makes of the span."""
        span = mention.start, mention.end
        return "likely" if span in self._likely_rows else "unlikely" if span in self._rows else "not_looked_at"

    def found(self, mention: MentionInContext, ranked: Sequence[Candidate]) -> FoundSpan | None:
        """How likely the span is a mention of the best of its candidates; None where rules decide, or nobody looked."""
        table, scorer, decider = self._table, self._finding.scorer, self._finding.decider
        row = self._rows.get((mention.start, mention.end))
        if scorer.is_by_rules or row is None:
            return None
        rows = np.array([row])
        span, log_odds = table.take(rows), self._log_odds[rows]
        evidence = decision_evidence(log_odds, evidence_of([ranked]), is_nameless(span))
        parts = parts_of(EVIDENCE, evidence[0], decider.weights)
        corrected = float(log_odds[0] - self._uncorrected[row])
        span_parts = parts_of(
            {name: SAYS[name] for name in FEATURES}, scorer.features(span, self._alike[rows])[0], scorer.weights,
            Part("corrected", SAYS["corrected"], corrected, 1.0, corrected),
        )  # fmt: skip
        return FoundSpan(
            float(decider.chances(evidence)[0]), sum(part.contribution for part in parts), parts,
            float(log_odds[0]), span_parts,
        )  # fmt: skip


def _row_of(table: SpanTable) -> dict[tuple[int, int], int]:
    return {span: row for row, span in enumerate(zip(table.starts.tolist(), table.ends.tolist(), strict=True))}
