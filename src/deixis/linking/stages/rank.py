"""Stages 2 and 3: spans to candidates, candidates to a ranking with probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deixis.decision.decision import Decision
from deixis.decision.on_list import on_list_evidence, on_list_probabilities
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.name_candidates import candidates_by_name, in_kb_names
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.correct import overrule
from deixis.ranking.default_weights import kind_of
from deixis.tables import BestCandidates, CandidateTable, EntityMask, Ranking, Spans
from deixis.types import Document, MentionInContext

if TYPE_CHECKING:
    from deixis.linking.stages.read import PossibleLinks


@dataclass(frozen=True, eq=False)
class RankedSpans:
    """Spans of a batch with what the stages made of them.

    `table` has all candidates with a column per source, `ranking` the best of them with the scores of the ranker or
    re-ranker, `scored` the same with probabilities, corrections of these very texts included. `on_list` is how likely
    each span means anything on the list, if it is a mention; NaN where only a reader proposed it. `links` is what a
    reader says of them.
    """

    spans: Spans
    mentions: Sequence[MentionInContext]
    table: CandidateTable
    ranking: Ranking
    scored: Ranking
    on_list: NDArray[np.float64]
    links: PossibleLinks | None = None

    @property
    def entity_scores(self) -> NDArray[np.float64]:
        """How likely each span means its best candidate, if it is a mention."""
        return self.on_list * self.ranking.best_scores()

    def take(self, is_kept: NDArray[np.bool_]) -> RankedSpans:
        """Only these spans; the table stays that of the batch."""
        if is_kept.all():
            return self
        mentions = [mention for mention, keep in zip(self.mentions, is_kept.tolist(), strict=True) if keep]
        ranking, scored = self.ranking.take(is_kept), self.scored.take(is_kept)
        on_list = self.on_list[is_kept]
        return RankedSpans(self.spans.take(is_kept), mentions, self.table, ranking, scored, on_list, self.links)


def rank(plan: LinkPlan, documents: Sequence[Document], spans: Spans) -> RankedSpans:
    """The candidates of a batch of spans, best first, with probabilities."""
    mentions = in_kb_names(plan.sources, plan.model.ranker, spans.in_context(documents))
    table, name_sums = candidates_by_name(plan.sources, plan.model.ranker, mentions, plan.mask)
    matrix, best = plan.model.ranker.rank_with_best(mentions, table, plan.depth, name_sums)
    ranking = Ranking.of_matrix(matrix)
    on_list = on_list_probabilities(evidence_of_list(plan.model.kb, mentions, best, plan.mask))
    scored = score(plan, plan.scoring, spans, mentions, ranking, on_list)
    return RankedSpans(spans, mentions, table, ranking, scored, on_list)


def evidence_of_list(
    kb: KnowledgeBase, mentions: Sequence[MentionInContext], best: BestCandidates, mask: EntityMask | None = None
) -> NDArray[np.float32]:
    """mentions_by_evidence: the evidence that each mention means anything on the list, or what a mask leaves of it."""
    n_entities = kb.n_entities if mask is None else int(mask.sum())
    texts = [mention.text for mention in mentions]
    return on_list_evidence(texts, best, kb.names_of, n_entities, kind_of(kb) == "described")


def score(
    plan: LinkPlan,
    decision: Decision,
    spans: Spans,
    mentions: Sequence[MentionInContext],
    ranking: Ranking,
    on_list: NDArray[np.float64],
) -> Ranking:
    """The same candidates with probabilities; what people corrected in these very texts overrules them."""
    scored = decision.score(spans, ranking, on_list, plan.n_candidates)
    return overrule(plan.model, spans.positions(mentions), scored, plan.mask)
