"""Gandalf where labels are items like the inputs: `python -m benchmarks.xmc.gandalf_titles [--dry-run]`.

Two sets of titles from wiki468k (`title_sets`), three random splits of each, learned from as `deixis xmr train` does,
with the words of label texts in the vocabulary. Arms:

- `none`, `self`, and soft targets by the paper's threshold on shares (`delta-0.1`), by a threshold on targets
  (`target-0.1`, the default; `visits-0.1` on the graph without ECLARE's weights) and by the five most visited
  neighbours (`best-5`);
- `lookup`: no training: an input that is a label gets its neighbours in the label graph, others nothing;
- `self+lookup`: the same, and what `self` has learned for all other inputs.

The input's own label is never counted (`--filter-labels own`). Rows are means over the splits, with the least and the
greatest. The graph of `lookup` and the soft arm are chosen by precision@1 on dev; test rows (suites that end in
`-test`) have that arm only, as `soft`, beside those without a choice. Rows `precision@1_gain` are differences to `self`
on the same inputs, with a 95 % interval. Costs are those of the first split. Rankers that learn by torch are slow, so
they are measured with fewer arms, and `elias`, which takes minutes for each, on `also-mentioned` only; of
`description-titles` half of the pages are drawn.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.xmc.predict_cost import predict_cost
from benchmarks.xmc.title_scores import DEEPER, Part, looked_up, where_found
from benchmarks.xmc.title_sets import SETS, TitleSet, title_set
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.bootstrap import share_interval
from deixis.labelling.config import LabellerConfig
from deixis.labelling.engines.average import engine_class
from deixis.labelling.labeller import Labeller
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.xmr.label_augmentation import AugmentationConfig, label_targets
from deixis.xmr.label_graph import LabelGraphConfig

SEED = 0
SPLITS = (0, 1, 2)
N_POINTS = {"also-mentioned": None, "description-titles": 40_000}  # pages; None: all
ENGINES = {
    "tree": LabellerConfig(),
    "bag": LabellerConfig(engine="one-vs-all", one_vs_all=OneVsAllConfig(n_negatives=1000)),
    "elias": LabellerConfig(engine="elias"),
}
SOFT = {
    **{f"delta-{delta}": AugmentationConfig("soft", delta, threshold_of="share") for delta in (0.0, 0.05, 0.1, 0.3)},
    **{f"target-{target}": AugmentationConfig("soft", target) for target in (0.1, 0.2)},
    "visits-0.1": AugmentationConfig("soft", 0.1, LabelGraphConfig(weighting="visits")),
    "best-5": AugmentationConfig("soft", 0.0, LabelGraphConfig(max_neighbours=5)),
}
ARMS = {"none": AugmentationConfig("none"), "self": AugmentationConfig("self"), **SOFT}
ARMS_OF = {
    "tree": tuple(ARMS),
    "bag": ("none", "self", "delta-0.0", "delta-0.05", "delta-0.1", "delta-0.3", "target-0.1"),
    "elias": ("none", "self", "target-0.1"),
}
SETS_OF = {"tree": SETS, "bag": SETS, "elias": ("also-mentioned",)}
GRAPHS = {"lookup": LabelGraphConfig(), "lookup-visits": LabelGraphConfig(weighting="visits")}
UNITS = {"train_cpu": "s", "predict_cpu": "us/text", "disk": "MB", "rss": "MB", "targets": "labels/text"}


@dataclass
class Measured:
    """What one engine's systems came to on one part: scores by split, rankings' hits, and costs."""

    scores: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    hits: dict[str, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))
    costs: dict[str, dict[str, float]] = field(default_factory=dict)

    def add(self, system: str, part: Part, ranked: sparse.csr_matrix) -> None:
        """One split's ranking."""
        self.scores[system].append(part.scores(ranked))
        self.hits[system].append(part.hits(ranked))

    def best(self, systems: Sequence[str]) -> str:
        """The system with the highest mean precision at 1, of equal ones the first."""
        return max(systems, key=lambda name: np.mean([scores["precision@1"] for scores in self.scores[name]]))

    def rows(self, suite: str, about: dict[str, Any]) -> Iterator[ResultRow]:
        """Means over the splits, gains over `self`, costs."""
        for system, by_split in self.scores.items():
            n = sum(len(hits) for hits in self.hits[system])
            for metric in by_split[0]:
                values = [scores[metric] for scores in by_split if metric in scores]
                mean, low, high = (round(float(f(values)), 6) for f in (np.mean, np.min, np.max))
                yield ResultRow(suite, metric, system, mean, "share", low, high, n, settings=about)
            if system not in ("none", "self") and "self" in self.hits:
                gains = np.concatenate(self.hits[system]) - np.concatenate(self.hits["self"])
                interval = share_interval(gains, np.ones(len(gains)), SEED)
                ends = round(interval.low, 6), round(interval.high, 6)
                yield ResultRow(
                    suite, "precision@1_gain", system, round(float(gains.mean()), 6), "share", *ends, n, settings=about
                )
            for metric, value in self.costs.get(system, {}).items():
                yield ResultRow(suite, metric, system, round(value, 3), UNITS[metric], settings=about)


