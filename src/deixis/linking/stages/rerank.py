"""Stage 5: the best candidates of mentions, read by a slower model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deixis.linking.model import Reranker
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.rank import RankedSpans, rank, score
from deixis.tables import Ranking
from deixis.types import Document, MentionInContext


def rerank(plan: LinkPlan, documents: Sequence[Document], ranked: RankedSpans) -> RankedSpans:
    """The mentions with the candidates, order and probabilities of the re-ranker.

    Of detected mentions candidates are ranked anew first: the mentions of a text are known now, and what other mentions
    say changes with them.
    """
    if plan.reranker is None or not len(ranked.spans):
        return ranked
    if plan.detects:
        ranked = rank(plan, documents, ranked.spans)
    reranked = reranked_by(plan.reranker.opened, plan, ranked.mentions, ranked.ranking)
    scored = score(plan, plan.deciding, ranked.spans, ranked.mentions, reranked, ranked.on_list)
    return RankedSpans(ranked.spans, ranked.mentions, ranked.table, reranked, scored, ranked.on_list)


def reranked_by(reranker: Reranker, plan: LinkPlan, mentions: Sequence[MentionInContext], ranking: Ranking) -> Ranking:
    """The candidates that count in the re-ranker's order; those only shown stay behind, none with a higher score."""
    n_read = max(plan.n_candidates, reranker.n_candidates)
    first = ranking.head(n_read)
    reranked = Ranking.of_matrix(reranker.rank(mentions, first.to_matrix(len(plan.model.kb))))
    reranked = reranked.head(plan.n_candidates)
    if plan.n_shown <= plan.n_candidates:
        return reranked
    numbers = (np.array([number]) for number in range(len(ranking)))
    return Ranking.joined([_extended(reranked.take(number), ranking.take(number)) for number in numbers])


def _extended(own: Ranking, ranked: Ranking) -> Ranking:
    """The candidates of one mention, and behind them the ranker's others.

    Their scores go on from the last of its own, in the ranker's proportions.
    """
    if not len(own.rows):
        return own
    is_other, last = ~np.isin(ranked.rows, own.rows), own.scores[-1]
    before = float(ranked.scores[ranked.rows == own.rows[-1]][0])
    others = np.minimum(last, ranked.scores[is_other] * (last / before if before > 0 else 1.0))
    rows = np.append(own.rows, ranked.rows[is_other])
    return Ranking(np.array([0, len(rows)]), rows, np.append(own.scores, others))
