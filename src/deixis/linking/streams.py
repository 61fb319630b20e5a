"""Loops over batches: documents linked as they come, and mentions ranked without any decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deixis.decision.on_list import on_list_probabilities
from deixis.detection.recognizers import Recognize
from deixis.errors import ConfigError
from deixis.linking.batching import in_lists, mention_batches
from deixis.linking.inputs import as_row
from deixis.linking.model import LinkerModel
from deixis.linking.name_candidates import candidates_by_name
from deixis.linking.options import LinkOptions
from deixis.linking.pipeline import link_documents
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.linking.stages.rank import evidence_of_list
from deixis.linking.stages.rerank import reranked_by
from deixis.progress import track
from deixis.tables import EntityMask, Ranking
from deixis.types import Document, MentionInContext

BATCH_SIZE = 64  # documents that are linked together


def link_stream(
    plans: LinkPlans,
    texts: Iterable[str | Document | None],
    recognizer: Recognize | None = None,
    batch_size: int = BATCH_SIZE,
) -> Iterator[Document]:
    """Linked documents as they come."""
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}.")
    documents = (as_row(text, number) for number, text in enumerate(texts))
    return (each for batch in in_lists(documents, batch_size) for each in link_documents(plans, batch, recognizer))


def rank_mentions(
    model: LinkerModel,
    mentions: Sequence[MentionInContext],
    k: int | None = None,
    rerank: bool = False,
    mask: EntityMask | None = None,
) -> Ranking:
    """The best `k` candidates of each mention with the scores of the ranker or re-ranker: nothing is decided."""
    return ranked_and_on_list(model, mentions, k, rerank, mask)[0]


def score_mentions(model: LinkerModel, mentions: Sequence[MentionInContext], rerank: bool = False) -> Ranking:
    """The same as `rank_mentions`, with probabilities that come from the list alone: no decision has changed them."""
    ranking, on_list = ranked_and_on_list(model, mentions, rerank=rerank)
    return ranking.times(on_list)


def ranked_and_on_list(
    model: LinkerModel,
    mentions: Sequence[MentionInContext],
    k: int | None = None,
    rerank: bool = False,
    mask: EntityMask | None = None,
) -> tuple[Ranking, NDArray[np.float64]]:
    """The best candidates of each mention as `rank_mentions` has them, and how likely it means anything on the list."""
    plan = replace(LinkPlan.of(model, LinkOptions(top_k=k, rerank=rerank), detects=False), mask=mask)
    parts, on_list = [], [np.zeros(0)]
    slices = list(mention_batches(mentions))
    for batch in track(slices, "ranking candidates") if len(slices) > 1 else slices:
        own = plan.sources.with_kb_names(mentions[batch])
        table, name_sums = candidates_by_name(plan.sources, model.ranker, own, mask)
        matrix, best = model.ranker.rank_with_best(own, table, plan.depth, name_sums)
        ranking = Ranking.of_matrix(matrix)
        parts.append(ranking if plan.reranker is None else reranked_by(plan.reranker.opened, plan, own, ranking))
        on_list.append(on_list_probabilities(evidence_of_list(model.kb, own, best, mask)))
    return Ranking.joined(parts).head(k or plan.n_candidates), np.concatenate(on_list)
