"""What vectors of texts find and add: `python -m benchmarks.quality.dense [--suites wiki468k-aida ...] [--write]`.

On dev data only. For every suite, a linker that learned from one half of the annotated documents (AIDA's train
documents; where dev and train documents are different files, all of the latter) is asked the other half:

- `dense/SUITE`: recall of the dense list alone, with descriptions, contexts of the annotated mentions, or both as its
  contents; of all candidates before they are ranked (`proposed`), without and with the dense list; and of the ranking.
- `dense/SUITE-zero`: the same of a linker that learned from no document; the list has descriptions only.
- `dense/SUITE-subset`: the dense list alone over a subset of the knowledge base (the entities that the questions ask
  for, and others drawn with a fixed seed) that MiniLM can embed in a few minutes, by encoder.

Intervals are by bootstrap over documents. What the list weighs is learned with all other weights as they are; `--write`
makes the weight learned without annotation the library's default (with annotation a linker learns its own).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.quality.ranker import WEIGHTS, ranks_by, teaching
from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.suites.suite import read_suite
from deixis.candidates.config import DEFAULT_SOURCES
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.encoders.config import EncoderConfig
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.listwise import TrainingExamples
from deixis.linking.config import LinkerConfig
from deixis.ranking.weights import weighted_sums
from deixis.training.build import build_model
from deixis.types import Document

HERE = Path(__file__).resolve().parent
SUITES = ("wiki468k-aida", "medic-ncbi")
CONTENTS = ("descriptions", "contexts", "both")
DEPTHS = (1, 10, 100)
SEED = 0
N_MENTIONS, N_AT_ONCE = 1000, 250
N_SUBSET, N_SUBSET_MENTIONS = 4000, 300
PARTS = ("subset", "taught", "zero")
SUBSET_ENCODERS = ("static", "minilm")
ABOUT = {"split": "dev", "seed": SEED, "threads": 1}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--encoder", default="static", help="of the whole knowledge base [static]")
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS, help="what to measure [all]")
    parser.add_argument("--write", action="store_true", help="make the weight learned without annotation the default")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data, rows = DataFolder.choose(None, HERE.parents[1]), list[ResultRow]()
    asked: dict[str, dict[str, Asked]] = {"taught": {}, "zero": {}}
    for name in options.suites:
        suite = read_suite(HERE / f"{name}.yaml")
        data.check(suite)
        kb = data.read_kb(suite.kb)
        dev = [document for part in suite.dev for document in data.read_part(suite, part)]
        learned, others = teaching(data, suite, dev)
        log(f"{name}: {len(kb):,} entities, {len(learned)} documents to learn from, {len(others)} to ask")
        for encoder in SUBSET_ENCODERS if "subset" in options.parts else ():
            rows += told(subset_rows(name, kb, learned, others, encoder))
        dense = None
        for part in ("taught", "zero"):
            if part in options.parts:
                one = Asked.of(kb, learned if part == "taught" else [], others, options.encoder, dense)
                asked[part][name], dense = one, one.dense
        if "taught" in options.parts:
            rows += told(alone_rows(f"dense/{name}", one.questions, asked["taught"][name].dense, options.encoder))
    for part, by_suite in asked.items():
        place = "dense/{}-zero" if part == "zero" else "dense/{}"
        rows += told(ranked_rows(place, by_suite, options.encoder))
    if not options.dry_run:
        record(rows)
    if options.write:
        weight = learned_weight(list(asked["zero"].values()))
        weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        for by_name in weights.values():
            by_name["vectors"] = round(weight, 4)
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    return 0


def ranked_rows(place: str, asked: dict[str, Asked], encoder: str) -> Iterator[ResultRow]:
    """What the ranking makes of the list, by the weight that all suites teach and by that of the others."""
    for name, one in asked.items():
        others = [other for key, other in asked.items() if key != name]
        weight = learned_weight(list(asked.values()))
        yield from one.rows(place.format(name), encoder, weight, learned_weight(others) if others else weight)


@dataclass(frozen=True)
class Asked:
    """A suite's questions and the candidates that a linker with a dense list has for them."""

    kb: KnowledgeBase
    questions: Questions
    dense: VectorSource
    lesson: TrainingExamples
    weights: NDArray[np.float64]
    """What the features weigh, that of the dense list last."""
    is_proposed_without: NDArray[np.bool_]
    """Whether any list but the dense one proposes each candidate."""

    @classmethod
    def of(cls, kb: KnowledgeBase, learned: list[Document], asked: list[Document], encoder: str,
           dense: VectorSource | None = None) -> Asked:  # fmt: skip
        """The candidates of a sample of mentions; `dense` has vectors that need not be made again."""
        config = LinkerConfig(held_out_share=0.0)
        config = replace(config, candidates=config.candidates.with_encoder(encoder))
        model = build_model(
            kb, learned or None, config, seed=SEED, n_threads=1, earlier={} if dense is None else {"vectors": dense}
        )
        log("built")
        questions = Questions.collect(kb, asked).sample(N_MENTIONS, SEED)
        rows = [kb.rows_of(sorted(answers)) for answers in questions.accepted]
        parts, without = list[TrainingExamples](), list[NDArray[np.bool_]]()
        for begin in range(0, len(questions), N_AT_ONCE):
            mentions = questions.mentions[begin : begin + N_AT_ONCE]
            proposals = model.sources.propose(mentions)
            answers = {(number, int(row)) for number, ids in enumerate(rows[begin : begin + N_AT_ONCE]) for row in ids}
            pairs = zip(proposals.mention_numbers.tolist(), proposals.rows.tolist(), strict=True)
            is_right = np.array([pair in answers for pair in pairs], dtype=bool)
            features = model.ranker.features(mentions, proposals).columns(model.ranker.weights.names)
            parts.append(TrainingExamples(proposals.starts, features, is_right, model.ranker.weights.names))
            without.append(np.any([proposals.column(name) > 0 for name in DEFAULT_SOURCES], axis=0))
        return cls(
            kb,
            questions,
            model.sources.get("vectors"),
            TrainingExamples.joined(parts),
            model.ranker.weights.values,
            np.concatenate(without),
        )

    def rows(self, place: str, encoder: str, weight: float, foreign: float) -> Iterator[ResultRow]:
        """What is proposed, and how it is ranked: without the list, with its weight, and with one of other suites."""
        own = weighted_sums(list(self.lesson.features[:, :-1].T), self.weights[:-1], len(self.lesson.features))
        dense = self.lesson.features[:, -1].astype(np.float64)
        without = replace(self.lesson, is_right=self.lesson.is_right & self.is_proposed_without)
        for system, totals, lesson, about in (
            ("ranked", np.where(self.is_proposed_without, own, -np.inf), without, {}),
            ("ranked+dense", own + weight * dense, self.lesson, {"weight": round(weight, 4)}),
            ("ranked+dense-foreign", own + foreign * dense, self.lesson, {"weight": round(foreign, 4)}),
        ):
            ranks = ranks_by(totals, lesson)
            metrics = [self.questions.recall(ranks, depth, SEED) for depth in DEPTHS]
            metrics.append(replace(self.questions.recall(np.minimum(ranks, 1), 1, SEED), name="proposed"))
            yield from metric_rows(metrics, place, system, ABOUT | {"encoder": encoder} | about)


