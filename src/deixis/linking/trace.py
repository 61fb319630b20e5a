"""The trace of a run: what each stage computed, for explanations."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.linking.plan import LinkPlan
from deixis.linking.stages.rank import RankedSpans


@dataclass(frozen=True, eq=False)
class TracedBatch:
    """A batch of spans as it went through the pipeline.

    `ranked` are all spans with their candidates; `selected` those that are mentions, as they were decided: with the
    re-ranker's order and scores, if there is one. With a reader, `ranked` are the spans before it, and `selected` what
    it made of them.
    """

    plan: LinkPlan
    ranked: tuple[RankedSpans, ...]
    selected: RankedSpans


@dataclass(frozen=True, eq=False)
class Trace:
    """The batches of a run, in their order."""

    batches: list[TracedBatch] = field(default_factory=list)
