"""The steps in which a retriever and a reader learn: alone at first, then from what the other says (imports torch)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from deixis.errors import ConfigError
from deixis.neural.reader.checkpoint import CheckpointFile, Tensors
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.losses import PassageLosses
from deixis.neural.reader.model import RetrieverReader
from deixis.neural.reader.module_steps import ModuleSteps
from deixis.neural.reader.run import Reader
from deixis.neural.reader.texts import Span
from deixis.progress import steps

Source = Callable[[Sequence[AnnotatedPassage]], list[list[int]]]
"""Candidates of passages, by row, from somewhere else than the retriever."""
Losses = dict[str, torch.Tensor]
"""What each module that learns in a step has lost: retriever, reader."""


class Phase(NamedTuple):
    """Steps of one kind."""

    label: str
    n_steps: int
    losses_of: Callable[[list[int]], Losses]


@dataclass
class JointTraining:
    """One training: what it has, and what it remembers from step to step."""

    model: RetrieverReader
    reader: Reader
    passages: list[AnnotatedPassage]
    config: ReaderConfig
    source: Source | None = None
    notice: Callable[[str, float], None] | None = None
    checkpoint: CheckpointFile | None = None
    spans_read: dict[int, list[Span]] = field(default_factory=dict)
    passage_candidates: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.passages:
            raise ConfigError("There is no passage to learn from.")
        self._random = np.random.default_rng(self.config.seed)
        self._losses = PassageLosses(self.model, self.reader, self.passages, self.config, self._random)
        self._order: list[int] = []
        self._finished = self.reader
        self._n_phases = self._n_steps_done = 0
        config, model = self.config, self.model
        n_steps = config.n_steps if self.source is not None else config.warm_up + config.n_steps
        encoders = [(list(each.parameters()), config.learning_rate) for each in (model.encoder, model.reader)]
        heads = (list(model.heads.parameters()), config.head_rate)
        self._steps = {
            "retriever": ModuleSteps(encoders[:1], n_steps),
            "reader": ModuleSteps([encoders[1], heads], n_steps),
        }

    def run(self) -> None:
        """All phases, from the last checkpoint on if there is one."""
        if self.checkpoint is not None and (state := self.checkpoint.read()) is not None:
            self._restore(*state)
        self._run_phases(len(self._phases()))

    def warm_up(self) -> None:
        """The retriever learns alone; nothing depends on the flows."""
        self._run_phases(1)

    def learn(self) -> None:
        """What comes after the warm-up."""
        self._run_phases(len(self._phases()))

    def _phases(self) -> list[Phase]:
        """The retriever learns alone, then the reader, then both; with a source of candidates, the reader alone.

        Without flows the retriever learns all its steps first, and then the reader all of its.
        """
        config = self.config
        if self.source is not None:
            return [Phase("training the reader", config.n_steps, self._reader_alone)]
        first = Phase("training the retriever", config.warm_up, self._retriever_alone)
        if config.flows == "none":
            further = Phase("training the retriever further", config.n_steps, self._retriever_alone)
            return [first, further, Phase("training the reader", config.warm_up + config.n_steps, self._reader_alone)]
        alone = Phase("training the reader", config.warm_up, self._reader_alone)
        return [first, alone, Phase("training both", config.n_steps, self._together)]

    def _run_phases(self, n: int) -> None:
        """The phases up to the `n`-th that are not done."""
        self.model.train()
        while self._n_phases < n:
            phase = self._phases()[self._n_phases]
            is_refreshing = phase.losses_of != self._reader_alone
            if not self._n_steps_done:
                if not self._n_phases and is_refreshing:
                    self._refresh()
                if self._n_phases == 1 and self.config.flows != "none":
                    self._finished = self._as_it_is()
            self._run(phase, is_refreshing)
            if is_refreshing:
                self._refresh()
            self._n_phases, self._n_steps_done = self._n_phases + 1, 0
            if self.checkpoint is not None:
                self.checkpoint.write(*self._state())
        self.model.eval()

    def _run(self, phase: Phase, is_refreshing: bool) -> None:
        """The steps of a phase that are not done; each module with a loss in them steps by its own optimizer."""
        n_before = self._n_steps_done
        with steps(phase.label, phase.n_steps) as advance:
            advance(n_before, "")
            for numbers in self._batches(phase.n_steps - n_before):
                if self._n_steps_done and self._n_steps_done % self.config.refresh_every == 0 and is_refreshing:
                    self._refresh()
                losses = phase.losses_of(numbers)
                for module, loss in losses.items():
                    self._steps[module].step(loss)
                self._n_steps_done += 1
                value = sum(float(loss.detach()) for loss in losses.values())
                advance(1, f"loss {value:.3f}")
                if self.checkpoint is not None and self.checkpoint.is_due:
                    self.checkpoint.write(*self._state())
                if self.notice is not None:
                    self.notice(phase.label, value)

    def _state(self) -> tuple[Tensors, dict[str, Any]]:
        """Everything that the further steps depend on."""
        tensors = {f"model.{name}": each for name, each in self.model.named_parameters() if each.requires_grad}
        tensors["random"] = torch.get_rng_state()
        readers = {"reader": self.reader}
        if self._finished is not self.reader:
            readers["finished"] = self._finished
            tensors |= {f"finished.{name}": each for name, each in _encoder_of(self._finished).named_parameters()}
        for name, reader in readers.items():
            if reader.vectors is not None:
                tensors[f"{name}_vectors"] = torch.from_numpy(reader.vectors)
        for name, module in self._steps.items():
            tensors |= module.tensors(f"steps.{name}")
        values = {
            "phases": self._n_phases,
            "steps": self._n_steps_done,
            "module_steps": {name: module.n_done for name, module in self._steps.items()},
            "random": self._random.bit_generator.state,
            "order": self._order,
            "spans_read": list(self.spans_read.items()),
            "passage_candidates": list(self.passage_candidates.items()),
        }
        return tensors, values

    def _restore(self, tensors: Tensors, values: dict[str, Any]) -> None:
        """Go on from a state."""
        _set_parameters(self.model, tensors, "model.")
        if "reader_vectors" in tensors:
            self.reader.vectors = tensors["reader_vectors"].numpy()
        if "finished_vectors" in tensors:
            self._finished = self._as_it_is()
            self._finished.vectors = tensors["finished_vectors"].numpy()
            _set_parameters(_encoder_of(self._finished), tensors, "finished.")
        for name, module in self._steps.items():
            module.restore(tensors, f"steps.{name}", values["module_steps"][name])
        self._n_phases, self._n_steps_done = values["phases"], values["steps"]
        self._random.bit_generator.state = values["random"]
        self._order = values["order"]
        self.spans_read = {number: [(start, end) for start, end in spans] for number, spans in values["spans_read"]}
        self.passage_candidates = dict(values["passage_candidates"])
        torch.set_rng_state(tensors["random"])

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
        return {"retriever": self._losses.retriever_loss(numbers, nothing, candidates)}

    def _reader_alone(self, numbers: list[int]) -> Losses:
        return {"reader": self._losses.reader_loss(numbers, self._candidates_of(numbers))[0]}

    def _together(self, numbers: list[int]) -> Losses:
        """Eq. 15. The reader is given what is retrieved now; the retriever, what the reader then reads."""
        spans = [self.spans_read.get(number, []) for number in numbers]
        fresh = self._retrieved(self.reader, numbers, spans)
        loss, read = self._losses.reader_loss(
            numbers, fresh if self.config.feeds_reader else self._candidates_of(numbers)
        )
        if self.config.feeds_retriever:
            self.spans_read |= dict(zip(numbers, read, strict=True))
            spans, fresh = read, self._retrieved(self.reader, numbers, read)
        return {"reader": loss, "retriever": self._losses.retriever_loss(numbers, spans, fresh)}

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


def _set_parameters(module: torch.nn.Module, tensors: Tensors, prefix: str) -> None:
    """Give the parameters of a module the values that stand under their names; those without one stay."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if prefix + name in tensors:
                parameter.copy_(tensors[prefix + name])


def _encoder_of(reader: Reader) -> torch.nn.Module:
    """The retriever's encoder of a reader that learns."""
    model: RetrieverReader = reader.encoder.model  # type: ignore[attr-defined]
    encoder: torch.nn.Module = model.encoder
    return encoder
