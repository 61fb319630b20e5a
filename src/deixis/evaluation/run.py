"""Measures a linker, or predictions that somebody made, on annotated documents. Knows documents, no model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from deixis.errors import DataError, UnknownNameError
from deixis.evaluation.known_entities import EVERY_ENTITY, EVERY_GOLD_ID, KnownEntities
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.evaluation.linking.headlines import UPPER_BOUND, headlines
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.pairing import distinct, paired
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.comparison import Comparison, compared
from deixis.evaluation.statistics.metric import Metric
from deixis.types import Document, Mention

Link = Callable[[Sequence[Document]], Iterable[Document]]
"""Links documents: those that bring mentions keep them, in those that bring none mentions are detected."""
BATCH_SIZE = 256  # documents linked together
NAMES = ("the documents", "the predictions")
_OTHER_SPANS = (Outcome.MISSED, Outcome.NIL_MISSED, Outcome.WRONG_SPAN, Outcome.SPURIOUS, Outcome.SPURIOUS_NIL)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How often a linker is right on annotated documents.

    `speed` is in mentions per second, None if nothing was linked here; `n_overlapping` counts gold mentions that
    overlap another; `settings` are written beside each row.

    Examples
    --------
    >>> mentions = Mention(0, 5, "Paris", entity="Q1"), Mention(11, 15, "Troy", entity="Q2")
    >>> gold = [Document("a", "Paris left Troy.", mentions=mentions)]
    >>> half = [gold[0].with_mentions(mentions[:1])]
    >>> evaluation = evaluate(half, gold)
    >>> evaluation["inkb_micro_precision"], evaluation["inkb_micro_recall"]
    (1.0, 0.5)
    >>> [comparison.verdict for comparison in evaluation.compare(evaluate(gold, gold))][:2]
    ['unclear', 'unclear']
    """

    tally: Tally
    known: KnownEntities = EVERY_ENTITY
    at: tuple[int, ...] = RECALL_AT
    is_end_to_end: bool = False
    speed: float | None = None
    n_overlapping: int = 0
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def metrics(self) -> list[Metric]:
        """Every metric with its interval; without a knowledge base there is no upper bound."""
        metrics = self.tally.metrics(self.at, self.seed)
        return [metric for metric in metrics if self.known.resolve is not None or metric.name != UPPER_BOUND]

    @property
    def main_metrics(self) -> list[Metric]:
        """The few to show first."""
        return headlines(self.metrics, self.is_end_to_end)

    def __getitem__(self, name: str) -> float:
        """The value of a metric, such as `inkb_micro_f1`; all are in docs/reference/metrics.md."""
        values = {metric.name: metric.value for metric in self.metrics}
        if name not in values:
            raise UnknownNameError("metric", name, known=values)
        return values[name]

    def rows(self, suite: str, system: str = "deixis") -> list[ResultRow]:
        """A row per metric, and the speed if something was linked."""
        rows = metric_rows(self.metrics, suite, system, self.settings)
        if self.speed is not None:
            speed = round(self.speed, 1)
            rows.append(ResultRow(suite, "mentions_per_second", system, speed, "1/s", settings=self.settings))
        return rows

    def compare(self, other: Evaluation) -> list[Comparison]:
        """The main metrics of both on the same documents, with the difference, its interval and its p-value."""
        names = [metric.name for metric in self.main_metrics if metric.name != UPPER_BOUND]
        at = [k for k in self.at if k in other.at]
        return compared(self.tally, other.tally, names, at, self.seed)

    @property
    def has_no_known_gold(self) -> bool:
        """Whether gold has entities, and the knowledge base none of them."""
        counts = self.tally.ledger.counts()
        return bool(counts["n_linked_gold"].sum() > 0 and counts["n_in_kb"].sum() == 0)


