"""Settings of the linear tree, on dev: `python -m benchmarks.xmc.tree_shapes [--dataset yso_en] [--documents N]`.

Each system differs from the preset for labelling (`deixis.xmr.model.LABELLING`) in what its name says. Rows go to the
suites `xmc/<dataset>/shapes`; the test part is not read.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from benchmarks.rows import record, start_run
from benchmarks.speed.summary import spread
from benchmarks.xmc.datasets import DATASETS
from benchmarks.xmc.matrices import FEATURES, matrices
from benchmarks.xmc.peers import METRICS, TOP_K, UNITS
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LABELLING, LabelTreeConfig, LabelTreeRanker

TREE, RANKER, BEAM = LABELLING.tree, LABELLING.ranker, LABELLING.beam
# One list of beams for each model: what differs only in the search is trained once.
CONFIGS: dict[str, tuple[LabelTreeConfig, dict[str, BeamConfig]]] = {
    "preset": (
        LABELLING,
        {
            "width-10": replace(BEAM, width=10),
            "width-50": replace(BEAM, width=50),
            "sigmoid": BeamConfig(BEAM.width, "sigmoid", memory=1.0),
            "power-1": replace(BEAM, power=1),
            "power-2": replace(BEAM, power=2),
            "memory-0.3": replace(BEAM, memory=0.3),
            "memory-1": replace(BEAM, memory=1.0),
        },
    ),
    "linker": (LabelTreeConfig(), {}),
    "deep": (replace(LABELLING, tree=TreeConfig()), {}),
    "binary": (replace(LABELLING, tree=TreeConfig(2, 100)), {}),
    "free": (replace(LABELLING, tree=replace(TREE, balance="free")), {}),
    "free-128": (replace(LABELLING, tree=replace(TREE, max_leaf_size=128, balance="free")), {}),
    "leaves-128": (replace(LABELLING, tree=replace(TREE, max_leaf_size=128)), {}),
    "one-cost-0.25": (replace(LABELLING, ranker=replace(RANKER, cost=0.25), upper_cost=1.0), {}),
    "one-cost-0.5": (replace(LABELLING, ranker=replace(RANKER, cost=0.5), upper_cost=1.0), {}),
    "one-cost-1": (replace(LABELLING, upper_cost=1.0), {}),
    "weights-0.05": (replace(LABELLING, ranker=replace(RANKER, min_weight=0.05)), {}),
    "hinge": (replace(LABELLING, ranker=replace(RANKER, loss="hinge")), {}),
    "no-bias": (replace(LABELLING, ranker=replace(RANKER, bias=0.0)), {}),
    "matcher-aware": (replace(LABELLING, negatives="matcher_aware", beam=replace(BEAM, width=5)), {"": BEAM}),
    "no-random": (replace(LABELLING, n_random=0), {}),
    "sublinear": (LABELLING, {}),
}


def measure(dataset: str, systems: Sequence[str], n_documents: int | None) -> Iterator[ResultRow]:
    """The rows of each system on dev."""
    size = "" if n_documents is None else f"-{n_documents}"
    suite = f"xmc/{dataset}{size}/shapes"
    for name in systems:
        config, beams = CONFIGS[name]
        of_set = matrices(dataset, n_documents, replace(FEATURES, sublinear_tf=name == "sublinear"))
        training = LabelFrequencies.of(of_set.Y_train)
        before = time.process_time()
        ranker = LabelTreeRanker(config, n_threads=1).fit(of_set.X_train, of_set.Y_train)
        train_cpu = time.process_time() - before
        disk = sum(array.nbytes for array in ranker.to_arrays("x").values()) / 2**20
        tried = beams if "" in beams else {"": config.beam, **beams}
        for beam_name, beam in tried.items():
            system = beam_name or name
            about = {"split": "dev", "n_documents": of_set.X_train.shape[0], "n_threads": 1,
                     "config": asdict(replace(config, beam=beam))}  # fmt: skip
            before = time.process_time()
            scores = ranker.rank(of_set.X_dev, TOP_K, beam)
            predict_cpu = (time.process_time() - before) / scores.shape[0] * 1000
            found = ranked_labels(scores, TOP_K)
            extreme = ExtremeConfig(at=(1, 3, 5, 10, TOP_K))
            metrics = extreme_metrics(of_set.Y_dev, found, training, extreme).metrics
            yield from metric_rows([each for each in metrics if each.name in METRICS], suite, system, about)
            for metric, value in (("train_cpu", train_cpu), ("predict_cpu", predict_cpu), ("disk", disk)):
                yield spread(suite, metric, system, [value], UNITS[metric], about)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", choices=list(DATASETS), help="may be repeated [yso_en]")
    parser.add_argument("--system", action="append", choices=list(CONFIGS), help="may be repeated [all]")
    parser.add_argument("--documents", type=int, help="training documents, the first so many [all]")
    parser.add_argument("--dry", action="store_true", help="print only, record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry)
    for dataset in options.dataset or ["yso_en"]:
        rows = []
        for row in measure(dataset, options.system or list(CONFIGS), options.documents):
            rows.append(row)
            if row.metric in ("precision@1", "precision@5", "recall@100", "train_cpu"):
                print(f"{row.suite:28} {row.system:16} {row.metric:12} {row.value:.4f} {row.unit}", flush=True)
        if not options.dry:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
