"""What a retriever and a reader are given: passages, entities, and pairs of the two, as tokens. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.texts import BiTexts
from deixis.neural.cross_encoder.texts import further_names
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.passages import Passage, cut_passages
from deixis.neural.windows import TokenWindows

Span = tuple[int, int]


@dataclass(frozen=True)
class ReaderTexts:
    """Cuts and encodes texts by one tokenizer."""

    windows: TokenWindows
    config: ReaderConfig

    def passages(self, texts: Iterable[str]) -> list[Passage]:
        """The passages of all texts."""
        return list(cut_passages(texts, self.windows, self.config.n_tokens, self.config.overlap))

    def entities(self, kb: KnowledgeBase, rows: NDArray[np.integer]) -> list[str]:
        """f(e) of Eq. 2, one text for each row: the title, marked, and the description, or else the other names."""
        described = kb.description_texts(rows)
        parts = [
            (kb.titles[row], text or further_names(kb, row)) for row, text in zip(rows.tolist(), described, strict=True)
        ]
        return BiTexts(self.windows, self.config.entity_tokens).of_titled(parts)

    def encoded_entities(self, kb: KnowledgeBase, rows: NDArray[np.integer]) -> list[Encoding]:
        """The same as tokens."""
        encodings: list[Encoding] = self.windows.tokenizer.encode_batch(self.entities(kb, rows))
        return encodings

    def encoded(self, texts: Sequence[str]) -> list[Encoding]:
        """Texts with the signs that a model wants around them."""
        encodings: list[Encoding] = self.windows.tokenizer.encode_batch(
            [self.windows.same_length(text) for text in texts]
        )
        return encodings

    def encoded_pairs(self, passages: Sequence[str], kb: KnowledgeBase, rows: Sequence[int]) -> list[Encoding]:
        """Each passage with an entity after it (Eq. 6); entities' texts are ours, so their markers stay."""
        different, numbers = np.unique(np.asarray(rows, dtype=np.int64), return_inverse=True)
        entities = self.entities(kb, different)
        pairs = [
            (self.windows.same_length(one), entities[number])
            for one, number in zip(passages, numbers.tolist(), strict=True)
        ]
        encodings: list[Encoding] = self.windows.tokenizer.encode_batch(pairs)
        return encodings


@dataclass(frozen=True, eq=False)
class PassageTokens:
    """Which tokens of an encoding are the passage's, the very first token before them, and where they stand in it.

    Examples
    --------
    >>> tokens = PassageTokens(np.array([0, 1, 2]), np.array([[0, 0], [0, 5], [6, 10]]))
    >>> tokens.of_span(6, 10), tokens.of_span(0, 10), tokens.of_span(20, 25)
    ((2, 2), (1, 2), None)
    """

    positions: NDArray[np.int64]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, encoding: Encoding) -> PassageTokens:
        """Those of an encoded passage, alone or in a pair."""
        inside = [
            position
            for position, (sequence, (start, end)) in enumerate(
                zip(encoding.sequence_ids, encoding.offsets, strict=True)
            )
            if sequence == 0 and end > start
        ]
        positions = np.array([0, *inside], dtype=np.int64)
        offsets = np.array([(0, 0), *(encoding.offsets[position] for position in inside)], dtype=np.int64)
        return cls(positions, offsets)

    def of_span(self, start: int, end: int) -> Span | None:
        """The first and last token (their places in the encoding) of a span in code points of the passage."""
        inside = np.flatnonzero((self.offsets[:, 1] > start) & (self.offsets[:, 0] < end) & (self.offsets[:, 1] > 0))
        return (int(self.positions[inside[0]]), int(self.positions[inside[-1]])) if len(inside) else None

    def inside(self, spans: Iterable[Span]) -> NDArray[np.int64]:
        """The places of all tokens of spans in code points of the passage."""
        pairs = [pair for start, end in spans if (pair := self.of_span(start, end)) is not None]
        return np.unique(np.concatenate([np.arange(x, y + 1) for x, y in pairs])) if pairs else np.zeros(0, np.int64)
