"""Linking: one function that sends the spans of documents through the stages, in one direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deixis.detection.recognizers import Recognize
from deixis.linking.batching import batches
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.linking.stages.correct import pin
from deixis.linking.stages.decide import decide, select
from deixis.linking.stages.detect import detect
from deixis.linking.stages.rank import RankedSpans, rank
from deixis.linking.stages.read import read
from deixis.linking.stages.rerank import rerank
from deixis.linking.trace import Trace, TracedBatch
from deixis.progress import track
from deixis.tables import Spans
from deixis.types import Document, Mention


def link_documents(
    plans: LinkPlans, documents: Sequence[Document], recognizer: Recognize | None = None, trace: Trace | None = None
) -> list[Document]:
    """The documents with their mentions linked: those they bring, or those detected where they bring none.

    Each stage takes what the stage before it made; a trace, if given, keeps what each of them made.
    """
    linked = list(documents)
    for plan, numbers in plans.for_each_kind(documents):
        mentions: dict[int, list[Mention]] = {number: [] for number in numbers}
        spans = detect(plan, documents, numbers, recognizer)  # 1 detect
        for ranked in _ranked(plan, documents, spans):  # 2 propose, 3 rank
            before = ranked
            if plan.reader is not None:
                ranked = (read(plan, documents, ranked),)
            for each in ranked:
                selected = each.take(select(plan, each))  # 4 select
                selected = rerank(plan, documents, selected)  # 5 rerank
                for number, mention in decide(plan, documents, selected):  # 6 decide
                    mentions[number].append(mention)
                if trace is not None:
                    trace.batches.append(TracedBatch(plan, before, selected))
        for number in numbers:
            document = documents[number].with_mentions(mentions[number])
            if plan.detects:
                document = pin(plan.model, document, plan.mask, plan.may_overlap)  # 7 apply corrections
            linked[number] = document
    return linked


def _ranked(plan: LinkPlan, documents: Sequence[Document], spans: Spans) -> Iterator[tuple[RankedSpans, ...]]:
    """The batches of spans, ranked one after the other; all at once for a reader, who reads whole documents."""
    parts = list(batches(spans, is_given=not plan.detects))
    ranked = (rank(plan, documents, part) for part in (track(parts, "ranking candidates") if len(parts) > 1 else parts))
    if plan.reader is not None:
        yield tuple(ranked)
    else:
        yield from ((each,) for each in ranked)
