"""A retriever and a reader at work (BEER², Eq. 3-5 and 11): texts in, spans with entities out. NumPy only.

What runs the encoder is given: torch while it learns, onnxruntime afterwards.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from deixis.config import config_from_dict, config_to_dict
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.graphs import OnnxNumbers
from deixis.neural.reader.passages import Passage
from deixis.neural.reader.spans import PairNumbers, Reading, readings_of
from deixis.neural.reader.texts import PassageTokens, ReaderTexts, Span
from deixis.neural.windows import TokenWindows
from deixis.progress import steps
from deixis.store.checks import require

_CHUNK = 256  # texts or pairs between two words of progress
Vectors = NDArray[np.float32]


class EncoderNumbers(Protocol):
    """What an encoder says of encoded texts; both give one array for each, a row for each of its tokens."""

    def states(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_dims of each text."""
        ...

    def numbers(self, encoded: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """tokens_by_3 of each pair: logits of start, end and rank."""
        ...


class Reader:
    """Finds the entities of passages, and where in them they are mentioned.

    `vectors`, entities_by_dims, is wanted for retrieval only; candidates can come from elsewhere.
    """

    def __init__(
        self, texts: ReaderTexts, encoder: EncoderNumbers, kb: KnowledgeBase, vectors: Vectors | None = None
    ) -> None:
        self.texts = texts
        self.config = texts.config
        self.encoder = encoder
        self.kb = kb
        self.vectors = vectors

    def with_kb(self, kb: KnowledgeBase) -> Reader:
        """The same over another knowledge base, whose first rows are those of this one."""
        changed = copy.copy(self)
        changed.kb = kb
        return changed

    def encode_entities(self, label: str = "encoding entities") -> Vectors:
        """entities_by_dims: rows of length one (Eq. 2)."""
        rows = []
        with steps(label, len(self.kb)) as advance:
            for first in range(0, len(self.kb), _CHUNK):
                batch = np.arange(first, min(first + _CHUNK, len(self.kb)))
                encoded = self.texts.encoded_entities(self.kb, batch)
                rows += [pooled(states, self.config.pooling) for states in self.encoder.states(encoded)]
                advance(len(encoded), "")
        return np.stack(rows) if rows else np.zeros((0, 0), np.float32)

    def retrieve(
        self, passages: Sequence[Passage], spans: Sequence[Sequence[Span]] | None = None, k: int | None = None
    ) -> list[list[int]]:
        """The rows of the best `k` entities of each passage: those nearest to it, and to its spans (Eq. 3 and 5).

        `spans` are in code points of the passages; without any, the query is the passage alone.
        """
        if self.vectors is None or not len(passages):
            return [[] for _ in passages]
        k = k or self.config.n_candidates
        encoded = self.texts.encoded([passage.text for passage in passages])
        states = self.encoder.states(encoded)
        whole = np.stack([pooled(each, self.config.pooling) for each in states]) @ self.vectors.T
        row_lists = []
        for number, scores in enumerate(whole):
            positions = self.span_positions(encoded[number], spans[number]) if spans else []
            if not positions:
                row_lists.append(best_rows(scores, k))
                continue
            span_vectors = np.stack([unit(states[number][each].mean(axis=0)) for each in positions])
            by_span = (self.vectors @ span_vectors.T).max(axis=1)
            union = np.union1d(best_rows(scores, k), best_rows(by_span, k))
            row_lists.append(union[best_rows((scores + by_span)[union], k)].tolist())
        return row_lists

    def span_positions(self, encoding: Encoding, spans: Sequence[Span]) -> list[NDArray[np.int64]]:
        """The tokens of each span, or of all spans together where their mean counts."""
        tokens = PassageTokens.of(encoding)
        groups = [[span] for span in spans] if self.config.span_pooling == "max" else [spans]
        return [positions for group in groups if len(positions := tokens.inside(group))]

    def read(
        self, passages: Sequence[Passage], candidates: Sequence[Sequence[int]], threshold: float | None = None
    ) -> list[Reading]:
        """All spans and entities of passages with a score above the threshold; they may overlap and repeat.

        Candidates are those given and, with a retriever, those that it retrieves.
        """
        return self.readings(passages, self.numbers_of(passages, candidates), threshold)

    def readings(
        self, passages: Sequence[Passage], numbers: Sequence[Mapping[int, PairNumbers]], threshold: float | None = None
    ) -> list[Reading]:
        """The same, by the numbers of each passage's candidates."""
        threshold = self.config.threshold if threshold is None else threshold
        readings: list[Reading] = []
        for passage, own in zip(passages, numbers, strict=True):
            start = (passage.document, passage.start)
            readings += readings_of(start, list(own), list(own.values()), self.config.max_span, threshold)
        return merged(readings)

    def answer(self, texts: Iterable[str], threshold: float | None = None) -> list[Reading]:
        """What is read in texts with retrieved candidates."""
        passages = self.texts.passages(texts)
        return self.read(passages, [[] for _ in passages], threshold)

    def numbers_of(
        self, passages: Sequence[Passage], candidates: Sequence[Sequence[int]]
    ) -> list[dict[int, PairNumbers]]:
        """What the reader says of each passage's candidates: those given, and those retrieved in the last pass."""
        if self.vectors is None:
            return self.pair_numbers(passages, candidates)
        *_, last = self.numbers_by_pass(passages, candidates)
        return last

    def numbers_by_pass(
        self, passages: Sequence[Passage], candidates: Sequence[Sequence[int]]
    ) -> Iterator[list[dict[int, PairNumbers]]]:
        """The same after each pass; after the first, candidates are retrieved with the spans that were read before."""
        numbers: list[dict[int, PairNumbers]] = [{} for _ in passages]
        spans: list[list[Span]] | None = None
        for n_done in range(self.config.n_passes):
            if n_done:
                spans = spans_of(passages, self.readings(passages, numbers, self.config.span_threshold))
            retrieved = self.retrieve(passages, spans)
            rows = [list(dict.fromkeys([*one, *other])) for one, other in zip(candidates, retrieved, strict=True)]
            numbers = self.pair_numbers(passages, rows, numbers)
            yield numbers

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The trained encoder, its settings and, if it has any, the entities' vectors; without the knowledge base."""
        if not isinstance(self.encoder, OnnxNumbers):
            raise ConfigError(f"Only a reader of ONNX graphs can be stored, not {type(self.encoder).__name__}.")
        settings = json.dumps(config_to_dict(self.config)).encode()
        arrays = self.encoder.to_arrays(f"{prefix}.encoder")
        arrays[f"{prefix}.settings"] = np.frombuffer(settings, dtype=np.uint8)
        return arrays if self.vectors is None else arrays | {f"{prefix}.vectors": self.vectors}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0
    ) -> Reader:
        """What `to_arrays` gave, over the same knowledge base."""
        try:
            settings = json.loads(require(arrays, f"{prefix}.settings", np.uint8).tobytes())
            config = config_from_dict(ReaderConfig, settings, is_saved=True)
        except (ValueError, TypeError, ConfigError) as error:
            raise StoreError(f"The settings of the reader are damaged ({error}). Learn it again.") from error
        encoder = OnnxNumbers.from_arrays(arrays, f"{prefix}.encoder", n_threads)
        windows = TokenWindows.from_bytes(encoder.tokenizer.tobytes())
        vectors = require(arrays, f"{prefix}.vectors", np.float32, ndim=2) if f"{prefix}.vectors" in arrays else None
        return cls(ReaderTexts(windows, config), encoder, kb, vectors)

    def pair_numbers(
        self,
        passages: Sequence[Passage],
        candidates: Sequence[Sequence[int]],
        known: Sequence[Mapping[int, PairNumbers]] | None = None,
    ) -> list[dict[int, PairNumbers]]:
        """The numbers of each candidate of each passage; those that are known are not computed again."""
        known = known or [{} for _ in passages]
        pairs = [(number, row) for number, rows in enumerate(candidates) for row in rows if row not in known[number]]
        new: list[dict[int, PairNumbers]] = [{} for _ in passages]
        with steps("reading", len(pairs)) as advance:
            for first in range(0, len(pairs), _CHUNK):
                batch = pairs[first : first + _CHUNK]
                encoded = self.texts.encoded_pairs(
                    [passages[number].text for number, _ in batch], self.kb, [row for _, row in batch]
                )
                logits = self.encoder.numbers(encoded)
                for (number, row), encoding, own in zip(batch, encoded, logits, strict=True):
                    tokens = PassageTokens.of(encoding)
                    new[number][row] = PairNumbers(own[tokens.positions], tokens.offsets)
                advance(len(batch), "")
        return [
            {row: known[number].get(row) or new[number][row] for row in rows} for number, rows in enumerate(candidates)
        ]


