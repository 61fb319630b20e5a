"""The reader of a linker: in texts without mentions it has a say in what is a mention, and of which entity.

What finding proposes, names and their candidates, is what the reader is given (BEER², Eq. 6, with our stations in the
place of a dense retriever). It reads each passage beside each candidate and says where the candidate is mentioned;
its word and that of finding are weighed together, by weights learned on held-out documents. It is slow and needs an
extra, so it is opened when it reads for the first time.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from deixis.detection.spans import on_one_line
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.logistic import weighed
from deixis.linking.calibration import Calibration, rule_for
from deixis.linking.deciding import best_apart
from deixis.linking.finding import Overlaps
from deixis.linking.nil import NilRule
from deixis.linking.seen import SeenDocuments
from deixis.linking.stored_part import StoredPart
from deixis.registry import Lazy, LazyRegistry
from deixis.store.checks import check_length, check_range, require
from deixis.types import Candidate, Document, Mention

if TYPE_CHECKING:  # these need the extra
    from deixis.neural.reader.passages import Passage
    from deixis.neural.reader.run import Reader
    from deixis.neural.reader.spans import Reading

READERS = LazyRegistry("reader", {"retriever-reader": Lazy("deixis.neural.reader.run:Reader", extra="onnx")})
HOW_TO_GET_ONE = "Teach it one from annotated documents: deixis learn MODEL --mentions train.jsonl --reader"

PER_MENTION = 3  # candidates of a proposed mention that the reader may be given
LEAST_CHANCE = 0.005  # of what is proposed to the reader
LEAST_SPAN = 0.02  # chance of spans that it hears of, also of those too unlikely to be ranked without it
LEAST_READ = 0.002  # product of span and rank probability that is heard at all
MAX_LOG_ODDS = 7.0
MAX_WEIGHT = 100.0
EVIDENCE = ("found", "is_not_found", "span", "rank", "is_not_read", "one")
"""What a chance is made of: log odds by finding; logarithms of the reader's probabilities (Eq. 9 and 10)."""
COUNTS_FOR = np.array([True, False, True, True, False, False])

Rows = NDArray[np.int64]


class StoredReader(StoredPart):
    """The reader of a saved model."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0) -> None:
        super().__init__(READERS, "retriever-reader", arrays, prefix, kb, n_threads)


@dataclass(frozen=True, eq=False)
class PossibleLinks:
    """Spans of documents with an entity that each may mean, by row, and what speaks for it."""

    texts: Rows
    starts: Rows
    ends: Rows
    rows: Rows
    evidence: NDArray[np.float32]

    @classmethod
    def of(cls, kb: KnowledgeBase, proposed: Sequence[Document], readings: Sequence[Reading]) -> PossibleLinks:
        """All that was proposed or read, each once, in the order of their places."""
        found: dict[tuple[int, int, int, int], float] = {}
        for number, document in enumerate(proposed):
            for mention in document.mentions:
                for candidate in mention.candidates[:PER_MENTION]:
                    row = kb.row_of(candidate.id)
                    if row is not None:
                        found[number, mention.start, mention.end, row] = candidate.score
        read = {(each.document, each.start, each.end, each.row): each for each in readings}
        keys = sorted(found.keys() | read.keys())
        texts, starts, ends, rows = np.array(keys, dtype=np.int64).reshape(-1, 4).T
        evidence = [_evidence(found.get(key), read.get(key)) for key in keys]
        return cls(texts, starts, ends, rows, np.array(evidence, dtype=np.float32).reshape(-1, len(EVIDENCE)))

    def take(self, rows: Rows) -> PossibleLinks:
        """Those in these rows."""
        return PossibleLinks(self.texts[rows], self.starts[rows], self.ends[rows], self.rows[rows], self.evidence[rows])

    def places(self) -> Iterator[tuple[tuple[int, int, int], int]]:
        """Text, start and end of each, and the row of its entity."""
        for text, start, end, row in zip(
            *map(np.ndarray.tolist, (self.texts, self.starts, self.ends, self.rows)), strict=True
        ):
            yield (text, start, end), row

    def span_starts(self) -> Rows:
        """Where the links of each span begin, which stand side by side, and after the last the number of all."""
        columns = np.stack([self.texts, self.starts, self.ends])
        is_new = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        return np.concatenate([[0][: len(self.texts)], 1 + np.flatnonzero(is_new), [len(self.texts)]]).astype(np.int64)

    def taken(self, chances: NDArray[np.float64], least: float, overlaps: Overlaps) -> Rows:
        """Which of them become links: of each span the likeliest, if likely enough, and none beside another's place."""
        if not len(chances):
            return np.zeros(0, dtype=np.int64)
        bounds = self.span_starts()
        order = np.lexsort((-chances, np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))))
        best: Rows = order[bounds[:-1]]
        best = best[(chances[best] >= least) & (chances[best] > 0)]
        if overlaps == "keep":
            return best
        starts, ends = on_one_line(self.texts[best], self.starts[best], self.ends[best])
        # What just reaches the threshold is worth a little, too.
        is_taken = best_apart(starts, ends, chances[best] - least + 1e-6)
        return np.compress(is_taken, best)


def _evidence(chance: float | None, reading: Reading | None) -> tuple[float, ...]:
    odds = -MAX_LOG_ODDS if chance is None else _log_odds(chance)
    unread = np.log(LEAST_READ) / 2
    span, rank = (unread, unread) if reading is None else (np.log(reading.span_share), np.log(reading.rank_share))
    return odds, float(chance is None), max(span, -MAX_LOG_ODDS), max(rank, -MAX_LOG_ODDS), float(reading is None), 1.0


