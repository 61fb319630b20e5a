"""Embedded names on dev data: `python -m benchmarks.quality.embedding [--suites melo-de ...]` (decision on encoders).

Rows `embedding/SUITE`: recall and cost of exact names, of one vector per title (the label baseline) and of one per name
(OLPEAT), by encoder. Rows of `-graph` systems: the same by walking a graph instead of comparing every vector, and
`same@10`, the share of the exact search's best ten entities that the walk finds (is approximate search good enough?).
MiniLM runs where it is installed and there are at most `--max-neural` names; the graph, at most `--max-graph`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.runner import TIMED_K, ask_all
from benchmarks.suites.suite import read_suite
from benchmarks.systems.exact import ExactNames
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.minilm import MiniLmEncoder
from deixis.encoders.registry import register_encoder
from deixis.errors import MissingExtraError
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase

HERE = Path(__file__).resolve().parent
SUITES = ("melo-de", "melo-en", "melo-de-en", "medic-ncbi", "mesh-bc5cdr", "wiki468k-aida")
SEED = 0
DEPTHS = (1, 10, 100)
MAX_MENTIONS = 500
BUILD_TIMED = ("chars", "chars-graph", "minilm")  # the others find their names encoded already
ABOUT = {"split": "dev", "seed": SEED, "max_mentions": MAX_MENTIONS, "timed_k": TIMED_K, "threads": 1}


class Remembering:
    """MiniLM that encodes no text twice, since several systems have the same names."""

    name = "minilm-remembering"

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}

    @cached_property
    def encoder(self) -> MiniLmEncoder:
        """Opened when it is asked for."""
        return MiniLmEncoder()

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """The vectors of the texts."""
        new = sorted(set(texts) - self.vectors.keys())
        self.vectors |= zip(new, self.encoder.encode(new), strict=True)
        return np.array([self.vectors[text] for text in texts])


def configs(n_names: int, max_neural: int, max_graph: int) -> dict[str, NameVectorConfig]:
    """The systems to compare on a knowledge base of so many names."""
    chars, minilm = EncoderConfig(), EncoderConfig(name=Remembering.name)
    chosen = {"chars-titles": NameVectorConfig(chars, titles_only=True), "chars": NameVectorConfig(chars)}
    if n_names <= max_neural:
        chosen |= {"minilm": NameVectorConfig(minilm), "minilm-titles": NameVectorConfig(minilm, titles_only=True)}
    graphs = {f"{name}-graph": name for name in ("chars", "minilm") if name in chosen and n_names <= max_graph}
    return chosen | {name: NameVectorConfig(chosen[of].encoder, index="graph") for name, of in graphs.items()}


def built(
    kb: KnowledgeBase, chosen: dict[str, NameVectorConfig]
) -> tuple[dict[str, NameVectorSource], dict[str, float]]:
    """The systems that can be built here, and the processor seconds that took."""
    systems, costs = {}, {}
    for name, config in chosen.items():
        log(f"building {name}")
        started = time.process_time()
        try:
            systems[name] = NameVectorSource.build(SourceInputs(kb, seed=SEED, n_threads=1), config)
        except MissingExtraError as error:
            log(f"{name} is left out: {error}")
            continue
        if name in BUILD_TIMED:
            costs[name] = time.process_time() - started
        if isinstance(systems[name].encoder, Remembering):
            systems[name].encoder = systems[name].encoder.encoder  # an answer costs what it costs
    return systems, costs


def same(questions: Questions, exact: NameVectorSource, graph: NameVectorSource, k: int = 10) -> float:
    """The share of the best `k` entities of exact search that the graph finds."""
    lists = zip(*(system.generate(questions.mentions, k) for system in (exact, graph)), strict=True)
    shares = [len({c.id for c in a} & {c.id for c in b}) / len(a) for a, b in lists if a]
    return float(np.mean(shares))


def rows_of(name: str, questions: Questions, systems: dict[str, NameVectorSource], costs: dict[str, float],
            names: ExactNames) -> Iterator[ResultRow]:  # fmt: skip
    """Recall, cost of an answer and of building, and what the graph loses."""
    for system, one in ask_all(questions, {"exact-names": names, **systems}, max(DEPTHS)).items():
        ranks = np.concatenate(one.ranks)
        yield from metric_rows([questions.recall(ranks, k, SEED) for k in DEPTHS], name, system, ABOUT)
        each = [1000 * cpu / len(asked) for cpu, asked in zip(one.cpu, one.ranks, strict=True)]
        value, low, high = (float(f"{one:.4g}") for one in (median(each), min(each), max(each)))
        yield ResultRow(name, "answer_cpu", system, value, "ms", low, high, len(each), ABOUT)
    for system, cost in costs.items():
        yield ResultRow(name, "build_cpu", system, float(f"{cost:.4g}"), "s", settings=ABOUT)
    for system in (system for system in systems if system.endswith("-graph")):
        share = same(questions, systems[system.removesuffix("-graph")], systems[system])
        yield ResultRow(name, "same@10", system, round(share, 6), "share", n=len(questions), settings=ABOUT)


def measure(name: str, data: DataFolder, max_neural: int, max_graph: int) -> Iterator[ResultRow]:
    """The rows of one suite."""
    suite = read_suite(HERE / f"{name}.yaml")
    data.check(suite)
    kb = data.read_kb(suite.kb)
    n_names = len(kb.names()[1])
    log(f"{name}: {len(kb):,} entities, {n_names:,} names")
    systems, costs = built(kb, configs(n_names, max_neural, max_graph))
    documents = (document for part in suite.dev for document in data.read_part(suite, part))
    questions = Questions.collect(kb, documents).sample(MAX_MENTIONS, SEED)
    yield from rows_of(f"embedding/{name}", questions, systems, costs, ExactNames.build(kb))


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--max-neural", type=int, default=40_000, metavar="NAMES")
    parser.add_argument("--max-graph", type=int, default=100_000, metavar="NAMES")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    data = DataFolder.choose(None, HERE.parents[1])
    start_run(is_recorded=not options.dry_run)
    register_encoder(Remembering.name, Remembering())
    for name in options.suites:
        rows = []
        for row in measure(name, data, options.max_neural, options.max_graph):
            rows.append(row)
            print(f"{row.suite:26} {row.system:16} {row.metric:12} {row.value:.4f} {row.unit}", flush=True)
        if not options.dry_run:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
