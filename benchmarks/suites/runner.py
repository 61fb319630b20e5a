"""Runs suites: builds every system, asks all of them the same questions in turns, and gives rows.

Costs are processor seconds of one thread for the ten best entities of each mention; the deeper lists that recall looks
at are asked for apart. Systems answer in rounds, one after the other the same mentions, so that whatever else the
machine does falls on all of them; a ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.packages import MissingPackageError
from benchmarks.suites.data import DataFolder
from benchmarks.suites.decisions import decision_rows
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.suites.suite import KbSource, Part, Suite
from benchmarks.systems import SYSTEMS
from benchmarks.systems.ours import LinkerSystem
from benchmarks.systems.protocols import Proposer, System
from deixis.errors import DataError, MissingExtraError
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import stage
from deixis.types import Document

logger = logging.getLogger("deixis.benchmarks")  # below the one that the command line listens to

N_ROUNDS = 5
TIMED_K = 10
OURS = "deixis-tree"
KB_SYSTEM = "knowledge-base"
RATIO_MEANS = "peer / deixis-tree: above 1, the tree needs less"


@dataclass(frozen=True)
class Built:
    """A system that knows a knowledge base, and what that cost."""

    system: System
    proposer: Proposer
    cpu: float


@dataclass
class Answers:
    """What one system said: ranks of the right answers in the order asked, and the cost of each round."""

    ranks: list[NDArray[np.int64]] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


class Runner:
    """Runs suites one after the other; what was built for a knowledge base serves the next suite with the same one."""

    def __init__(self, data: DataFolder, seed: int = 0, n_threads: int = 1) -> None:
        self.data = data
        self.seed = seed
        self.n_threads = n_threads
        self._source: KbSource | None = None
        self._kb: KnowledgeBase | None = None
        self._built: dict[tuple[str, str], Built] = {}

    def run(
        self, suite: Suite, split: str = "dev", systems: Sequence[str] = (), max_mentions: int | None = None
    ) -> Iterator[list[ResultRow]]:
        """The rows of each part of a split; all systems of the suite unless some are named."""
        parts = suite.parts(split)
        self.data.check_parts(suite, split)
        kb = self._read_kb(suite.kb)
        taught_by = suite.teaching(split)
        able = able_systems(suite, split, kb, systems)
        if not able:
            raise DataError(
                f"The suite {suite.name!r} has none of {', '.join(systems or suite.systems)} on {split}: it names "
                f"{', '.join(suite.all_systems)}, and those that learn need annotated mentions or counts that it lacks."
            )
        built = self._build_all(able, kb, taught_by, may_skip=not systems)
        for part in parts:
            with stage(f"reading {suite.name}/{part.name}"):
                documents = list(self.data.read_part(suite, part))
                questions = Questions.collect(kb, documents)
            if not len(questions):
                raise DataError("no mention has an entity of the knowledge base", path=self.data.find(part.path))
            sampled = questions.sample(max_mentions or suite.max_mentions, self.seed)
            yield self._rows(suite, split, part, sampled, built, taught_by, documents)

    def _read_kb(self, source: KbSource) -> KnowledgeBase:
        if self._kb is None or self._source != source:
            self._built, self._kb = {}, None  # let go of the last one before the next is read
            self._source, self._kb = source, self.data.read_kb(source)
        return self._kb

    def _build_all(self, names: Sequence[str], kb: KnowledgeBase, taught_by: str, may_skip: bool) -> dict[str, Built]:
        """The systems that could be built: one that lacks an extra is left out, with a warning, where it may be."""
        built = {}
        for name in names:
            try:
                built[name] = self._build(name, kb, taught_by)
            except (MissingExtraError, MissingPackageError) as error:
                if not may_skip:
                    raise
                logger.warning("%s is left out. %s", name, error)
        return built

    def _build(self, name: str, kb: KnowledgeBase, taught_by: str) -> Built:
        system: System = SYSTEMS[name]
        key = (name, taught_by if system.needs != "nothing" else "")
        if key not in self._built:
            annotated = self.data.read_mentions(key[1])
            with stage(f"building {name}"):
                started = time.process_time()
                proposer = system.build(kb, annotated, self.n_threads)
                self._built[key] = Built(system, proposer, time.process_time() - started)
        return self._built[key]

    def _rows(
        self,
        suite: Suite,
        split: str,
        part: Part,
        questions: Questions,
        built: dict[str, Built],
        taught_by: str,
        documents: Sequence[Document],
    ) -> list[ResultRow]:
        answers = ask_all(questions, {name: one.proposer for name, one in built.items()}, suite.depth)
        name = f"{suite.name}/{part.name}"
        common = {
            "split": split, "n_gold_in_kb": int(questions.n_in_kb.sum()), "n_asked": len(questions),
            "top_k": suite.depth, "timed_k": TIMED_K, "seed": self.seed, "threads": self.n_threads,
        }  # fmt: skip
        rows = metric_rows([questions.upper_bound(self.seed)], name, KB_SYSTEM, common)
        for system, one in built.items():
            about = common | one.system.settings()
            if one.system.needs != "nothing" and taught_by:
                about["learned_from"] = taught_by
            ranks = np.concatenate(answers[system].ranks)
            depths = [int(metric.removeprefix("recall@")) for metric in suite.metrics]
            rows += metric_rows([questions.recall(ranks, k, self.seed) for k in depths], name, system, about)
            if isinstance(one.proposer, LinkerSystem):
                with stage(f"deciding by {system}"):
                    rows += decision_rows(one.proposer, documents, name, system, about, suite.all_annotated, self.seed)
            rows.append(ResultRow(name, "build_cpu", system, _short(one.cpu), "s", settings=about))
            n_each = [len(ranks) for ranks in answers[system].ranks]
            costs = [1000 * cpu / n for cpu, n in zip(answers[system].cpu, n_each, strict=True)]
            rows.append(_spread(name, "answer_cpu", system, costs, "s/1000", about))
        return rows + ratio_rows(name, answers, common)


def able_systems(suite: Suite, split: str, kb: KnowledgeBase, systems: Sequence[str] = ()) -> list[str]:
    """The systems of the suite that can run on a split: those named, or all but those that run on request."""
    wanted = [name for name in suite.all_systems if name in (systems or suite.systems)]
    has_mentions = bool(suite.teaching(split))
    has_counts = has_mentions or bool(kb.counts.any() or kb.alias_counts.any())
    has = {"nothing": True, "mentions": has_mentions, "counts": has_counts}
    return [name for name in wanted if has[SYSTEMS[name].needs]]


def ask_all(questions: Questions, proposers: dict[str, Proposer], depth: int) -> dict[str, Answers]:
    """Every system's answers to all questions, asked in rounds."""
    answers = {name: Answers() for name in proposers}
    for proposer in proposers.values():
        proposer.generate(questions.mentions[:1], depth)  # what is only made at the first question is no cost of it
    for turn in np.array_split(np.arange(len(questions)), min(N_ROUNDS, len(questions))):
        asked = [questions.mentions[i] for i in turn]
        accepted = [questions.accepted[i] for i in turn]
        for name, proposer in proposers.items():
            with stage(f"asking {name}"):
                started = time.process_time()
                proposer.generate(asked, TIMED_K)
                answers[name].cpu.append(time.process_time() - started)
                answers[name].ranks.append(ranks_of(proposer.generate(asked, depth), accepted))
    return answers


def ratio_rows(suite: str, answers: dict[str, Answers], settings: dict[str, Any]) -> list[ResultRow]:
    """How many times more each other system needs to answer than our tree does."""
    if OURS not in answers:
        return []
    about = settings | {"ratio": RATIO_MEANS}
    rows = []
    for name, one in answers.items():
        if name != OURS:
            pairs = zip(one.cpu, answers[OURS].cpu, strict=True)
            ratios = [theirs / max(ours, 1e-9) for theirs, ours in pairs]
            rows.append(_spread(suite, "answer_cpu_ratio", f"{OURS}/{name}", ratios, "x", about))
    return rows


def _spread(
    suite: str, metric: str, system: str, values: Sequence[float], unit: str, settings: dict[str, Any]
) -> ResultRow:
    """A row whose value is the median of the rounds, its bounds the extremes."""
    value, low, high = (_short(one) for one in (median(values), min(values), max(values)))
    return ResultRow(suite, metric, system, value, unit, low, high, len(values), settings)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
