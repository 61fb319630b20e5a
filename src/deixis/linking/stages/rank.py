"""Stages 2 and 3: spans to candidates, candidates to a ranking with probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.correct import overrule
from deixis.tables import CandidateTable, Ranking, Spans
from deixis.types import Document, MentionInContext

if TYPE_CHECKING:
    from deixis.linking.stages.read import PossibleLinks


@dataclass(frozen=True, eq=False)
class RankedSpans:
    """Spans of a batch with what the stages made of them.

    `table` has all candidates with a column per source, `ranking` the best of them with the scores of the ranker or
    re-ranker, `scored` the same with probabilities, corrections of these very texts included. `links` is what a reader
    says of them.
    """

    spans: Spans
    mentions: Sequence[MentionInContext]
    table: CandidateTable
    ranking: Ranking
    scored: Ranking
    links: PossibleLinks | None = None

    def take(self, is_kept: NDArray[np.bool_]) -> RankedSpans:
        """Only these spans; the table stays that of the batch."""
        mentions = [mention for mention, keep in zip(self.mentions, is_kept.tolist(), strict=True) if keep]
        ranking, scored = self.ranking.take(is_kept), self.scored.take(is_kept)
        return RankedSpans(self.spans.take(is_kept), mentions, self.table, ranking, scored, self.links)


def rank(plan: LinkPlan, documents: Sequence[Document], spans: Spans) -> RankedSpans:
    """The candidates of a batch of spans, best first, with probabilities."""
    mentions = spans.in_context(documents)
    table = plan.sources.propose(mentions, plan.mask)
    ranking = Ranking.of_matrix(plan.model.ranker.rank(mentions, table, plan.depth))
    return RankedSpans(spans, mentions, table, ranking, score(plan, plan.scoring, spans, mentions, ranking))


def score(
    plan: LinkPlan, decision: Decision, spans: Spans, mentions: Sequence[MentionInContext], ranking: Ranking
) -> Ranking:
    """The same candidates with probabilities; what people corrected in these very texts overrules them."""
    scored = decision.score(spans, ranking, plan.n_candidates)
    return overrule(plan.model, mentions, scored, plan.mask)
