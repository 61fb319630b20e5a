"""Rebuild Table 3 of ELIAS: what each part of ELIAS++ adds, and Figure 4, the scores of true labels by decile.

    python -m benchmarks.xmc.elias_plus eurlex57k --first tree                          # judged on half of dev
    python -m benchmarks.xmc.elias_plus eurlex57k --first tree --part test --record     # once, at the end

Scores are calibrated on 5,000 documents of dev, drawn evenly (half of dev if it is smaller); what is chosen is judged
on the rest of dev, and `test` is only for the rows that are recorded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.xmc.datasets import DATASETS
from benchmarks.xmc.elias_rows import split_dev
from benchmarks.xmc.matrices import Matrices, matrices
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.train import EliasTraining
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.neural.one_vs_all.train import train_one_vs_all
from deixis.xmr.averaging import AverageRanker, Ranker
from deixis.xmr.combined import CombinedConfig, CombinedRanker
from deixis.xmr.model import LABELLING, LabelTreeRanker

SHOWN = ("precision@1", "precision@3", "precision@5", "recall@10", "recall@20", "recall@100", "psp@1", "psp@3", "psp@5")
N_CALIBRATED = 5000
SEEDS = (0, 1, 2)


@dataclass
class Clock:
    """CPU seconds by what they were spent on."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count the time of the block."""
        start = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start


def trees(made: Matrices, seed: int, clock: Clock) -> dict[str, Ranker]:
    """The linear tree as the only stage below."""
    with clock.on("tree"):
        return {"tree": LabelTreeRanker(LABELLING, seed=seed, n_threads=1).fit(made.X_train, made.Y_train)}


def brute_force(made: Matrices, seed: int, clock: Clock) -> dict[str, Ranker]:
    """The frugal encoder with every label's classifier: dense vectors, and no index that could miss a label."""
    with clock.on("one-vs-all"):
        return {"one-vs-all": train_one_vs_all(made.X_train, made.Y_train, OneVsAllConfig(), seed)}


def elias(made: Matrices, seed: int, clock: Clock) -> dict[str, Ranker]:
    """ELIAS as it is after each of its two stages."""
    with clock.on("elias-stage-1"):
        training = EliasTraining(made.X_train, made.Y_train, EliasConfig(), seed)
        training.run(training.config.n_epochs_fixed, "stage 1")
        fixed = training.ranker()
    with clock.on("elias"):
        training.learn_edges()
        training.run(training.config.n_epochs_learned, "stage 2")
    return {"elias-stage-1": fixed, "elias": training.ranker()}


FIRST: dict[str, Callable[[Matrices, int, Clock], dict[str, Ranker]]] = {
    "tree": trees,
    "one-vs-all": brute_force,
    "elias": elias,
}


@dataclass(frozen=True, eq=False)
class Split:
    """Documents that scores are calibrated on, and documents that are judged."""

    X_held: sparse.csr_matrix
    Y_held: sparse.csr_matrix
    X: sparse.csr_matrix
    Y: sparse.csr_matrix

    @classmethod
    def of(cls, made: Matrices, part: str) -> Split:
        """Half of dev to calibrate on, at most 5,000; the rest of dev, or all of test, to judge."""
        left, X_held, Y_held = split_dev(made, N_CALIBRATED)  # noqa: N806
        judged = (left.X_test, left.Y_test) if part == "test" else (left.X_dev, left.Y_dev)
        return cls(X_held, Y_held, *judged)


