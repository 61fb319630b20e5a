"""What a learned index is worth (ELIAS, Tables 2 and 3, Fig. 3 and 5): `python -m benchmarks.xmc.elias SET`.

All systems have the same encoder and learn from the same documents for as many passes over them:

- `stage-1`: fixed balanced clusters, half of the passes;
- `stage-1-continued`: the same clusters, all passes (what learning longer alone gives);
- `stage-2`: stage 1, then as many passes with learned edges;
- `one-vs-all`: every label's classifier asked, no index; all passes;
- `stage-1/beam-20` and so on: the same, looking into more clusters;
- `sparse-index`: the graph of stage 2 searched by linear rankers on the sparse features, without the encoder.

`--vary` learns stage 2 from the same stage 1 with other settings instead. Everything is chosen on dev; `--test` also
measures on test, once, what dev has chosen. Recall by decile of label frequency (10 has the most frequent) is Fig. 5;
how a cluster's edge weights are spread, and how many labels have several strong edges, is Fig. 3.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.xmc.matrices import Matrices, matrices
from benchmarks.xmc.sparse_index import SparseIndex, SparseIndexConfig
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.train import EliasTraining
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.neural.one_vs_all.train import train_one_vs_all
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.learned_index import LearnedRanker

SHOWN = ("precision@1", "precision@3", "precision@5", "psp@1", "psp@3", "psp@5", "recall@10", "recall@20", "recall@100")
TOP = 100
BEAMS = (10, 20, 50)  # wider than the one it learns with
STRONG = 0.5  # an edge with at least this score
CONFIGS = {
    "yso_en": EliasConfig(beam=5, n_shortlist=500, n_epochs_fixed=3, n_epochs_learned=3),
    "eurlex57k": EliasConfig(labels_per_cluster=20, beam=5, n_shortlist=100, n_epochs_fixed=5, n_epochs_learned=5),
}
VARIED: dict[str, dict[str, Any]] = {
    "kappa=2L/C": {"edges_per_label": 2}, "kappa=5L/C": {"edges_per_label": 5}, "kappa=20L/C": {"edges_per_label": 20},
    "lambda=0": {"shortlist_weight": 0.0}, "lambda=0.5": {"shortlist_weight": 0.5},
    "edge-rate=0.02": {"edge_rate": 0.02}, "edge-rate=0.1": {"edge_rate": 0.1}, "alpha=10": {"alpha": 10.0},
    "loses-labels": {"keeps_every_label": False},
}  # fmt: skip
Rank = Callable[[Any, int], sparse.csr_matrix]


@dataclass(frozen=True)
class Judge:
    """Measures rankers on the parts of a set."""

    made: Matrices
    suite: str
    settings: dict[str, Any]
    parts: tuple[str, ...]

    def rows(self, system: str, rank: Rank, cpu: float) -> Iterator[ResultRow]:
        """All metrics of a ranker, and recall by decile; a line of them is printed."""
        training = LabelFrequencies.of(self.made.Y_train)
        for part in self.parts:
            X, Y = getattr(self.made, f"X_{part}"), getattr(self.made, f"Y_{part}")
            config = ExtremeConfig(at=(1, 3, 5, 10, 20, TOP), n_draws=200)
            result = extreme_metrics(Y, ranked_labels(rank(X, TOP), TOP), training, config)
            chosen = {metric.name: metric for metric in result.metrics if metric.name in SHOWN}
            suite, about = f"{self.suite}/elias-{part}", self.settings | {"part": part}
            line = " ".join(f"{chosen[name].value:.4f}" for name in SHOWN)
            print(f"{part:5}{system:28}{cpu:6.0f}s {line}", flush=True)
            yield from metric_rows([chosen[name] for name in SHOWN], suite, system, about)
            yield ResultRow(suite, "train_cpu", system, round(cpu, 1), "s", settings=about)
            for decile, metrics in result.by_decile.items():
                recall = next(metric for metric in metrics if metric.name == f"recall@{TOP}")
                name = f"decile-{decile}" if decile else "unseen"
                yield ResultRow(f"{suite}/deciles", name, system, recall.value, "share", n=recall.n, settings=about)


def graph_rows(graph: ClusterGraph, counts: np.ndarray, judge: Judge) -> Iterator[ResultRow]:
    """How edge weights are spread over a cluster's edges, best first, and how many strong edges labels have."""
    suite = f"{judge.suite}/elias-graph"
    shares = [
        np.sort(graph.edge_shares[a:b])[::-1] for a, b in zip(graph.edge_starts, graph.edge_starts[1:], strict=False)
    ]
    for n in (10, 25, 50, 100, 200, 400):
        mass = float(np.mean([each[:n].sum() for each in shares]))
        yield ResultRow(suite, f"weight-of-first-{n}", "stage-2", round(mass, 4), "share", settings=judge.settings)
    strong = graph.clusters_by_labels()
    n_strong = np.bincount(strong.indices[strong.data >= STRONG], minlength=graph.n_labels)
    groups = {"frequent": counts >= np.quantile(counts, 0.99), "rare": counts <= np.median(counts), "all": counts > 0}
    for name, chosen in groups.items():
        several = float((n_strong[chosen] >= 2).mean())
        yield ResultRow(
            suite, f"several-clusters-{name}", "stage-2", round(several, 4), "share", settings=judge.settings
        )
        mean = float(n_strong[chosen].mean())
        yield ResultRow(suite, f"strong-edges-{name}", "stage-2", round(mean, 3), "edges", settings=judge.settings)