def measure(
    name: str, engine: str, splits: Sequence[int], arms: Sequence[str], n_points: int | None
) -> Iterator[list[ResultRow]]:
    """The rows of one engine on one set, after each split: dev with all arms, test with what dev has chosen."""
    dev = Measured()
    held_back: dict[str, list[tuple[Part, sparse.csr_matrix]]] = defaultdict(list)  # test rankings, not yet scored
    for n_splits, split in enumerate(splits, start=1):
        title = title_set(name, split, n_points)
        parts = {part: Part.of(title, part) for part in ("dev", "test")}
        by_arm: dict[str, dict[str, sparse.csr_matrix]] = {}
        unfiltered: dict[str, float] = {}
        for arm in arms:
            by_arm[arm], unfiltered[arm] = learn(title, parts, engine, arm, dev, is_costed=split == splits[0])
        for graph, config in GRAPHS.items():
            started = time.process_time()
            by_arm[graph] = {part: looked_up(title, parts[part], config, SEED) for part in parts}
            dev.costs.setdefault(graph, {"train_cpu": (time.process_time() - started) / len(parts)})
            if "self" in by_arm:
                by_arm[f"self+{graph}"] = {
                    part: where_found(by_arm[graph][part], by_arm["self"][part]) for part in parts
                }
        for system, rankings in by_arm.items():
            dev.add(system, parts["dev"], rankings["dev"])
            if system in unfiltered:
                dev.scores[system][-1]["precision@1/unfiltered"] = unfiltered[system]
            held_back[system].append((parts["test"], rankings["test"]))
        chosen, test = {"none": "none", "self": "self"} | choices(dev, arms), Measured()
        for system, source in chosen.items():
            for part, ranked in held_back[source]:
                test.add(system, part, ranked)
        about = {"splits": list(splits[:n_splits]), "seed": SEED, "threads": 1, "points": n_points or "all"}
        about |= {"filter_labels": "own"}
        suite = f"gandalf/{name}-{engine}"
        yield [
            *dev.rows(suite, about | {"part": "dev"}),
            *test.rows(f"{suite}-test", about | {"part": "test", "chosen": chosen}),
        ]


def choices(dev: Measured, arms: Sequence[str]) -> dict[str, str]:
    """The soft arm and the lookups that are best on dev, by the names they have on test."""
    soft = [arm for arm in arms if arm in SOFT]
    chosen = {"soft": dev.best(soft)} if soft else {}
    chosen["lookup"] = dev.best(list(GRAPHS))
    if "self" in arms:
        chosen["self+lookup"] = dev.best([f"self+{graph}" for graph in GRAPHS])
    return chosen


def learn(
    title: TitleSet, parts: dict[str, Part], engine: str, arm: str, dev: Measured, is_costed: bool
) -> tuple[dict[str, sparse.csr_matrix], float]:
    """The rankings of one arm on each part, and precision without the filter on dev; what it cost goes to `dev`."""
    config = replace(ENGINES[engine], augmentation=ARMS[arm])
    engine_class(config)(config).check_extras()  # imports are no part of training
    started = time.process_time()
    labeller = Labeller.build(title.train, title.vocabulary, config, SEED, n_threads=1)
    cpu = time.process_time() - started
    rankings = {name: labeller.rank(part.texts, DEEPER, filtered=part.own) for name, part in parts.items()}
    if is_costed:
        n_targets = label_targets(title.train.docs_by_labels, ARMS[arm], SEED, n_threads=1).nnz / len(title.vocabulary)
        dev.costs[arm] = {"train_cpu": cpu, "targets": n_targets} | predict_cost(labeller, title.dev.texts)
    unfiltered = parts["dev"].unfiltered(labeller.rank(parts["dev"].texts, DEEPER))
    best = parts["dev"].scores(rankings["dev"])
    print(
        f"{title.name} {title.split} {engine:6} {arm:12} {cpu:6.1f} s  dev precision@1 {best['precision@1']:.4f}, "
        f"labels {best['precision@1/labels']:.4f}, others {best['precision@1/others']:.4f}, "
        f"without filter {unfiltered:.4f}",
        flush=True,
    )
    return rankings, unfiltered


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--arms", nargs="+", choices=ARMS, help="only these [all that the engine is measured with]")
    parser.add_argument("--splits", nargs="+", type=int, default=list(SPLITS))
    parser.add_argument("--points", type=int, metavar="N", help="pages of a set, for trials; nothing is recorded")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    is_recorded = not (options.dry_run or options.points)
    start_run(is_recorded=is_recorded)
    if set(options.engines) - {"tree"}:
        import torch

        torch.set_num_threads(1)
    for name in options.sets:
        for engine in (engine for engine in options.engines if name in SETS_OF[engine]):
            arms = options.arms or ARMS_OF[engine]
            for rows in measure(name, engine, options.splits, arms, options.points or N_POINTS[name]):
                if is_recorded:
                    record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