def alone_rows(place: str, questions: Questions, dense: VectorSource, encoder: str) -> Iterator[ResultRow]:
    """Recall of the dense list alone, by its contents, and what an answer costs."""
    for contents in CONTENTS:
        generator = dense.with_contents(contents)
        started, found = time.process_time(), []
        for begin in range(0, len(questions), N_AT_ONCE):
            found += generator.generate(questions.mentions[begin : begin + N_AT_ONCE], max(DEPTHS))
        cost = 1000 * (time.process_time() - started) / len(questions)
        about = ABOUT | {"encoder": encoder, "n_entities": len(dense.kb)}
        metrics = [questions.recall(ranks_of(found, questions.accepted), depth, SEED) for depth in DEPTHS]
        system = f"{encoder}-{contents}"
        yield from metric_rows(metrics, place, system, about)
        yield ResultRow(place, "answer_cpu", system, float(f"{cost:.4g}"), "ms", n=len(questions), settings=about)


def subset_rows(
    name: str, kb: KnowledgeBase, learned: list[Document], asked: list[Document], encoder: str
) -> Iterator[ResultRow]:
    """The dense list alone over some thousand entities, those that are asked for among them."""
    questions = Questions.collect(kb, asked).sample(N_SUBSET_MENTIONS, SEED)
    wanted = kb.rows_of(sorted({one for answers in questions.accepted for one in answers}))
    others = np.setdiff1d(np.arange(len(kb)), wanted)
    n_others = min(len(others), max(0, N_SUBSET - len(wanted)))
    drawn = np.random.default_rng(SEED).choice(others, n_others, replace=False)
    few = kb.take(np.sort(np.concatenate([wanted, drawn])))
    known = {entity for answers in questions.accepted for entity in answers}
    contexts = [
        document.with_mentions([mention for mention in document.mentions if mention.entity in known])
        for document in learned
    ]
    started = time.process_time()
    config = VectorConfig(encoder=EncoderConfig(name=encoder), max_contexts=3)
    dense = VectorSource.build(SourceInputs(few, contexts, seed=SEED, n_threads=1), config)
    cost = time.process_time() - started
    log(f"{name}: {len(few):,} entities by {encoder}")
    yield from alone_rows(f"dense/{name}-subset", questions, dense, encoder)
    about = ABOUT | {"encoder": encoder, "n_entities": len(few)}
    yield ResultRow(f"dense/{name}-subset", "build_cpu", encoder, float(f"{cost:.4g}"), "s", settings=about)


def learned_weight(asked: list[Asked]) -> float:
    """What the dense list weighs beside all other features, whose weights stay as they are among themselves.

    How sure the whole ranking is (a factor on all weights) is learned with it and then left to calibration: a ranking
    that is too sure already would otherwise take any further evidence for harm.
    """
    taught = []
    for one in asked:
        lesson = one.lesson.taught()
        totals = weighted_sums(list(lesson.features[:, :-1].T), one.weights[:-1], len(lesson.features))
        taught.append((lesson.starts, lesson.is_right, totals, lesson.features[:, -1].astype(np.float64)))

    def loss(factors: NDArray[np.float64]) -> float:
        return sum(
            _loss(starts, right, factors[0] * totals + factors[1] * dense) for starts, right, totals, dense in taught
        )

    scale, weight = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"maxiter": 150}).x
    return max(0.0, float(weight / scale))


def _loss(starts: NDArray[np.int64], is_right: NDArray[np.bool_], totals: NDArray[np.float64]) -> float:
    """The mean negative logarithm of the right candidates' share."""
    shares = np.exp(totals - np.repeat(np.maximum.reduceat(totals, starts[:-1]), np.diff(starts)))
    right = np.maximum(np.add.reduceat(np.where(is_right, shares, 0.0), starts[:-1]), 1e-300)
    return float(np.log(np.add.reduceat(shares, starts[:-1]) / right).mean())


def told(rows: Iterator[ResultRow]) -> list[ResultRow]:
    """The rows, printed as they come."""
    listed = []
    for row in rows:
        listed.append(row)
        print(f"{row.suite:28} {row.system:22} {row.metric:12} {row.value:.4f} {row.unit}", flush=True)
    return listed


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