def systems(made: Matrices, config: EliasConfig, judge: Judge, seed: int) -> Iterator[ResultRow]:
    """The rows of every system."""
    training, begun = EliasTraining(made.X_train, made.Y_train, config, seed), time.process_time()
    training.run(config.n_epochs_fixed, "stage 1")
    first_cpu = time.process_time() - begun
    yield from judge.rows("stage-1", training.ranker().rank, first_cpu)
    yield from wider(judge, "stage-1", training.ranker(), first_cpu)
    longer, begun = training.fork(), time.process_time()
    longer.run(config.n_epochs_learned, "stage 1 continued")
    yield from judge.rows("stage-1-continued", longer.ranker().rank, first_cpu + time.process_time() - begun)
    del longer
    begun = time.process_time()
    training.learn_edges()
    training.run(config.n_epochs_learned, "stage 2")
    cpu = first_cpu + time.process_time() - begun
    index = training.ranker().index
    yield from judge.rows("stage-2", training.ranker().rank, cpu)
    yield from wider(judge, "stage-2", training.ranker(), cpu)
    counts = np.bincount(made.Y_train.indices, minlength=made.Y_train.shape[1])[index.label_rows]
    yield from graph_rows(index.graph, counts, judge)
    begun = time.process_time()
    sparse_config = SparseIndexConfig(beam=config.beam, n_shortlist=min(TOP, config.n_shortlist))
    by_words = SparseIndex.fit(made.X_train, made.Y_train, index.graph, index.label_rows, sparse_config, seed, 1)
    yield from judge.rows("sparse-index", by_words.rank, time.process_time() - begun)
    del training, by_words
    brute = OneVsAllConfig(config.bag, config.n_epochs_fixed + config.n_epochs_learned, config.batch_size)
    begun = time.process_time()
    exact = train_one_vs_all(made.X_train, made.Y_train, brute, seed)
    yield from judge.rows("one-vs-all", exact.rank, time.process_time() - begun)


def wider(judge: Judge, system: str, ranker: LearnedRanker, cpu: float) -> Iterator[ResultRow]:
    """The rows of the same ranker when it looks into more clusters than it learned with."""
    for beam in BEAMS:
        yield from judge.rows(f"{system}/beam-{beam}", partial(ranker.rank, beam=beam), cpu)


def variations(made: Matrices, config: EliasConfig, judge: Judge, seed: int, chosen: list[str]) -> Iterator[ResultRow]:
    """The rows of stage 2 under other settings, each from the same stage 1."""
    training, begun = EliasTraining(made.X_train, made.Y_train, config, seed), time.process_time()
    training.run(config.n_epochs_fixed, "stage 1")
    first_cpu = time.process_time() - begun
    for name in chosen:
        other, begun = training.fork(), time.process_time()
        other.config = replace(config, **VARIED[name])
        other.learn_edges()
        other.run(config.n_epochs_learned, "stage 2")
        yield from judge.rows(f"stage-2/{name}", other.ranker().rank, first_cpu + time.process_time() - begun)


def main() -> None:
    """Print the table; record its rows if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=sorted(CONFIGS))
    parser.add_argument("--documents", type=int, help="Only so many training documents, drawn evenly.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vary", nargs="+", choices=sorted(VARIED), help="Settings of stage 2 to vary.")
    parser.add_argument("--test", action="store_true", help="Measure on test too.")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    start_run(is_recorded=given.record)
    torch.set_num_threads(1)
    made, config = matrices(given.dataset, given.documents), CONFIGS[given.dataset]
    size = "" if given.documents is None else f"-{given.documents}"
    settings = {"documents": made.X_train.shape[0], "seed": given.seed, "threads": 1, "beam": config.beam,
                "n_shortlist": config.n_shortlist, "labels_per_cluster": config.labels_per_cluster,
                "alpha": config.alpha, "epochs": [config.n_epochs_fixed, config.n_epochs_learned]}  # fmt: skip
    judge = Judge(made, f"xmc/{given.dataset}{size}", settings, ("dev", "test") if given.test else ("dev",))
    print(f"{'':40}" + " ".join(name.replace("precision", "p").replace("recall", "r") for name in SHOWN))
    if given.vary:
        rows = list(variations(made, config, judge, given.seed, given.vary))
    else:
        rows = list(systems(made, config, judge, given.seed))
    if given.record:
        record(rows)


if __name__ == "__main__":
    main()
