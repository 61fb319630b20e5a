"""Retriever and reader, apart and together: `python -m benchmarks.quality.reader [none both ...]`.

Table 3 of BEER² (Li et al., 2023), sized for one core: MiniLM, and the train documents of NCBI (the knowledge base is
the whole of MEDIC) or BC5CDR (its own concepts, as in the paper). On dev, half of the documents choose the threshold
and the other half are judged; with `--split test` the test documents are judged, by the threshold of all dev documents.
Every arm has an encoder for each module, one schedule for each, and the same number of steps:

- `none`: the pipeline: the retriever for all its steps, then the reader for all of its, as in EntQA;
- `to-reader`, `to-retriever`, `both`: one or both flows of data while both learn, after a warm-up of each alone;
- `sources`: no dense retriever; the reader is given the candidates of a linker's own sources. With it are measured
  `finding`, that linker without a reader, and `sources+finding`, both weighed together as `deixis link` does;
- `sources-long`: the same, twice as long.

Recall is measured among 1 to 32 candidates, after the warm-up and at the end, with the passage alone and with the
annotated spans (`gold spans`, a bound), and at K with the spans that were read first (`two passes`); F1 with one and
two passes, by the threshold that dev chooses and by every other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from benchmarks.quality.bi_encoder import log
from benchmarks.quality.reader_arms import Trainings, answers_by_pass, recalls_of
from benchmarks.quality.reader_figures import (
    THRESHOLDS,
    Answers,
    Task,
    best_threshold,
    f1_at,
    figures,
    joined,
    read_task,
)
from benchmarks.quality.reader_sources import LinkerSources, joined_proposals, proposed_answers
from benchmarks.rows import record, start_run
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.neural.quiet import quiet
from deixis.neural.reader.config import ReaderConfig
from deixis.types import Document

ARMS = ("none", "to-reader", "to-retriever", "both", "sources", "sources-long")
WARM_UP = "warm-up"
SETS = {"ncbi": ("medic-ncbi", 10**9), "bc5cdr": ("mesh-bc5cdr", 0)}
"""The suite of each set, and how many entities its knowledge base has at least, besides those that are meant."""
CONFIG = ReaderConfig(n_tokens=32, overlap=12, entity_tokens=16, n_candidates=8, n_taught=3, n_negatives=3)


def parts_of(task: Task, splits: Sequence[str]) -> dict[str, list[Document]]:
    """The documents that choose the threshold, and those that are judged."""
    half = len(task.dev) // 2
    parts = {"choose": task.dev[:half], "dev": task.dev[half:]}
    return parts | ({"test": task.test} if "test" in splits else {})


def measure_warm_up(trainings: Trainings, suite: str, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The recall of the retriever that all arms go on from."""
    task, parts = trainings.task, parts_of(trainings.task, splits)
    about = asdict(trainings.config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    for split in splits:
        yield from recall_rows(f"{suite}-{split}", WARM_UP, recalls_of(trainings.warm.reader, parts[split]), about)


def measure(arm: str, trainings: Trainings, suite: str, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The rows of an arm with a retriever: with one pass (the arm's name) and with two."""
    task, parts = trainings.task, parts_of(trainings.task, splits)
    reader, trained, config = trainings.with_retriever(arm)
    about = asdict(config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    recalls = {split: recalls_of(reader, parts[split]) for split in splits}
    by_pass = {name: answers_by_pass(reader, part) for name, part in parts.items()}
    for n_passes, system in ((1, arm), (2, f"{arm}/two-passes")):
        found = {name: answers[n_passes - 1] for name, answers in by_pass.items()}
        for split in splits:
            chosen = found["choose"] if split == "dev" else joined(found["choose"], found["dev"])
            threshold, asked = best_threshold(task.kb, chosen), found[split]
            settings = about | {"threshold": threshold, "documents": len(asked.documents), "n_passes": n_passes}
            name = f"{suite}-{split}"
            yield from metric_rows(figures(task.kb, asked, threshold), name, system, settings)
            for each in THRESHOLDS:
                value = round(f1_at(task.kb, asked, each), 4)
                yield ResultRow(name, f"f1@{each}", system, value, "share", settings=settings)
            own = asked.recalls if n_passes > 1 else recalls[split]
            yield from recall_rows(name, system, own, settings)
            yield ResultRow(name, "train_cpu", system, float(f"{trained:.4g}"), "s", settings=settings)
            yield speed_row(name, system, asked, settings)


def measure_sources(arm: str, trainings: Trainings, suite: str, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The rows of an arm whose candidates come from a linker, and of that linker alone and together with it."""
    task, parts = trainings.task, parts_of(trainings.task, splits)
    sources = LinkerSources.build(task, trainings.config.seed)
    reader, trained, config = trainings.of_sources(arm, sources)
    proposed = {name: sources.propose(part) for name, part in parts.items()}
    found = {name: proposed_answers(reader, part, proposed[name]) for name, part in parts.items()}
    about = asdict(config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    for split in splits:
        chosen, known = found["choose"], proposed["choose"]
        if split == "test":
            chosen = joined(chosen, found["dev"])
            known = joined_proposals(known, proposed["dev"], len(parts["choose"]))
        threshold, asked = best_threshold(task.kb, chosen), found[split]
        settings, name = about | {"threshold": threshold, "documents": len(asked.documents)}, f"{suite}-{split}"
        yield from metric_rows(figures(task.kb, asked, threshold), name, arm, settings)
        yield from recall_rows(name, arm, asked.recalls, settings)
        yield ResultRow(name, "train_cpu", arm, float(f"{trained:.4g}"), "s", settings=settings)
        yield speed_row(name, arm, asked, settings)
        yield from sources.together(arm, (chosen, known), (asked, proposed[split]), name, settings)


def recall_rows(
    suite: str, system: str, recalls: Mapping[str, np.ndarray], settings: dict[str, Any]
) -> Iterator[ResultRow]:
    """The recall of each way to retrieve."""
    for metric, found in recalls.items():
        row = ResultRow(suite, metric, system, round(float(found.mean()), 4), "share")
        yield replace(row, n=len(found), settings=settings)


def speed_row(suite: str, system: str, asked: Answers, settings: dict[str, Any]) -> ResultRow:
    """Characters read in a second of processor time."""
    n_characters = sum(len(document.text) for document in asked.documents)
    speed = float(f"{n_characters / asked.seconds:.4g}")
    return ResultRow(suite, "characters_per_cpu_second", system, speed, "1/s", settings=settings)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", choices=[[], *ARMS], default=list(ARMS))
    parser.add_argument("--set", choices=sorted(SETS), default="ncbi")
    parser.add_argument("--split", action="append", default=[], choices=("dev", "test"), help="dev unless told")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=400, help="steps that both learn together")
    parser.add_argument("--warm-up", type=int, default=200, help="steps that each learns alone before")
    parser.add_argument("--layers", type=int, default=2, help="layers of MiniLM; 0 for all")
    parser.add_argument("--candidates", type=int, default=8, help="K")
    parser.add_argument("--entities", type=int, help="size of the knowledge base")
    parser.add_argument("--documents", type=int, default=100, help="test documents; half as many of dev")
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate of the encoder")
    parser.add_argument("--head-rate", type=float, default=3e-3, help="learning rate of the reader's new layer")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    suite, n_entities = SETS[options.set]
    for seed in options.seeds:
        task = read_task(suite, n_entities if options.entities is None else options.entities, options.documents, seed)
        config = replace(
            CONFIG, n_layers=options.layers, n_steps=options.steps, warm_up=options.warm_up, seed=seed,
            n_candidates=options.candidates, learning_rate=options.rate, head_rate=options.head_rate,
        )  # fmt: skip
        trainings = Trainings(task, config)
        with quiet(1):
            suite_of_seed, splits = f"reader/{options.set}-seed-{seed}", options.split or ["dev"]
            if not all(arm.startswith("sources") for arm in options.arms or ARMS):
                tell(list(measure_warm_up(trainings, suite_of_seed, splits)), options.dry_run)
            for arm in options.arms or ARMS:
                log(f"{arm}, seed {seed}")
                measured = measure_sources if arm.startswith("sources") else measure
                tell(list(measured(arm, trainings, suite_of_seed, splits)), options.dry_run)
    return 0


def tell(rows: list[ResultRow], is_dry: bool) -> None:
    """Print and record."""
    for row in rows:
        print(f"{row.suite} {row.system:14} {row.metric:26} {row.value:.4f} {row.low} {row.high}", flush=True)
    if not is_dry:
        record(rows)


if __name__ == "__main__":
    sys.exit(main())
