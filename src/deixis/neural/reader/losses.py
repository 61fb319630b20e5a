"""The losses of a retriever and a reader on a batch of passages (imports torch)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding

from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.model import RetrieverReader, as_tensors, reader_loss, retriever_loss
from deixis.neural.reader.run import Reader
from deixis.neural.reader.spans import PairNumbers, readings_of
from deixis.neural.reader.texts import PassageTokens, Span


@dataclass
class PassageLosses:
    """The losses of both modules on passages, which are named by their numbers."""

    model: RetrieverReader
    reader: Reader
    passages: Sequence[AnnotatedPassage]
    config: ReaderConfig
    random: np.random.Generator

    def _drawn(self, number: int, candidates: list[int], n: int) -> list[int]:
        """`n` of the candidates of a passage that are wrong, evenly from those that the reader is given at work."""
        wrong = [row for row in candidates if row not in self.passages[number].spans][: self.config.n_candidates]
        drawn: list[int] = self.random.permutation(wrong)[:n].astype(np.int64).tolist()
        return drawn

    def retriever_loss(self, numbers: list[int], spans: list[list[Span]], candidates: list[list[int]]) -> torch.Tensor:
        """Eq. 13; negatives are mined among the candidates, and the others' right entities are negatives too.

        With spans, the loss of the passages alone is added: the first retrieval of a text has no spans.
        """
        rows: set[int] = set()
        for number, own_candidates in zip(numbers, candidates, strict=True):
            rows |= {*self.passages[number].spans, *self._drawn(number, own_candidates, self.config.n_negatives)}
        entity_rows = np.array(sorted(rows), dtype=np.int64)
        is_gold = torch.tensor(
            [[row in self.passages[number].spans for row in entity_rows.tolist()] for number in numbers]
        )
        encoded = self.reader.texts.encoded([self.passages[number].passage.text for number in numbers])
        tokens = self._tensors(encoded)
        states = self.model.states(tokens)
        entity_tokens = self._tensors(self.reader.texts.encoded_entities(self.reader.kb, entity_rows))
        entities = self.model.vectors(self.model.states(entity_tokens), entity_tokens["attention_mask"])
        scores = self.config.scale * self.model.vectors(states, tokens["attention_mask"]) @ entities.T
        loss = retriever_loss(scores, is_gold)
        if not any(spans):
            return loss
        positions = [self.reader.span_positions(*each) for each in zip(encoded, spans, strict=True)]
        with_spans = scores + self.config.scale * self.model.span_scores(states, positions, entities)
        return loss + retriever_loss(with_spans, is_gold)

    def reader_loss(self, numbers: list[int], candidates: list[list[int]]) -> tuple[torch.Tensor, list[list[Span]]]:
        """Eq. 14, and the spans that the reader sees in each passage (Eq. 11); right entities are always given."""
        pairs: list[tuple[int, int]] = []
        for number, own_candidates in zip(numbers, candidates, strict=True):
            right = list(self.passages[number].spans)
            wrong = self._drawn(number, own_candidates, max(1, self.config.n_taught - len(right)))
            pairs += [(number, row) for row in [*right, *wrong]]
        if not pairs:  # nothing is mentioned, and nothing was proposed
            return self.model.heads.weight.sum() * 0.0, [[] for _ in numbers]
        encoded = self.reader.texts.encoded_pairs(
            [self.passages[number].passage.text for number, _ in pairs], self.reader.kb, [row for _, row in pairs]
        )
        tokens = self._tensors(encoded)
        logits = self.model.numbers(tokens)
        own = [PassageTokens.of(encoding) for encoding in encoded]
        is_passage = torch.zeros(tokens["input_ids"].shape, dtype=torch.bool)
        for pair, each in enumerate(own):
            is_passage[pair, torch.from_numpy(each.positions)] = True
        golds = [
            [
                tokens_of_span
                for span in self.passages[number].spans.get(row, [])
                if (tokens_of_span := each.of_span(*span))
            ]
            for (number, row), each in zip(pairs, own, strict=True)
        ]
        loss = reader_loss(logits, is_passage, golds, torch.tensor([number for number, _ in pairs]))
        return loss, self._read(numbers, pairs, logits.detach().numpy(), own)

    def _read(
        self,
        numbers: list[int],
        pairs: list[tuple[int, int]],
        logits: NDArray[np.float32],
        tokens: list[PassageTokens],
    ) -> list[list[Span]]:
        """The spans that go to the retriever, in code points of each passage."""
        span_lists = []
        for passage_number in numbers:
            own = [pair for pair, (number, _) in enumerate(pairs) if number == passage_number]
            pair_numbers = [PairNumbers(logits[pair][tokens[pair].positions], tokens[pair].offsets) for pair in own]
            rows = [pairs[pair][1] for pair in own]
            read = readings_of((0, 0), rows, pair_numbers, self.config.max_span, self.config.span_threshold)
            span_lists.append(sorted({(reading.start, reading.end) for reading in read}))
        return span_lists

    def _tensors(self, encoded: Sequence[Encoding]) -> dict[str, torch.Tensor]:
        numbers = self.reader.encoder
        return as_tensors(encoded, has_types=getattr(numbers, "has_types", True))
