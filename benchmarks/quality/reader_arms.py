"""The arms that `benchmarks.quality.reader` compares: readers as they have learned, and what they retrieve and read."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from benchmarks.quality.bi_encoder import log
from benchmarks.quality.reader_figures import Answers, Task, is_found
from benchmarks.quality.reader_sources import LinkerSources
from deixis.linking.stages.read import MIN_READ
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.joint import JointTraining
from deixis.neural.reader.run import Reader
from deixis.neural.reader.train import new_training
from deixis.types import Document

LONG = 2  # times as many steps
DEPTHS = (1, 2, 4, 8, 16, 32)  # numbers of candidates among which the right entity is looked for


def answers_by_pass(reader: Reader, documents: list[Document]) -> list[Answers]:
    """What a reader says about documents after each pass, with the candidates that it retrieves."""
    passages = reader.texts.passages(document.text for document in documents)
    answers = []
    started = time.process_time()
    for numbers in reader.numbers_by_pass(passages, [[] for _ in passages]):
        readings = reader.readings(passages, numbers, MIN_READ)
        seconds = time.process_time() - started
        recalls = {f"recall@{reader.config.n_candidates}": is_found(reader, documents, passages, numbers)}
        answers.append(Answers(documents, readings, recalls, seconds))
    return answers


def recalls_of(reader: Reader, documents: list[Document]) -> dict[str, np.ndarray]:
    """Whether each mention has its entity among the candidates of the passage alone, and with the annotated spans."""
    passages = reader.texts.passages(document.text for document in documents)
    gold = [
        [
            (mention.start - passage.start, mention.end - passage.start)
            for mention in documents[passage.document].mentions
            if passage.holds(mention.start, mention.end)
        ]
        for passage in passages
    ]
    recalls = {}
    for suffix, spans in (("", None), ("/gold-spans", gold)):
        rows = reader.retrieve(passages, spans, max(DEPTHS))
        for k in DEPTHS:
            recalls[f"recall@{k}{suffix}"] = is_found(reader, documents, passages, [own[:k] for own in rows])
    return recalls


class Trainings:
    """Readers, arm by arm; those with a retriever go on from one warm-up of it."""

    def __init__(self, task: Task, config: ReaderConfig) -> None:
        self.task = task
        self.config = config
        self._warm: JointTraining | None = None
        self._spent = 0.0

    @property
    def warm(self) -> JointTraining:
        """A training whose retriever has learned alone."""
        if self._warm is None:
            started = time.process_time()
            self._warm, _ = new_training(self.task.kb, self.task.train, self.config, None, Losses(started))
            self._warm.warm_up()
            self._spent = time.process_time() - started
        return self._warm

    def with_retriever(self, arm: str) -> tuple[Reader, float, ReaderConfig]:
        """The reader of an arm, the processor seconds that it learned, and its settings."""
        training = copy.deepcopy(self.warm)
        started = time.process_time()
        training.config = training.reader.config = config = replace(self.config, flows=arm, n_passes=2)
        torch.manual_seed(config.seed)
        training.learn()
        return training.reader, self._spent + time.process_time() - started, config

    def of_sources(self, arm: str, sources: LinkerSources) -> tuple[Reader, float, ReaderConfig]:
        """The same of an arm whose candidates come from a linker."""
        started = time.process_time()
        n_steps = (self.config.warm_up + self.config.n_steps) * (LONG if arm == "sources-long" else 1)
        config = replace(self.config, flows="none", n_steps=n_steps)
        source = sources.source(2 * config.n_candidates)
        training, _ = new_training(self.task.kb, self.task.train, config, source, Losses(started))
        training.run()
        return training.reader, time.process_time() - started, config


@dataclass
class Losses:
    """Says how the loss falls."""

    started: float
    heard: list[tuple[str, float]] = field(default_factory=list)

    def __call__(self, label: str, loss: float) -> None:
        """Hear one loss."""
        self.heard.append((label, loss))
        own = [each for name, each in self.heard if name == label]
        if len(own) % 25 == 0:
            log(f"{label} {len(own)}: loss {np.mean(own[-25:]):.3f}, {time.process_time() - self.started:.0f} s")
