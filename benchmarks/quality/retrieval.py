"""How candidates are found, zero-shot, on dev data: `python -m benchmarks.quality.retrieval [--suites wordnet ...]`.

Rows `retrieval/SUITE`: recall@1, @10 and @100 and the cost of every system of `retrievers.py`, as decision 11 tells.
Rows `candidates/SUITE`: recall@R and the accuracy of the whole linker against R, the number of candidates (XMRED's
Figure 3 and Table 7). At most 1,000 mentions of a suite are asked about, drawn evenly with seed 0. Test splits are
never read.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.quality.retrievers import DEFAULT, AsItComes, Scan, by_entity, other_trees, systems_of
from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.suites.runner import TIMED_K, Answers, ask_all
from benchmarks.suites.suite import KbSource, Suite, read_suite
from benchmarks.systems.bm25 import Bm25Names
from benchmarks.systems.brute_force import BruteForceCosine
from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.candidate_lists import candidates_of
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.metric import Metric
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.nearest.best_rows import best_rows
from deixis.nearest.merging import merged
from deixis.ranking.ranker import softmax_scores as softmax
from deixis.types import Document

HERE = Path(__file__).resolve().parent
SEED = 0
MAX_MENTIONS = 1000
DEPTHS = (1, 10, 100)
N_CANDIDATES = (1, 2, 3, 5, 10, 15, 20, 25, 50, 100)
N_TIMED_SLOW = 100
PEERS = ("brute-force", "bm25", "tree", "names")
OTHER_TREES_ON = ("wordnet", "medic-ncbi")
PLAIN = LinkerConfig(held_out_share=0.0)
HELD_OUT = "wiki468k-aida"  # a fifth of its documents is held out, the others taught
ABOUT = {"split": "dev", "seed": SEED, "max_mentions": MAX_MENTIONS, "timed_k": TIMED_K, "threads": 1}


def suites(names: Sequence[str]) -> list[Suite]:
    """The suites of these names, or all but the demo's, those of one knowledge base together."""
    paths = [HERE / f"{name}.yaml" for name in names] or sorted(HERE.glob("*.yaml"))
    found = [read_suite(path) for path in paths if path.stem != "demo"]
    return sorted(found, key=lambda suite: (suite.kb.path, suite.name))


def dev_questions(kb: KnowledgeBase, suite: Suite, data: DataFolder) -> Questions:
    """A fixed sample of the suite's dev mentions."""
    documents = (document for part in suite.dev for document in data.read_part(suite, part))
    return Questions.collect(kb, documents).sample(MAX_MENTIONS, SEED)


def measure(chosen: Sequence[Suite], data: DataFolder) -> Iterator[ResultRow]:
    """The rows of all suites; what is built for a knowledge base serves all its suites."""
    for source, group in groupby(chosen, key=lambda suite: suite.kb):
        of_one_kb = list(group)
        kb, default = built(data, source)
        systems = systems_of(kb, default)
        for suite in of_one_kb:
            data.check(suite)
            questions = dev_questions(kb, suite, data)
            yield from compared(f"retrieval/{suite.name}", questions, systems)
            yield from slow_ways(f"retrieval/{suite.name}", questions, systems)
            yield from other_ties(f"retrieval/{suite.name}", questions, systems)
            if suite.name in OTHER_TREES_ON:
                yield from compared(f"retrieval-trees/{suite.name}", questions, other_trees(kb, default))
        del systems, default
        linker = Linker.build(kb, None, PLAIN, seed=SEED, n_threads=1)
        for suite in of_one_kb:
            yield from by_number(f"candidates/{suite.name}", dev_questions(kb, suite, data), linker, "deixis")
        del linker
        if HELD_OUT in [suite.name for suite in of_one_kb]:
            suite = next(suite for suite in of_one_kb if suite.name == HELD_OUT)
            yield from taught(kb, [document for part in suite.dev for document in data.read_part(suite, part)])


def asides(chosen: Sequence[Suite], data: DataFolder) -> Iterator[ResultRow]:
    """Only what slow ways cost and what ties are worth, for which much less has to be built."""
    for source, group in groupby(chosen, key=lambda suite: suite.kb):
        kb, default = built(data, source)
        systems = {"bm25": Bm25Names.build(kb), "brute-force": BruteForceCosine.build(kb), DEFAULT: default}
        for suite in group:
            questions = dev_questions(kb, suite, data)
            yield from slow_ways(f"retrieval/{suite.name}", questions, systems)
            yield from other_ties(f"retrieval/{suite.name}", questions, systems)


def built(data: DataFolder, source: KbSource) -> tuple[KnowledgeBase, TreeAndNames]:
    """A knowledge base and the library's own candidates from it."""
    kb = data.read_kb(source)
    log(f"building over {source.path} ({len(kb):,} entities)")
    return kb, TreeAndNames.build(kb, seed=SEED, n_threads=1)