def pooled(states: NDArray[np.float32], pooling: str) -> NDArray[np.float32]:
    """The vector of a text, of length one, from those of its tokens."""
    return unit(states[0] if pooling == "cls" else states.mean(axis=0))


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector at length one."""
    scaled: NDArray[np.float32] = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return scaled


def best_rows(scores: NDArray[np.floating], k: int) -> list[int]:
    """The places of the best `k` scores, best first, the lower place first among equals."""
    if len(scores) > k:
        near = np.argpartition(-scores, k)[: k + 1]
        near = np.flatnonzero(scores >= scores[near].min())
    else:
        near = np.arange(len(scores))
    order: list[int] = near[np.lexsort((near, -scores[near]))][:k].tolist()
    return order


def merged(readings: Sequence[Reading]) -> list[Reading]:
    """Of readings of the same span and entity, from passages that overlap, the surest."""
    best: dict[tuple[int, int, int, int], Reading] = {}
    for reading in readings:
        key = (reading.document, reading.start, reading.end, reading.row)
        if key not in best or reading.score > best[key].score:
            best[key] = reading
    return list(best.values())


def spans_of(passages: Sequence[Passage], readings: Sequence[Reading]) -> list[list[Span]]:
    """The spans of readings inside each passage, in its code points."""
    by_document: dict[int, list[Reading]] = {}
    for reading in readings:
        by_document.setdefault(reading.document, []).append(reading)
    return [
        sorted(
            {
                (reading.start - passage.start, reading.end - passage.start)
                for reading in by_document.get(passage.document, [])
                if passage.holds(reading.start, reading.end)
            }
        )
        for passage in passages
    ]
