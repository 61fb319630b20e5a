"""The systems compared: each does its jobs in processes of its own Python and gives figures of the same names."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.speed.bench_raw_text import EARLIER, earlier_python
from benchmarks.speed.matrices import Matrices
from benchmarks.speed.peer_env import peer_python

RUNNERS = Path(__file__).resolve().parent / "peers"
BEAM, TOP_K = 10, 20
RECALL_AT = (1, 5, 10, 20)
LOOK_SECONDS = 0.5  # between looks at what a job has needed so far
PECOS_LAYOUTS = ("BINARY_SEARCH_CHUNKED", "HASH_CHUNKED", "CSC")
PECOS_SCORES = ("noop", "sigmoid", "l1-hinge", "l2-hinge", "l3-hinge", "l4-hinge", "l5-hinge")

EARLIER_DEIXIS = f"deixis-{EARLIER}"

Figures = dict[str, float]


@dataclass(frozen=True)
class Bench:
    """One task on one machine: what jobs have in common."""

    matrices: Matrices
    n_threads: int
    choices: dict[str, str] = field(default_factory=dict)  # made on dev in the first repeat

    def run(self, system: str, python: Path, variant: str | None = None, **job: object) -> dict:
        """Do one job and read its report; variants of a system keep their models apart."""
        return run_job(system, python, self.matrices.folder / (variant or system), self.n_threads, job)

    def fit(self, system: str, python: Path, **job: object) -> dict:
        """Learn from the training part."""
        paths = {name: self.matrices.path(f"{name}.npz") for name in ("X_train", "Y_train")}
        return self.run(system, python, action="fit", **paths, **job)

    def answer(
        self, system: str, python: Path, part: str, *, beam: int = BEAM, top_k: int = TOP_K, variant: str | None = None,
        **job: object,
    ) -> tuple[dict, sparse.csr_matrix]:  # fmt: skip
        """Answer the queries of a part; the report, and docs_by_labels scores."""
        out = str(self.matrices.folder / (variant or system) / "found.npz")
        report = self.run(
            system, python, variant, action="infer", X_query=self.matrices.path(f"X_{part}.npz"), out=out, beam=beam,
            top_k=top_k, n_labels=self.matrices.n_labels, **job,
        )  # fmt: skip
        return report, sparse.load_npz(out).tocsr()

    def infer(self, system: str, python: Path, part: str = "test", **job: object) -> tuple[dict, np.ndarray]:
        """Answer the queries of a part; the report, and the rank of each query's gold label."""
        report, found = self.answer(system, python, part, **job)
        gold = sparse.load_npz(self.matrices.path(f"Y_{part}.npz")).tocsr()
        return report, gold_ranks(found, gold.indices)

    def tfidf(self, system: str, python: Path) -> Figures:
        """Fit TF-IDF on the task's texts."""
        report = self.run(system, python, action="tfidf", texts=self.matrices.path("texts.json"))
        return {"tfidf_cpu": report["tfidf_fit_cpu"], "tfidf_transform_cpu": report["tfidf_transform_cpu"]}

    def query_figures(self, report: dict) -> Figures:
        """What an inference report says, under the names of rows."""
        return {
            "batch_cpu": report["batch_cpu"] / self.matrices.n_rows["test"] * 1e6,
            "latency": report["single_cpu_ms"],
            "rss": report["rss_mb"],
            "load_cpu": report["load_cpu"],
        }


