"""Loops over batches: documents linked as they come, and mentions ranked without any decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deixis.detection.recognizers import Recognize
from deixis.errors import ConfigError
from deixis.linking.batching import in_lists, mention_batches
from deixis.linking.inputs import as_document
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.pipeline import link_documents
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.linking.stages.rerank import reranked_by
from deixis.progress import track
from deixis.tables import EntityMask, Ranking
from deixis.types import Document, MentionInContext

BATCH_SIZE = 64  # documents that are linked together


def link_stream(
    model: LinkerModel,
    texts: Iterable[str | Document],
    options: LinkOptions,
    recognizer: Recognize | None = None,
    batch_size: int = BATCH_SIZE,
) -> Iterator[Document]:
    """Linked documents as they come; what is wrong with the options is said before anything is read."""
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}.")
    plans = LinkPlans.of(model, options)
    documents = (as_document(text, number) for number, text in enumerate(texts))
    return (each for batch in in_lists(documents, batch_size) for each in link_documents(plans, batch, recognizer))


def rank_mentions(
    model: LinkerModel,
    mentions: Sequence[MentionInContext],
    k: int | None = None,
    rerank: bool = False,
    mask: EntityMask | None = None,
) -> Ranking:
    """The best `k` candidates of each mention with the scores of the ranker or re-ranker: nothing is decided."""
    plan = replace(LinkPlan.of(model, LinkOptions(top_k=k, rerank=rerank), detects=False), mask=mask)
    parts = []
    slices = list(mention_batches(mentions))
    for batch in track(slices, "ranking candidates") if len(slices) > 1 else slices:
        own = mentions[batch]
        ranking = Ranking.of_matrix(model.ranker.rank(own, plan.sources.propose(own, mask), plan.depth))
        parts.append(ranking if plan.reranker is None else reranked_by(plan.reranker.opened, plan, own, ranking))
    return Ranking.joined(parts).head(k or plan.n_candidates)
