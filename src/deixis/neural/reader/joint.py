"""The steps in which a retriever and a reader learn: alone at first, then from what the other says (imports torch)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding

from deixis.errors import ConfigError
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.model import RetrieverReader, as_tensors, reader_loss, retriever_loss
from deixis.neural.reader.run import Reader
from deixis.neural.reader.spans import PairNumbers, readings_of
from deixis.neural.reader.texts import PassageTokens, Span
from deixis.progress import steps

Source = Callable[[Sequence[AnnotatedPassage]], list[list[int]]]
"""Candidates of passages, by row, from somewhere else than the retriever."""
Losses = dict[str, torch.Tensor]
"""What each module that learns in a step has lost: retriever, reader."""
RISE = 0.1  # share of the steps in which the learning rate rises


@dataclass
class JointTraining:
    """One training: what it has, and what it remembers from step to step."""

    model: RetrieverReader
    reader: Reader
    passages: list[AnnotatedPassage]
    config: ReaderConfig
    source: Source | None = None
    notice: Callable[[str, float], None] | None = None
    spans_read: dict[int, list[Span]] = field(default_factory=dict)
    passage_candidates: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.passages:
            raise ConfigError("There is no passage to learn from.")
        self._random = np.random.default_rng(self.config.seed)
        self._order: list[int] = []
        self._finished = self.reader
        config, model = self.config, self.model
        n_steps = config.n_steps if self.source is not None else config.warm_up + config.n_steps
        encoders = [(list(each.parameters()), config.learning_rate) for each in (model.encoder, model.reader)]
        heads = (list(model.heads.parameters()), config.head_rate)
        self._steps = {
            "retriever": ModuleSteps(encoders[:1], n_steps),
            "reader": ModuleSteps([encoders[1], heads], n_steps),
        }

    def run(self) -> None:
        """The retriever learns alone, then the reader, then both; with a source of candidates, the reader alone."""
        if self.source is not None:
            self.model.train()
            self._phase("training the reader", self.config.n_steps, self._reader_alone)
            self.model.eval()
        else:
            self.warm_up()
            self.learn()

    def warm_up(self) -> None:
        """The retriever learns alone; nothing depends on the flows."""
        self.model.train()
        self._refresh()
        self._phase("training the retriever", self.config.warm_up, self._retriever_alone)
        self._refresh()
        self.model.eval()

    def learn(self) -> None:
        """The reader learns alone, then both from each other; without flows, the retriever first, the reader last."""
        config = self.config
        self.model.train()
        if config.flows == "none":
            self._phase("training the retriever further", config.n_steps, self._retriever_alone)
            self._refresh()
            self._phase("training the reader", config.warm_up + config.n_steps, self._reader_alone)
        else:
            self._finished = self._as_it_is()
            self._phase("training the reader", config.warm_up, self._reader_alone)
            self._phase("training both", config.n_steps, self._together)
            self._refresh()
        self.model.eval()

    def _phase(self, label: str, n_steps: int, losses_of: Callable[[list[int]], Losses]) -> None:
        """Steps of one kind; each module that has a loss in them takes a step of its own optimizer."""
        with steps(label, n_steps) as advance:
            for step, numbers in enumerate(self._batches(n_steps)):
                if step and step % self.config.refresh_every == 0 and losses_of != self._reader_alone:
                    self._refresh()
                losses = losses_of(numbers)
                for module, loss in losses.items():
                    self._steps[module].step(loss)
                value = sum(float(loss.detach()) for loss in losses.values())
                advance(1, f"loss {value:.3f}")
                if self.notice is not None:
                    self.notice(label, value)

    def _batches(self, n_steps: int) -> Iterator[list[int]]:
        """Numbers of passages, each passage once before any comes again; passages without mentions are a quarter."""
        full = [number for number, each in enumerate(self.passages) if each.spans]
        empty = [number for number, each in enumerate(self.passages) if not each.spans]
        for _ in range(n_steps):
            while len(self._order) < self.config.batch_size:
                others = self._random.permutation(empty)[: len(full) // 3].astype(np.int64)
                self._order += self._random.permutation([*full, *others.tolist()]).tolist()
            yield [self._order.pop() for _ in range(self.config.batch_size)]

    def _refresh(self) -> None:
        """Encode all entities with the encoder as it is."""
        self.reader.vectors = self.reader.encode_entities()

    def _as_it_is(self) -> Reader:
        """A reader that stays as it is while this one learns."""
        return Reader(self.reader.texts, copy.deepcopy(self.reader.encoder), self.reader.kb, self.reader.vectors)

    def _retriever_alone(self, numbers: list[int]) -> Losses:
        nothing: list[list[Span]] = [[] for _ in numbers]
        candidates = self._retrieved(self.reader, numbers, nothing)
        return {"retriever": self._retriever_loss(numbers, nothing, candidates)}

    def _reader_alone(self, numbers: list[int]) -> Losses:
        return {"reader": self._reader_loss(numbers, self._candidates_of(numbers))[0]}

    def _together(self, numbers: list[int]) -> Losses:
        """Eq. 15. The reader is given what is retrieved now; the retriever, what the reader then reads."""
        spans = [self.spans_read.get(number, []) for number in numbers]
        fresh = self._retrieved(self.reader, numbers, spans)
        loss, read = self._reader_loss(numbers, fresh if self.config.feeds_reader else self._candidates_of(numbers))
        if self.config.feeds_retriever:
            self.spans_read |= dict(zip(numbers, read, strict=True))
            spans, fresh = read, self._retrieved(self.reader, numbers, read)
        return {"reader": loss, "retriever": self._retriever_loss(numbers, spans, fresh)}

    def _retrieved(self, reader: Reader, numbers: list[int], spans: list[list[Span]]) -> list[list[int]]:
        """Entities for passages, best first (Eq. 3-5), more than are used: some are right and count for nothing."""
        passages = [self.passages[number].passage for number in numbers]
        return reader.retrieve(passages, spans, 2 * self.config.n_candidates)

    def _candidates_of(self, numbers: list[int]) -> list[list[int]]:
        """Candidates for passages from elsewhere, or as the retriever finds them that has learned alone."""
        missing = [number for number in numbers if number not in self.passage_candidates]
        if missing:
            if self.source is not None:
                candidates = self.source([self.passages[number] for number in missing])
            else:
                candidates = self._retrieved(self._finished, missing, [[] for _ in missing])
            self.passage_candidates |= dict(zip(missing, candidates, strict=True))
        return [self.passage_candidates[number] for number in numbers]

    def _drawn(self, number: int, candidates: list[int], n: int) -> list[int]:
        """`n` of the candidates of a passage that are wrong, evenly from those that the reader is given at work."""
        wrong = [row for row in candidates if row not in self.passages[number].spans][: self.config.n_candidates]
        drawn: list[int] = self._random.permutation(wrong)[:n].astype(np.int64).tolist()
        return drawn

    def _retriever_loss(self, numbers: list[int], spans: list[list[Span]], candidates: list[list[int]]) -> torch.Tensor:
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

    def _reader_loss(self, numbers: list[int], candidates: list[list[int]]) -> tuple[torch.Tensor, list[list[Span]]]:
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


class ModuleSteps:
    """AdamW for one module; over all steps that the module takes, its rates rise and then fall to nothing.

    Phases must not begin anew: a second rise undoes much of what was learned before.
    """

    def __init__(self, groups: Sequence[tuple[list[torch.nn.Parameter], float]], n_steps: int) -> None:
        learning = [([each for each in own if each.requires_grad], rate) for own, rate in groups]
        self._parameters = [each for own, _ in learning for each in own]
        self._rates = [rate for _, rate in learning]
        self._optimizer = torch.optim.AdamW([{"params": own, "lr": rate} for own, rate in learning], weight_decay=0.01)
        self._n_steps, self._n_done = n_steps, 0

    def step(self, loss: torch.Tensor) -> None:
        """One step down the slope of a loss that has no part in other modules."""
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * _rate(self._n_done, self._n_steps)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self._n_done += 1


def _rate(step: int, n_steps: int) -> float:
    """What of the learning rate holds at a step."""
    n_rise = max(1, round(RISE * n_steps))
    return min((step + 1) / n_rise, max(0.0, (n_steps - step) / max(1, n_steps - n_rise)))