def run_job(system: str, python: Path, work: Path, n_threads: int, job: dict) -> dict:
    """What a system's runner reports of a job; SystemExit if it fails, or needs more CPU seconds than `max_cpu`.

    The limit is looked after from outside: in a process with a limit of its own (`RLIMIT_CPU`) the clock of CPU seconds
    advances in ticks of milliseconds.
    """
    work.mkdir(parents=True, exist_ok=True)
    job_file, report_file, errors = work / "job.json", work / "report.json", work / "stderr.txt"
    job_file.write_text(json.dumps({"work": str(work), "threads": n_threads, **job}))
    max_cpu = job.get("max_cpu")
    with open(errors, "w") as stream:
        running = subprocess.Popen(
            [python, RUNNERS / f"run_{system}.py", job_file, report_file],
            env=quiet_threads(n_threads), stdout=subprocess.DEVNULL, stderr=stream,
        )  # fmt: skip
        try:
            while running.poll() is None:
                if max_cpu is not None and cpu_of(running.pid) > max_cpu:
                    raise SystemExit(f"{system} was given up at {job['action']}: more than {max_cpu} CPU seconds")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(timeout=LOOK_SECONDS)
        finally:
            running.kill()  # nothing, if it has ended
            running.wait()
    if running.returncode != 0:
        raise SystemExit(f"{system} failed at {job['action']}:\n{errors.read_text()[-3000:]}")
    return json.loads(report_file.read_text())


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quiet_threads(n_threads: int) -> dict[str, str]:
    """An environment in which OpenMP threads wait without burning CPU, and linear algebra keeps to one thread."""
    settings = {"OMP_NUM_THREADS": str(n_threads), "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
    return {**os.environ, **settings}


def gold_ranks(found: sparse.csr_matrix, gold: np.ndarray) -> np.ndarray:
    """The place of each row's gold label among its scores, 0 the best; the number of labels where it is missing."""
    ranks = np.full(found.shape[0], found.shape[1], dtype=np.int64)
    for row, label in enumerate(gold):
        begin, end = found.indptr[row], found.indptr[row + 1]
        place = np.flatnonzero(found.indices[begin:end] == label)
        if len(place):
            scores = found.data[begin:end]
            ranks[row] = np.count_nonzero(scores > scores[place[0]])
            ranks[row] += np.count_nonzero(scores[: place[0]] == scores[place[0]])
    return ranks


def recall(ranks: np.ndarray, k: int) -> float:
    """Share of queries whose gold label is among the best k."""
    return float(np.mean(ranks < k))


@dataclass(frozen=True)
class Measured:
    """One repeat of one system."""

    figures: Figures
    ranks: np.ndarray
    settings: dict[str, object]


def measure_deixis(bench: Bench) -> Measured:
    """Ours, with the library's default settings."""
    return measure_ours(bench, "deixis", Path(sys.executable))


def measure_earlier(bench: Bench) -> Measured:
    """An earlier commit of ours, built from the repository's history, with its default settings."""
    return measure_ours(bench, EARLIER_DEIXIS, earlier_python(EARLIER))


def measure_ours(bench: Bench, variant: str, python: Path) -> Measured:
    """Deixis as it is installed in an environment."""
    learned = bench.fit("deixis", python, variant=variant)
    report, ranks = bench.infer("deixis", python, variant=variant)
    figures = learned_figures(learned) | bench.query_figures(report) | bench.tfidf("deixis", python)
    return Measured(figures, ranks, {"beam": BEAM})


def measure_pecos(bench: Bench) -> Measured:
    """PECOS at its best: the path score that is best on dev, and for each figure the layout that is best at it."""
    python = peer_python("pecos")
    learned = bench.fit("pecos", python)
    score = best_score(bench, python)
    reports = {layout: bench.infer("pecos", python, layout=layout, score=score) for layout in PECOS_LAYOUTS}
    by_layout = [bench.query_figures(report) for report, _ in reports.values()]
    figures = learned_figures(learned) | {name: min(f[name] for f in by_layout) for name in by_layout[0]}
    ranks = next(iter(reports.values()))[1]
    return Measured(figures | bench.tfidf("pecos", python), ranks, {"beam": BEAM, "post_processor": score})


def best_score(bench: Bench, python: Path, scores: Sequence[str] = PECOS_SCORES) -> str:
    """The post-processor with the best recall@10 on dev."""
    if "post_processor" not in bench.choices:
        on_dev = {s: bench.infer("pecos", python, "dev", layout="HASH_CHUNKED", score=s)[1] for s in scores}
        bench.choices["post_processor"] = max(scores, key=lambda s: recall(on_dev[s], 10))
    return bench.choices["post_processor"]


def measure_omikuji(bench: Bench) -> Measured:
    """Omikuji with its defaults: three deep binary trees, clustered and trained in one call."""
    python = peer_python("omikuji")
    learned = bench.fit("omikuji", python)
    report, ranks = bench.infer("omikuji", python)
    figures = {"fit_cpu": learned["fit_cpu"], "disk": learned["disk_mb"]} | bench.query_figures(report)
    return Measured(figures, ranks, {"beam": BEAM, "defaults": True})


def learned_figures(report: dict) -> Figures:
    """What a training report says, under the names of rows."""
    both = report["cluster_cpu"] + report["train_cpu"]
    return {
        "cluster_cpu": report["cluster_cpu"],
        "train_cpu": report["train_cpu"],
        "fit_cpu": both + report["label_features_cpu"],
        "disk": report["disk_mb"],
    }


SYSTEMS: dict[str, Callable[[Bench], Measured]] = {
    "deixis": measure_deixis,
    "pecos": measure_pecos,
    "omikuji": measure_omikuji,
    EARLIER_DEIXIS: measure_earlier,
}
DEFAULT = [name for name in SYSTEMS if name != EARLIER_DEIXIS]
