"""Mentions in context and entities as vectors of one encoder, which are held against each other.

A bi-encoder was trained to read one text with the name marked (`neural/bi_encoder/texts`). Others were not: of one text
with name and context they hardly tell whom it names (Farhan, 2024, section 6.5.1, starts at 5 % recall). Of those the
vector of the name and that of the text are added (decision on vectors of texts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.encoders.config import MARKER
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.registry import encode_rows
from deixis.encoders.unit_rows import unit_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import track
from deixis.registry import Lazy, LazyRegistry
from deixis.types import MentionInContext

Floats = NDArray[np.float32]

BATCH = 8192  # entities encoded at a time
# Cutting by tokens needs the tokenizers library, which only encoders that have a tokenizer bring along.
_PARTS = LazyRegistry(
    "text of a bi-encoder",
    {
        "texts": Lazy("deixis.neural.bi_encoder.texts:BiTexts", extra="onnx"),
        "windows": Lazy("deixis.neural.windows:TokenWindows", extra="onnx"),
    },
)


@dataclass(frozen=True)
class VectorTextsConfig(Config):
    """How much text an encoder reads."""

    n_tokens: int = setting(64, "Tokens of a text, of encoders that know the marker [M].", low=8)
    n_characters: int = setting(
        200, "Characters of text around a mention, of all other encoders; 0: the mention only.", low=0
    )
    context_weight: float = setting(
        0.5, "Weight of the text around a mention beside its own, for these encoders.", low=0
    )
    description_weight: float = setting(1.0, "Weight of the description beside the title, for these encoders.", low=0)


class MentionVectors(Protocol):
    """Vectors of length one, of mentions and of entities; a mention without letters has a vector of zeros."""

    def of_mentions(self, mentions: Sequence[MentionInContext]) -> Floats:
        """mentions_by_dims."""

    def of_entities(self, kb: KnowledgeBase, rows: NDArray[np.integer]) -> Iterator[Floats]:
        """The vectors of the entities in `rows`, one for each of their texts (`described`), in blocks."""


def vectors_by(encoder: TextEncoder, config: VectorTextsConfig) -> MentionVectors:
    """How this encoder makes vectors: by marked texts if its tokenizer knows the marker."""
    tokenizer = getattr(encoder, "tokenizer", None)
    if tokenizer is not None and tokenizer.token_to_id(MARKER) is not None:
        windows = _PARTS["windows"].from_bytes(tokenizer.to_str().encode())
        return MarkedVectors(encoder, _PARTS["texts"](windows, config.n_tokens))
    return PlainVectors(encoder, config)


@dataclass(frozen=True)
class PlainVectors:
    """The vector of the name plus that of the text around it, or of the description.

    Examples
    --------
    >>> from deixis.encoders.registry import FunctionEncoder
    >>> encoder = FunctionEncoder(lambda texts: [[text.count("Paris"), text.count("Troy")] for text in texts])
    >>> vectors = PlainVectors(encoder, VectorTextsConfig(context_weight=1.0))
    >>> vectors.of_mentions([MentionInContext("Paris", "Troy, Paris", 6, 11)]).round(1).tolist()
    [[0.8999999761581421, 0.4000000059604645]]
    """

    encoder: TextEncoder
    config: VectorTextsConfig

    def of_mentions(self, mentions: Sequence[MentionInContext]) -> Floats:
        """mentions_by_dims."""
        names = [mention.text for mention in mentions]
        texts = [mention.context(self.config.n_characters) for mention in mentions]
        return self._both(names, texts, self.config.context_weight if self.config.n_characters else 0)

    def of_entities(self, kb: KnowledgeBase, rows: NDArray[np.integer]) -> Iterator[Floats]:
        """The vectors of entities, in blocks."""
        for begin in track(range(0, len(rows), BATCH), "embedding entities"):
            owners, items = described(kb, rows[begin : begin + BATCH])
            texts = [""] * len(items)
            known = np.flatnonzero(items >= 0)
            for position, text in zip(known.tolist(), kb.descriptions.strings(items[known]), strict=True):
                texts[position] = text
            yield self._both(kb.titles.strings(owners), texts, self.config.description_weight)

    def _both(self, names: list[str], texts: list[str], weight: float) -> Floats:
        named = encode_rows(self.encoder, names)
        if not weight:
            return named
        both = unit_rows(named + np.float32(weight) * encode_rows(self.encoder, texts))
        both[[not name.strip() for name in names]] = 0
        return both


@dataclass(frozen=True)
class MarkedVectors:
    """The vector of one text in which the name is marked, as a bi-encoder was trained to read it."""

    encoder: TextEncoder
    texts: Any  # BiTexts, whose module needs an extra

    def of_mentions(self, mentions: Sequence[MentionInContext]) -> Floats:
        """mentions_by_dims; of a mention that is longer than a window its beginning counts."""
        vectors = encode_rows(self.encoder, self.texts.of_mentions(self._fitting(mentions)))
        vectors[[not mention.text.strip() for mention in mentions]] = 0
        return vectors

    def of_entities(self, kb: KnowledgeBase, rows: NDArray[np.integer]) -> Iterator[Floats]:
        """The vectors of entities, in blocks."""
        for begin in track(range(0, len(rows), BATCH), "embedding entities"):
            yield encode_rows(self.encoder, self.texts.of_entities(kb, rows[begin : begin + BATCH])[0])

    def _fitting(self, mentions: Sequence[MentionInContext]) -> list[MentionInContext]:
        names = self.texts.windows.fitting([m.text for m in mentions], self.texts.n_tokens, self.texts.marker)
        return [
            mention if name == mention.text else MentionInContext(name, name, 0, len(name))
            for mention, name in zip(mentions, names, strict=True)
        ]


def described(kb: KnowledgeBase, rows: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """A pair of an entity's row and a description's place for each description; -1 for an entity without any.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "a", "title": "A"}, {"id": "b", "title": "B", "description": "b"}])
    >>> [each.tolist() for each in described(kb, np.arange(2))]
    [[0, 1], [-1, 0]]
    """
    starts, lengths = kb.description_indptr[rows], kb.description_indptr[rows + 1] - kb.description_indptr[rows]
    n_texts = np.maximum(lengths, 1)
    within = np.arange(n_texts.sum()) - np.repeat(np.cumsum(n_texts) - n_texts, n_texts)
    items = np.where(np.repeat(lengths > 0, n_texts), np.repeat(starts, n_texts) + within, -1)
    return np.repeat(rows, n_texts).astype(np.int32), items