def compared(name: str, questions: Questions, systems: dict[str, Any]) -> Iterator[ResultRow]:
    """Recall and cost of every system, asked the same mentions in turns; what others cost, the default's being 1."""
    answers = ask_all(questions, systems, max(DEPTHS))
    for system, one in answers.items():
        ranks = np.concatenate(one.ranks)
        yield from metric_rows([questions.recall(ranks, k, SEED) for k in DEPTHS], name, system, ABOUT)
        costs = [1000 * cpu / len(asked) for cpu, asked in zip(one.cpu, one.ranks, strict=True)]
        yield spread(name, "answer_cpu", system, costs, "ms")
    if DEFAULT in answers:
        for peer in PEERS:
            yield spread(name, "answer_cpu_ratio", f"{DEFAULT}/{peer}", ratios(answers[peer], answers[DEFAULT]), "x")


def ratios(peer: Answers, ours: Answers) -> list[float]:
    """How many times more the peer needs, round by round."""
    return [theirs / max(mine, 1e-9) for theirs, mine in zip(peer.cpu, ours.cpu, strict=True)]


def slow_ways(name: str, questions: Questions, systems: dict[str, Any]) -> Iterator[ResultRow]:
    """What it costs when bm25s chooses the best by itself, and when a mention is compared with every single name."""
    slow = {"bm25s-retrieve": AsItComes(systems["bm25"]), "scan": Scan(systems["brute-force"])}
    some = questions.sample(N_TIMED_SLOW, SEED)
    answers = ask_all(some, slow | {DEFAULT: systems[DEFAULT]}, TIMED_K)
    for system in slow:
        one = answers[system]
        costs = [1000 * cpu / len(asked) for cpu, asked in zip(one.cpu, one.ranks, strict=True)]
        yield spread(name, "answer_cpu", system, costs, "ms")
        yield spread(name, "answer_cpu_ratio", f"{DEFAULT}/{system}", ratios(one, answers[DEFAULT]), "x")


def other_ties(name: str, questions: Questions, systems: dict[str, Any]) -> Iterator[ResultRow]:
    """Brute force whose ties do not go to titles before aliases but to the earlier entity."""
    found = by_entity(systems["brute-force"]).generate(questions.mentions, max(DEPTHS))
    ranks = ranks_of(found, questions.accepted)
    metrics = [questions.recall(ranks, k, SEED) for k in DEPTHS]
    yield from metric_rows(metrics, name, "brute-force-by-entity", ABOUT)


def by_number(name: str, questions: Questions, linker: Linker, system: str) -> Iterator[ResultRow]:
    """Recall of the first R candidates of tree and names, and how often the linker is right that ranks only these."""
    mentions, kb, sources = questions.mentions, linker.kb, linker.model.sources
    blend = TreeAndNames(sources.get("label_tree"), sources.get("names"), linker.model.ranker.facts.seen_names)
    proposals = linker.model.sources.propose(mentions)
    features = linker.model.ranker.features(mentions, proposals)
    shares = softmax(linker.model.ranker.totals(mentions, features, proposals), proposals)
    metrics = []
    for n in N_CANDIDATES:
        found = blend.search(mentions, n)
        metrics.append(questions.recall(ranks_of(candidates_of(kb, found), questions.accepted), n, SEED))
        both = merged({"proposed": proposals.as_matrix(len(kb)), "found": found}).signals
        is_found = both["found"][both["proposed"] > 0] > 0
        first = best_rows(proposals, np.where(is_found, shares, 0), 1, len(kb))
        chosen = candidates_of(kb, first.kept_where(first.data > 0))
        right = questions.recall(ranks_of(chosen, questions.accepted), 1, SEED)
        metrics.append(Metric(f"accuracy@{n}", right.value, right.interval, right.n))
    yield from metric_rows(metrics, name, system, ABOUT)


def taught(kb: KnowledgeBase, documents: Sequence[Document]) -> Iterator[ResultRow]:
    """The same where four fifths of the documents were learned from and the others are asked about."""
    n_learned = len(documents) * 4 // 5
    log(f"learning from {n_learned} documents")
    linker = Linker.build(kb, documents[:n_learned], PLAIN, seed=SEED, n_threads=1)
    questions = Questions.collect(kb, documents[n_learned:]).sample(MAX_MENTIONS, SEED)
    yield from by_number(f"candidates/{HELD_OUT}-held-out", questions, linker, "deixis+mentions")


def spread(suite: str, metric: str, system: str, values: Sequence[float], unit: str) -> ResultRow:
    """The median of the rounds, its bounds the extremes."""
    value, low, high = (float(f"{one:.4g}") for one in (median(values), min(values), max(values)))
    return ResultRow(suite, metric, system, value, unit, low, high, len(values), ABOUT)


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", nargs="+", default=[], metavar="SUITE", help="all of quality/*.yaml unless named")
    parser.add_argument("--asides", action="store_true", help="only what slow ways cost and what ties are worth")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    data = DataFolder.choose(None, HERE.parents[1])
    start_run(is_recorded=not options.dry_run)
    rows = []
    for row in (asides if options.asides else measure)(suites(options.suites), data):
        rows.append(row)
        print(f"{row.suite:30} {row.system:24} {row.metric:18} {row.value:.4f} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