def evaluate(
    answer: Link | Iterable[Document],
    documents: Iterable[Document],
    known: KnownEntities = EVERY_ENTITY,
    *,
    end_to_end: bool = False,
    at: Sequence[int] | None = None,
    n_candidates: int | None = None,
    n_examples: int = 0,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    names: tuple[str, str] | None = None,
) -> Evaluation:
    """How often a linker, or predictions paired by their ids, are right on annotated documents.

    Documents are read once and not kept. `end_to_end` shows a linker the text only. `at` are the k of recall@k;
    for predictions it ends at their longest list unless it is given. Of a linker's candidates the first
    `n_candidates` are its own, and the others count for recall@k only. `names` is what errors call documents and
    predictions.
    """
    names = names or NAMES
    tally = Tally(known.resolve, count_of=known.count_of, types_of=known.types_of, n_examples=n_examples)
    clock, n_overlaps = _Clock(), 0
    is_deeper = n_candidates is not None and max(at or RECALL_AT) > n_candidates
    if callable(answer):
        pairs = _linked(answer, distinct(documents, names[0]), end_to_end, clock)
    else:
        pairs = paired(documents, answer, *names)
    for gold, predicted in pairs:
        own = predicted if n_candidates is None else _cut(predicted, n_candidates)
        try:
            tally.add(gold, own, predicted if is_deeper else None)
        except DataError as error:
            raise error if error.path else DataError(error.reason, path=names[0]) from None
        n_overlaps += n_overlapping([mention for mention in gold.mentions if mention.is_decided])
    if tally.n_gold == 0:
        raise DataError(
            "has no gold: no mention has an 'entity'. Annotate mentions as "
            '{"start": 14, "end": 19, "entity": "Q167646"}, or link the file with: deixis link',
            path=names[0],
        )
    has_own_spans = not callable(answer) and any(outcome in tally.outcomes for outcome in _OTHER_SPANS)
    n_longest = None if callable(answer) else max(1, tally.n_longest)
    return Evaluation(
        tally,
        known,
        tuple(at) if at else tuple(k for k in RECALL_AT if n_longest is None or k <= n_longest),
        end_to_end or has_own_spans,
        clock.per_second,
        n_overlaps,
        seed,
        _noted(settings or {}, known, end_to_end),
    )


def comparable(a: Evaluation, b: Evaluation) -> tuple[Evaluation, Evaluation]:
    """Both with the k of recall@k that they share."""
    at = tuple(k for k in a.at if k in b.at)
    return replace(a, at=at), replace(b, at=at)


def without_gold(document: Document) -> Document:
    """The document with the same mentions and none of the answers: what a linker may be shown in a test."""
    return document.with_mentions([Mention(m.start, m.end, m.text) for m in document.mentions])


def n_overlapping(mentions: Iterable[Mention]) -> int:
    """How many mentions begin before an earlier one has ended.

    Examples
    --------
    >>> n_overlapping([Mention(0, 8, "New York"), Mention(4, 8, "York"), Mention(9, 13, "City")])
    1
    """
    n, last_end = 0, 0
    for mention in sorted(mentions, key=lambda mention: (mention.start, mention.end)):
        n += mention.start < last_end
        last_end = max(last_end, mention.end)
    return n


class _Clock:
    """How many mentions were linked in how many seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.n_mentions = 0

    @property
    def per_second(self) -> float | None:
        return self.n_mentions / max(self.seconds, 1e-9) if self.n_mentions else None


def _linked(
    link: Link, documents: Iterable[Document], end_to_end: bool, clock: _Clock
) -> Iterator[tuple[Document, Document]]:
    """Each document and its answer. Given mentions are all there are, even in a document without any."""
    stream = iter(documents)
    while batch := list(islice(stream, BATCH_SIZE)):
        bare = [document.with_mentions(()) if end_to_end else without_gold(document) for document in batch]
        shown = [document for document in bare if document.mentions or end_to_end]
        started = time.perf_counter()
        linked = list(link(shown))
        clock.seconds += time.perf_counter() - started
        clock.n_mentions += sum(len(document.mentions) for document in linked)
        if len(linked) != len(shown):
            raise DataError(f"The linker answered {len(linked)} of {len(shown)} documents; it must answer all.")
        answers = iter(linked)
        for gold, document in zip(batch, bare, strict=True):
            yield gold, next(answers) if document.mentions or end_to_end else document


def _cut(document: Document, k: int) -> Document:
    """The document with the best `k` candidates of each mention."""
    return document.with_mentions([mention.with_candidates(mention.candidates[:k]) for mention in document.mentions])


def _noted(settings: Mapping[str, Any], known: KnownEntities, end_to_end: bool) -> dict[str, Any]:
    noted = dict(settings)
    if end_to_end:
        noted["end_to_end"] = True
    if known.resolve is None:
        noted["in_kb"] = EVERY_GOLD_ID
    return noted
