"""Rows of the comparison of ELIAS: quality by part and seed, CPU, and what the learned graph looks like."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.xmc.matrices import Matrices
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow
from deixis.xmr.cluster_graph import ClusterGraph

SHOWN = ("precision@1", "precision@3", "precision@5", "psp@1", "recall@10", "recall@100")
UNITS = {"train_cpu": "s", "predict_cpu": "ms"}
TOP = 100
STRONG = 0.5  # an edge with at least this score
Rank = Callable[[str], sparse.csr_matrix]  # of a part's documents


@dataclass(frozen=True)
class Learned:
    """A system that has learned: its rankings by part, and what it cost."""

    rank: Rank
    train_cpu: float
    predict_cpu: float | None = None  # ms for a document, if it was measured elsewhere
    encode_cpu: float = 0.0  # ms for a document, of vectors that were made before


@dataclass
class Table:
    """Figures by part, system and metric: one of each seed."""

    made: Matrices
    parts: tuple[str, ...]
    figures: dict[tuple[str, str, str], list[tuple[float, float, float, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )  # value, low, high, n

    def add(self, system: str, learned: Learned) -> None:
        """Judge a system on every part, and print its line."""
        training = LabelFrequencies.of(self.made.Y_train)
        for part in self.parts:
            truth = getattr(self.made, f"Y_{part}")
            started = time.process_time()
            ranked = learned.rank(part)
            spent = (time.process_time() - started) / truth.shape[0] * 1000
            predict_cpu = learned.encode_cpu + (spent if learned.predict_cpu is None else learned.predict_cpu)
            config = ExtremeConfig(at=(1, 3, 5, 10, TOP), n_draws=200)
            result = extreme_metrics(truth, ranked_labels(ranked, TOP), training, config)
            chosen = {metric.name: metric for metric in result.metrics if metric.name in SHOWN}
            for name, metric in chosen.items():
                figures = (metric.value, metric.interval.low, metric.interval.high, metric.n)
                self.figures[part, system, name].append(figures)
            for name, cost in (("train_cpu", learned.train_cpu), ("predict_cpu", predict_cpu)):
                self.figures[part, system, name].append((cost, cost, cost, truth.shape[0]))
            line = " ".join(f"{chosen[name].value:.4f}" for name in SHOWN)
            print(f"{part:5}{system:24}{learned.train_cpu:6.0f} s {predict_cpu:7.3f} ms  {line}", flush=True)

    def rows(self, suite: str, settings: dict[str, Any]) -> Iterator[ResultRow]:
        """Of one seed with bootstrap intervals; of several the mean, the least and the greatest."""
        for (part, system, metric), figures in self.figures.items():
            values = [value for value, *_ in figures]
            low, high = (min(values), max(values)) if len(values) > 1 else figures[0][1:3]
            about = settings | {"part": part, "n_seeds": len(values)}
            mean, low, high = (round(float(each), 6) for each in (np.mean(values), low, high))
            unit = UNITS.get(metric, "share")
            yield ResultRow(
                f"{suite}/elias-{part}", metric, system, mean, unit, low, high, figures[0][3], settings=about
            )


def graph_rows(graph: ClusterGraph, counts: np.ndarray, suite: str, settings: dict[str, Any]) -> Iterator[ResultRow]:
    """How edge weights are spread over a cluster's edges, best first, and the strong edges of labels (Fig. 3)."""
    shares = [
        np.sort(graph.edge_shares[a:b])[::-1] for a, b in zip(graph.edge_starts, graph.edge_starts[1:], strict=False)
    ]
    for n in (10, 25, 50, 100, 200):
        mass = float(np.mean([each[:n].sum() for each in shares]))
        yield ResultRow(suite, f"weight-of-first-{n}", "stage-2", round(mass, 4), "share", settings=settings)
    strong = graph.clusters_by_labels()
    n_strong = np.bincount(strong.indices[strong.data >= STRONG], minlength=graph.n_labels)
    groups = {"frequent": counts >= np.quantile(counts, 0.99), "rare": counts <= np.median(counts), "all": counts > 0}
    for name, chosen in groups.items():
        several = float((n_strong[chosen] >= 2).mean())
        yield ResultRow(suite, f"several-clusters-{name}", "stage-2", round(several, 4), "share", settings=settings)


def split_dev(made: Matrices, n: int) -> tuple[Matrices, sparse.csr_matrix, sparse.csr_matrix]:
    """The set without `n` documents of dev, drawn evenly, at most half of it; their rows and their labels."""
    order = np.random.default_rng(0).permutation(made.X_dev.shape[0])
    n = min(n, len(order) // 2)
    held, rest = np.sort(order[:n]), np.sort(order[n:])
    left = replace(made, X_dev=made.X_dev[rest], Y_dev=made.Y_dev[rest])
    return left, made.X_dev[held], made.Y_dev[held]


def by_part(made: Matrices, rank: Callable[[Any, int], sparse.csr_matrix]) -> Rank:
    """A ranker of rows as one of parts."""
    return lambda part: rank(getattr(made, f"X_{part}"), TOP)


def of_seen(ranked: sparse.csr_matrix, seen: np.ndarray, n_labels: int) -> sparse.csr_matrix:
    """A ranking of the labels `seen` as one of all labels."""
    return sparse.csr_matrix((ranked.data, seen[ranked.indices], ranked.indptr), shape=(ranked.shape[0], n_labels))
