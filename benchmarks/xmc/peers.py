"""The linear label tree against its peers: `python -m benchmarks.xmc.peers [--dataset yso_en] [--part dev]`.

All get the same matrices (`benchmarks.xmc.matrices`) and one thread; they take turns, each in a process and an
environment of its own, and CPU seconds are counted. Training is everything from the matrices to the model: label
features, clustering, rankers. PECOS's path score is chosen on dev. omikuji runs in three settings: its defaults are
Parabel's (three balanced binary trees), `parabel` is one such tree, `bonsai` one wide, shallow and unbalanced tree.
napkinXC is a probabilistic label tree by its defaults. `one-vs-all` is brute force with our own solver: every label
learns from every document; it is measured where labels are few. A system that needs more than `--max-cpu` seconds is
given up, and said so. Rows of the test part are made once, at the end; nothing may be chosen by them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.speed import matrices as on_disk
from benchmarks.speed.peer_env import peer_python
from benchmarks.speed.summary import OURS, RATIO_MEANS, spread
from benchmarks.speed.systems import PECOS_SCORES, Bench
from benchmarks.xmc.datasets import DATASETS
from benchmarks.xmc.matrices import matrices
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.xmr.model import LABELLING

TOP_K = 100
METRICS = ("precision@1", "precision@3", "precision@5", "ndcg@3", "ndcg@5", "psp@1", "psp@3", "psp@5", "recall@10",
           "recall@100")  # fmt: skip
UNITS = {"train_cpu": "s", "predict_cpu": "s/1000", "single": "ms", "disk": "MB"}
BONSAI = {"n_trees": 1, "cluster_k": 100, "cluster_balanced": False, "max_depth": 3}


@dataclass(frozen=True)
class System:
    """One line of the comparison: whose runner, in whose environment, with what settings."""

    runner: str
    environment: str | None = None  # ours if None
    options: dict[str, object] = field(default_factory=dict)
    beam: int = 10


SYSTEMS = {
    OURS: System("deixis", options=asdict(LABELLING), beam=LABELLING.beam.width),
    "deixis-3": System("deixis", options=asdict(replace(LABELLING, n_trees=3)), beam=LABELLING.beam.width),
    "pecos": System("pecos", "pecos"),
    "omikuji-parabel": System("omikuji", "omikuji", {"n_trees": 1}),
    "omikuji": System("omikuji", "omikuji"),
    "omikuji-bonsai": System("omikuji", "omikuji", BONSAI),
    "napkinxc": System("napkinxc", "napkinxc"),
    "one-vs-all": System("one_vs_all", options=asdict(LABELLING.ranker)),
}
DEFAULT = [name for name in SYSTEMS if name != "one-vs-all"]


def measure(bench: Bench, name: str, part: str, max_cpu: int) -> tuple[dict[str, float], sparse.csr_matrix]:
    """What it costs, by the names of `UNITS`, and docs_by_labels scores of the part's documents."""
    system = SYSTEMS[name]
    python = Path(sys.executable) if system.environment is None else peer_python(system.environment)
    about: dict[str, object] = {"variant": name, "options": system.options, "max_cpu": max_cpu}
    learned = bench.fit(system.runner, python, **about)
    if name == "pecos":
        about |= {"layout": "HASH_CHUNKED", "score": best_score(bench, python, about)}
    report, found = bench.answer(system.runner, python, part, beam=system.beam, top_k=TOP_K, **about)
    parts = ("label_features_cpu", "cluster_cpu", "train_cpu", "fit_cpu")
    train_cpu = sum(learned[each] for each in parts if each in learned)
    predict_cpu = report["batch_cpu"] / bench.matrices.n_rows[part] * 1000
    figures = {"train_cpu": train_cpu, "predict_cpu": predict_cpu, "disk": learned["disk_mb"]}
    single = {"single": report["single_cpu_ms"]} if "single_cpu_ms" in report else {}
    return figures | single, found