class Table:
    """Rows of the table, as they come."""

    def __init__(self, made: Matrices, split: Split, suite: str, settings: dict[str, Any]) -> None:
        self.split, self.suite, self.settings = split, suite, settings
        self.training = LabelFrequencies.of(made.Y_train)
        self.rows: list[ResultRow] = []
        print(f"{'':38}" + " ".join(f"{name.replace('precision', 'p').replace('recall', 'r'):>7}" for name in SHOWN))

    def add(self, system: str, ranked: sparse.csr_matrix, seconds: float) -> None:
        """Judge a ranking, print its row, keep it."""
        config = ExtremeConfig(at=(1, 3, 5, 10, 20, 100), n_draws=200)
        result = extreme_metrics(self.split.Y, ranked_labels(ranked, 100), self.training, config)
        chosen = {metric.name: metric for metric in result.metrics if metric.name in SHOWN}
        settings = self.settings | {"train_cpu_s": round(seconds, 1)}
        self.rows += metric_rows([chosen[name] for name in SHOWN], self.suite, system, settings)
        print(f"{system:30} {seconds:6.0f}s " + " ".join(f"{chosen[name].value:7.4f}" for name in SHOWN), flush=True)

    def add_true_scores(self, ranker: CombinedRanker, first: str) -> None:
        """Figure 4: the mean score of shortlisted true labels, by decile of frequency; 10 has the most frequent."""
        shortlist, margins = ranker.both_scores(self.split.X)
        calibrated = ranker.rank(self.split.X, ranker.config.n_shortlisted)
        documents = np.repeat(np.arange(shortlist.shape[0]), np.diff(shortlist.indptr))
        in_place = np.asarray(calibrated[documents, shortlist.indices]).ravel()
        has_label = np.asarray(self.split.Y[documents, shortlist.indices]).ravel() > 0
        deciles = self.training.deciles()[shortlist.indices]
        scores = {first: shortlist.data, "sparse-ranker": 1 / (1 + np.exp(-margins.data)), "calibrated": in_place}
        print(f"{'decile':16}" + " ".join(f"{decile:7d}" for decile in range(1, 11)))
        for name, values in scores.items():
            means = [values[has_label & (deciles == decile)] for decile in range(1, 11)]
            shown = [float(each.mean()) if len(each) else float("nan") for each in means]
            print(f"{name:16}" + " ".join(f"{value:7.4f}" for value in shown), flush=True)
            self.rows += [
                ResultRow(f"{self.suite}/true-scores", f"decile-{decile}", name, round(value, 6), "share", n=len(each),
                          settings=self.settings)
                for decile, value, each in zip(range(1, 11), shown, means, strict=True) if len(each)
            ]  # fmt: skip


def build_up(made: Matrices, first: str, table: Table, config: CombinedConfig, n_models: int) -> None:
    """Stage by stage for the first model; then the average of all."""
    clock, finished = Clock(), []
    for seed in SEEDS[:n_models]:
        stages = FIRST[first](made, seed, clock)
        if seed == SEEDS[0]:
            seconds = 0.0
            for name, ranker in stages.items():
                seconds += clock.seconds[name]
                table.add(name, ranker.rank(table.split.X, 100), seconds)
        with clock.on("sparse-ranker"):
            combined = CombinedRanker.fit(list(stages.values())[-1], made.X_train, made.Y_train, config, seed, 1)
        if seed == SEEDS[0]:
            table.add(f"{first}+sparse-ranker", combined.rank(table.split.X, 100), sum(clock.seconds.values()))
        with clock.on("calibration"):
            finished.append(combined.calibrated(table.split.X_held, table.split.Y_held, seed))
        if seed == SEEDS[0]:
            table.add(f"{first}+calibration", finished[0].rank(table.split.X, 100), sum(clock.seconds.values()))
            tree = finished[0].calibration
            assert tree is not None
            print(f"  {combined.sparse_ranker.n_weights:,} weights; {tree.n_leaves} leaves; CPU s {clock.seconds}")
            table.add_true_scores(finished[0], first)
    if len(finished) > 1:
        ranked = AverageRanker(finished).rank(table.split.X, 100)
        table.add(f"{first}+average-of-{len(finished)}", ranked, sum(clock.seconds.values()))


def main() -> None:
    """Print the table; record its rows if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=sorted(DATASETS))
    parser.add_argument("--first", choices=sorted(FIRST), default="tree")
    parser.add_argument("--documents", type=int, help="Only so many training documents, drawn evenly.")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--models", type=int, default=len(SEEDS))
    parser.add_argument("--dense-weight", type=float, default=CombinedConfig().dense_weight)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    start_run(is_recorded=given.record)
    torch.set_num_threads(1)
    made = matrices(given.dataset, given.documents)
    config = CombinedConfig(dense_weight=given.dense_weight)
    settings = {
        "documents": made.X_train.shape[0],
        "part": given.part,
        "dense_weight": config.dense_weight,
        "n_shortlisted": config.n_shortlisted,
    }
    size = "" if given.documents is None else f"-{given.documents}"
    table = Table(made, Split.of(made, given.part), f"xmc/{given.dataset}{size}/elias-plus-{given.part}", settings)
    build_up(made, given.first, table, config, given.models)
    if given.record:
        record(table.rows)


if __name__ == "__main__":
    main()