def _log_odds(chance: float) -> float:
    inside = min(max(chance, 1e-4), 1 - 1e-4)
    return float(np.clip(np.log(inside / (1 - inside)), -MAX_LOG_ODDS, MAX_LOG_ODDS))


@dataclass(frozen=True, eq=False)
class ReadingStation:
    """A reader, what its word weighs, and from which chance on a link is made.

    `learned_from` are the documents it was trained on, `calibration` what held-out documents say of chances.
    """

    reader: StoredReader
    weights: NDArray[np.float64]
    nil: NilRule
    calibration: Calibration | None = None
    learned_from: SeenDocuments = field(default_factory=SeenDocuments)

    def possible(self, kb: KnowledgeBase, proposed: Sequence[Document]) -> PossibleLinks:
        """What may be linked in documents, with overlapping mentions as finding proposes them."""
        reader: Reader = self.reader.opened
        passages = reader.texts.passages(document.text for document in proposed)
        candidates = passage_candidates(kb, proposed, passages, reader.config.n_candidates)
        return PossibleLinks.of(kb, proposed, reader.read(passages, candidates, LEAST_READ))

    def find(
        self, kb: KnowledgeBase, proposed: Sequence[Document], overlaps: Overlaps = "drop", k: int = 1
    ) -> list[Document]:
        """The documents with the mentions that finding and reader together think likely, with their best `k` entities.

        Names of nothing known are not told: a reader looks for entities.
        """
        return self.linked(kb, proposed, self.possible(kb, proposed), overlaps, k)

    def linked(
        self,
        kb: KnowledgeBase,
        documents: Sequence[Document],
        links: PossibleLinks,
        overlaps: Overlaps = "drop",
        k: int = 1,
    ) -> list[Document]:
        """The same, of documents in which it is known what may be linked."""
        chances = expit(weighed(links.evidence, self.weights))
        found: list[list[Mention]] = [[] for _ in documents]
        taken, bounds = links.taken(chances, self.nil.least_score, overlaps), links.span_starts()
        spans = np.searchsorted(bounds, taken, side="right")
        for place, first, last in zip(taken.tolist(), bounds[spans - 1].tolist(), bounds[spans].tolist(), strict=True):
            number, start, end = (int(column[place]) for column in (links.texts, links.starts, links.ends))
            here = first + np.argsort(-chances[first:last], kind="stable")[:k]
            scored = zip(links.rows[here].tolist(), chances[here].tolist(), strict=True)
            listed = tuple(Candidate(kb.ids[row], chance, kb.titles[row]) for row, chance in scored)
            text = documents[number].text[start:end]
            found[number].append(Mention(start, end, text, listed[0].id, listed[0].score, candidates=listed))
        return [document.with_mentions(mentions) for document, mentions in zip(documents, found, strict=True)]

    def ruled(self, rule: NilRule) -> ReadingStation:
        """The same with a rule's threshold, or with the one that held-out documents have for its target precision."""
        return replace(self, nil=rule_for(rule, self.calibration, self.nil))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All of it as arrays under names that begin with `prefix`."""
        arrays = self.reader.to_arrays(f"{prefix}.reader") | {
            f"{prefix}.weights": self.weights,
            f"{prefix}.threshold": np.array([self.nil.least_score]),
        }
        if self.calibration is not None:
            arrays |= self.calibration.to_arrays(f"{prefix}.calibration")
        return arrays | self.learned_from.to_arrays(f"{prefix}.learned_from")

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0
    ) -> ReadingStation | None:
        """What `to_arrays` gave, its reader not opened yet; None if the model has none."""
        if f"{prefix}.weights" not in arrays:
            return None
        weights = require(arrays, f"{prefix}.weights", np.float64)
        check_length(f"{prefix}.weights", weights, len(EVIDENCE))
        check_range(f"{prefix}.weights", weights, -MAX_WEIGHT, MAX_WEIGHT)
        threshold = require(arrays, f"{prefix}.threshold", np.float64)
        check_length(f"{prefix}.threshold", threshold, 1)
        check_range(f"{prefix}.threshold", threshold, 0, np.nextafter(1, 2))
        return cls(
            StoredReader(arrays, f"{prefix}.reader", kb, n_threads),
            weights,
            NilRule(float(threshold[0])),
            Calibration.from_arrays(arrays, f"{prefix}.calibration"),
            SeenDocuments.from_arrays(arrays, f"{prefix}.learned_from"),
        )


def passage_candidates(
    kb: KnowledgeBase, proposed: Sequence[Document], passages: Sequence[Passage], k: int
) -> list[list[int]]:
    """The rows of the best `k` entities of each passage: the likeliest among the candidates of its mentions."""
    places = [_places(kb, document) for document in proposed]
    found: list[list[int]] = []
    for passage in passages:
        here = places[passage.document]
        first = bisect.bisect_left(here, passage.start, key=itemgetter(0))
        last = bisect.bisect_left(here, passage.end, key=itemgetter(0))
        best: dict[int, float] = {}
        for _, end, row, score in here[first:last]:
            if end <= passage.end and score > best.get(row, 0.0):
                best[row] = score
        found.append(sorted(best, key=lambda row: (-best[row], row))[:k])
    return found


def _places(kb: KnowledgeBase, document: Document) -> list[tuple[int, int, int, float]]:
    """Start, end, row and score of what may be mentioned, in order."""
    return sorted(
        (mention.start, mention.end, row, candidate.score)
        for mention in document.mentions
        for candidate in mention.candidates[:PER_MENTION]
        if (row := kb.row_of(candidate.id)) is not None
    )


def no_reader() -> ConfigError:
    """The error of a linker that is told to read and has no reader."""
    return ConfigError(f"This model has no reader, so it cannot read. {HOW_TO_GET_ONE}")
