"""What a reader adds to raw text: passages are read beside the candidates that detection and ranking propose.

The reader (BEER², Eq. 6) says where in a passage each candidate is mentioned. Candidates are those that our sources
propose, and, of a reader that was trained with a retriever, those that it retrieves for the passage. The evidence of
the reader and that of detection and ranking are weighed together, by weights learned on held-out documents.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deixis.learners.log_odds import expit
from deixis.learners.logistic import weighed
from deixis.linking.model import Reader
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.correct import overrule
from deixis.linking.stages.decide import has_exact_names, reaches
from deixis.linking.stages.rank import RankedSpans
from deixis.tables import CandidateTable, EntityMask, Ranking, Spans
from deixis.types import Document

if TYPE_CHECKING:  # these need the extra
    from deixis.neural.reader.passages import Passage
    from deixis.neural.reader.spans import Reading

PER_MENTION = 3  # candidates of a proposed mention that the reader may be given
MIN_PROPOSED = 0.005  # probability of what is proposed to the reader
MIN_READ = 0.002  # product of span and rank probability that counts at all
MAX_LOG_ODDS = 7.0
EVIDENCE = {
    "found": "how likely it is by names and candidates alone, as log odds",
    "is_not_found": "names and candidates alone do not propose it",
    "span": "how likely the reader finds the span, as a logarithm",
    "rank": "how likely the reader finds the entity, as a logarithm",
    "is_not_read": "the reader does not find it",
    "one": "what holds of every link",
}
"""What a probability is made of, and what each number says (Eq. 9 and 10)."""
COUNTS_FOR = np.array([True, False, True, True, False, False])

Rows = NDArray[np.int64]
Key = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class PossibleLinks:
    """Spans with an entity that each may mean, by row, and the evidence for it; links of one span are adjacent."""

    documents: Rows
    starts: Rows
    ends: Rows
    rows: Rows
    evidence: NDArray[np.float32]

    @classmethod
    def of(cls, spans: Spans, ranking: Ranking, readings: Sequence[Reading]) -> PossibleLinks:
        """All that was proposed or read, each once, in text order."""
        proposed: dict[Key, float] = {
            (*key, row): score
            for key, own in zip(spans.keys(), _lists(ranking.head(PER_MENTION)), strict=True)
            for row, score in own
        }
        read = {(each.document, each.start, each.end, each.row): each for each in readings}
        keys = sorted(proposed.keys() | read.keys())
        documents, starts, ends, rows = np.array(keys, dtype=np.int64).reshape(-1, 4).T
        evidence = [_evidence(proposed.get(key), read.get(key)) for key in keys]
        columns = np.array(evidence, dtype=np.float32).reshape(-1, len(EVIDENCE))
        return cls(documents, starts, ends, rows, columns)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Rows) -> PossibleLinks:
        """Those in these rows."""
        documents, starts, ends = self.documents[rows], self.starts[rows], self.ends[rows]
        return PossibleLinks(documents, starts, ends, self.rows[rows], self.evidence[rows])

    def keys(self) -> Iterator[Key]:
        """Document number, start, end and the row of the entity of each."""
        columns = (self.documents, self.starts, self.ends, self.rows)
        return zip(*(column.tolist() for column in columns), strict=True)

    def ranked(self, probabilities: NDArray[np.float64]) -> tuple[Spans, Ranking]:
        """The spans, and the entities of each, best first, with these probabilities."""
        columns = np.stack([self.documents, self.starts, self.ends])
        is_new = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        starts = np.concatenate([[0][: len(self)], 1 + np.flatnonzero(is_new), [len(self)]]).astype(np.int64)
        order = np.lexsort((-probabilities, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        first = starts[:-1]
        odds, has_name = np.full(len(first), -np.inf), np.ones(len(first), dtype=bool)
        spans = Spans(self.documents[first], self.starts[first], self.ends[first], odds, has_name)
        return spans, Ranking(starts, self.rows[order], probabilities[order])


def read(plan: LinkPlan, documents: Sequence[Document], batches: Iterable[RankedSpans]) -> RankedSpans:
    """The spans of all batches, and those that the reader finds besides, with their joint probabilities."""
    if plan.reader is None:
        raise ValueError("There is no reader in this plan.")
    mask = plan.model.kb.live if plan.mask is None else plan.mask
    links = possible_links(plan.reader, documents, *reader_input(plan, batches), mask)
    spans, ranking = links.ranked(expit(weighed(links.evidence, plan.reader.weights)))
    mentions = spans.in_context(documents)
    scored = overrule(plan.model, spans.positions(mentions), ranking.head(plan.depth), plan.mask)
    nothing = CandidateTable(np.zeros(len(spans) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), {})
    return RankedSpans(spans, mentions, nothing, ranking, scored, np.full(len(spans), np.nan), links)


def reader_input(plan: LinkPlan, batches: Iterable[RankedSpans]) -> tuple[Spans, Ranking]:
    """What the reader is given: all spans that could be links, overlapping and improbable ones too."""
    parts = []
    for ranked in batches:
        is_kept = reaches(ranked.scored.best_scores(), MIN_PROPOSED)
        if plan.mask is not None:
            is_kept &= has_exact_names(plan, ranked, is_kept)
        parts.append(ranked.take(is_kept))
    return Spans.joined([each.spans for each in parts]), Ranking.joined([each.scored for each in parts])


def possible_links(
    reader: Reader, documents: Sequence[Document], spans: Spans, ranking: Ranking, mask: EntityMask | None = None
) -> PossibleLinks:
    """What may be linked in the documents, by what was proposed for them and by what the reader finds."""
    opened = reader.part.opened
    numbers = np.unique(spans.documents)
    own = np.searchsorted(numbers, spans.documents)
    within = Spans(own, spans.starts, spans.ends, spans.log_odds, spans.has_name)
    passages = opened.texts.passages(documents[number].text for number in numbers.tolist())
    candidates = passage_candidates(within, ranking, passages, opened.config.n_candidates)
    readings = opened.read(passages, candidates, MIN_READ)
    if mask is not None:
        readings = [each for each in readings if mask[each.row]]
    links = PossibleLinks.of(within, ranking, readings)
    return PossibleLinks(numbers[links.documents], links.starts, links.ends, links.rows, links.evidence)


def passage_candidates(spans: Spans, ranking: Ranking, passages: Sequence[Passage], k: int) -> list[list[int]]:
    """The rows of the best `k` entities of each passage: the most probable among the candidates of its spans."""
    own: dict[int, list[tuple[int, int, int, float]]] = {}
    for (number, start, end), candidates in zip(spans.keys(), _lists(ranking.head(PER_MENTION)), strict=True):
        own.setdefault(number, []).extend((start, end, row, score) for row, score in candidates)
    by_document = {number: sorted(each) for number, each in own.items()}
    rows: list[list[int]] = []
    for passage in passages:
        here = by_document.get(passage.document, [])
        first = bisect.bisect_left(here, passage.start, key=itemgetter(0))
        last = bisect.bisect_left(here, passage.end, key=itemgetter(0))
        best: dict[int, float] = {}
        for _, end, row, score in here[first:last]:
            if end <= passage.end and score > best.get(row, 0.0):
                best[row] = score
        rows.append(sorted(best, key=lambda row: (-best[row], row))[:k])
    return rows


def _lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    pairs = list(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))
    starts = ranking.starts.tolist()
    return [pairs[starts[number] : starts[number + 1]] for number in range(len(ranking))]


def _evidence(probability: float | None, reading: Reading | None) -> tuple[float, ...]:
    odds = -MAX_LOG_ODDS if probability is None else _log_odds(probability)
    unread = np.log(MIN_READ) / 2
    span, rank = (
        (unread, unread) if reading is None else (np.log(reading.span_probability), np.log(reading.rank_probability))
    )
    is_new = float(probability is None)
    return odds, is_new, max(span, -MAX_LOG_ODDS), max(rank, -MAX_LOG_ODDS), float(reading is None), 1.0


def _log_odds(probability: float) -> float:
    inside = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.clip(np.log(inside / (1 - inside)), -MAX_LOG_ODDS, MAX_LOG_ODDS))