def best_score(bench: Bench, python: Path, about: dict[str, object]) -> str:
    """PECOS's path score with the best precision@5 on dev."""
    truth = sparse.load_npz(bench.matrices.path("Y_dev.npz"))

    def precision(score: str) -> float:
        job = about | {"layout": "HASH_CHUNKED", "score": score}
        _, found = bench.answer("pecos", python, "dev", top_k=5, **job)
        metrics = extreme_metrics(truth, ranked_labels(found, 5), config=ExtremeConfig(at=(5,), n_draws=1)).metrics
        return metrics[0].value

    bench.choices["post_processor"] = max(PECOS_SCORES, key=precision)
    return bench.choices["post_processor"]


def rows_of(
    suite: str, measured: dict[str, tuple[list[dict[str, float]], sparse.csr_matrix]], truth: sparse.csr_matrix,
    training: LabelFrequencies, settings: dict[str, object],
) -> Iterator[ResultRow]:  # fmt: skip
    """Quality of each system with intervals, its costs, and the costs of peers as multiples of ours."""
    config = ExtremeConfig(at=(1, 3, 5, 10, TOP_K))
    for name, (repeats, found) in measured.items():
        about = {**settings, "beam": SYSTEMS[name].beam, "options": SYSTEMS[name].options}
        result = extreme_metrics(truth, ranked_labels(found, TOP_K), training, config)
        kept = [metric for metric in result.metrics if metric.name in METRICS]
        yield from metric_rows(kept, suite, name, about)
        for metric in repeats[0]:
            values = [figures[metric] for figures in repeats]
            yield spread(suite, metric, name, values, UNITS[metric], about)
            if name != OURS and OURS in measured:
                ours = (figures[metric] for figures in measured[OURS][0])
                ratios = [value / max(own, 1e-9) for value, own in zip(values, ours, strict=False)]
                about_ratio = {**about, "ratio": RATIO_MEANS}
                yield spread(suite, f"{metric}_ratio", f"{OURS}/{name}", ratios, "x", about_ratio)


def compare(
    dataset: str, systems: Sequence[str], part: str, n_documents: int | None, max_cpu: int, n_repeats: int = 1
) -> list[ResultRow]:
    """All rows of one set."""
    of_set = matrices(dataset, n_documents)
    n_rows = {"train": of_set.X_train.shape[0], "dev": of_set.X_dev.shape[0], "test": of_set.X_test.shape[0]}
    n_labels, n_features = of_set.Y_train.shape[1], of_set.X_train.shape[1]
    bench = Bench(on_disk.Matrices(dataset, of_set.folder, n_labels, n_rows, n_features), n_threads=1)
    measured: dict[str, tuple[list[dict[str, float]], sparse.csr_matrix]] = {}
    given_up: set[str] = set()
    for name in (name for _ in range(n_repeats) for name in systems if name not in given_up):
        print(f"{dataset}: {name} ...", file=sys.stderr, flush=True)
        try:
            figures, found = measure(bench, name, part, max_cpu)
            measured[name] = ([*measured[name][0], figures] if name in measured else [figures], found)
        except SystemExit as stopped:
            print(f"{dataset}: {name} has no result (it may take {max_cpu} CPU seconds): {stopped}", file=sys.stderr)
            given_up.add(name)
    size = "" if n_documents is None else f"-{n_documents}"
    settings = {
        "split": part, "n_documents": n_rows["train"], "n_labels": n_labels, "n_features": n_features, "n_threads": 1,
        **bench.choices,
    }  # fmt: skip
    truth = of_set.Y_test if part == "test" else of_set.Y_dev
    suite = f"xmc/{dataset}{size}" + ("" if part == "test" else "/dev")
    return list(rows_of(suite, measured, truth, LabelFrequencies.of(of_set.Y_train), settings))


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", choices=list(DATASETS), help="may be repeated [yso_en]")
    parser.add_argument("--system", action="append", choices=list(SYSTEMS), help="may be repeated [all but one-vs-all]")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--documents", type=int, help="training documents, the first so many [all]")
    parser.add_argument("--max-cpu", type=int, default=3600, help="seconds that a system may train or predict")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--dry", action="store_true", help="print only, record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry)
    for dataset in options.dataset or ["yso_en"]:
        rows = compare(
            dataset, options.system or DEFAULT, options.part, options.documents, options.max_cpu, options.repeats
        )
        for row in rows:
            print(f"{row.suite:20} {row.system:24} {row.metric:18} {row.value:g} {row.unit}")
        if not options.dry:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
