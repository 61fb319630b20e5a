"""What a batch search of a label tree reads, and its limit on paper: `python -m benchmarks.speed.bench_tree_reads`.

On the laws of eurlex57k (dev) with the labeller's default settings, and on WordNet's mentions (dev) with the linker's.
Counted are the probes of a parent's blocks (eight bytes), one for each feature of a row and parent in its beam, and the
entries of features that both have, with a header for each (three bytes, and two or three an entry). The limit is the
time in which this process reads as many bytes one after the other, at the rate of a sum over an array that no cache
holds: nothing that reads each of them once can be faster, and hardly anything that jumps between them comes near.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.speed.matrices import prepare
from benchmarks.speed.summary import spread
from benchmarks.speed.tasks import TASKS
from benchmarks.xmc.matrices import matrices
from deixis.evaluation.rows import ResultRow
from deixis.xmr.beam_search import BeamConfig, TreeSearcher
from deixis.xmr.model import LABELLING, LabelTreeConfig, LabelTreeRanker, RankedTree
from deixis.xmr.sparse_rows import SparseRows

N_TRAINING, N_QUERIES, N_ROUNDS = 10_000, 2_000, 5
BLOCK, HEADER = 8, 3  # bytes of a block, and of a group's header with its part of the block's count
UNITS = {"probes": "probes", "entries": "entries", "bytes": "kB", "limit": "us/row", "batch": "us/row"}


@dataclass(frozen=True)
class Task:
    """What a tree learns from and searches for, its settings, and the number of labels."""

    X: sparse.csr_matrix
    Y: sparse.csr_matrix
    queries: sparse.csr_matrix
    config: LabelTreeConfig
    k: int


def laws() -> Task:
    """Long rows, wide nodes."""
    of_set = matrices("eurlex57k", N_TRAINING)
    return Task(of_set.X_train, of_set.Y_train, of_set.X_dev[:N_QUERIES], LABELLING, 100)


def wordnet() -> Task:
    """Short rows, many labels."""
    of_task = prepare(TASKS["wordnet"]())
    X, Y, queries = (sparse.load_npz(of_task.path(f"{name}.npz")) for name in ("X_train", "Y_train", "X_dev"))
    return Task(X, Y, queries[:N_QUERIES], LabelTreeConfig(), 20)


SUITES: dict[str, Callable[[], Task]] = {"eurlex57k": laws, "wordnet": wordnet}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=SUITES, help="may be repeated [all]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    for suite in options.suite or SUITES:
        rows = measure(f"tree_reads/{suite}", SUITES[suite]())
        for row in rows:
            print(f"{row.suite:22} {row.system:8} {row.metric:8} {row.value:10.1f} {row.unit}")
        if not options.dry_run:
            record(rows)
    return 0


def measure(suite: str, task: Task) -> list[ResultRow]:
    """The counts per row, the limit and the time that a batch takes."""
    ranker = LabelTreeRanker(task.config, n_threads=1).fit(task.X, task.Y)
    n_rows = task.queries.shape[0]
    queries = SparseRows.of(task.queries, "queries")
    probes, entries, n_bytes = reads(ranker.trees[0], queries, task.config.beam)
    times = []
    for _ in range(N_ROUNDS + 1):
        begin = time.process_time()
        ranker.ranking(queries, task.k)
        times.append((time.process_time() - begin) / n_rows * 1e6)
    figures = {
        "probes": [probes / n_rows], "entries": [entries / n_rows], "bytes": [n_bytes / n_rows / 1e3],
        "limit": [n_bytes / n_rows / rate * 1e6 for rate in bytes_per_second()], "batch": times[1:],
    }  # fmt: skip
    about = {"n_queries": n_rows, "n_training": task.X.shape[0], "beam": task.config.beam.width, "n_threads": 1}
    return [spread(suite, name, "deixis", values, UNITS[name], about) for name, values in figures.items()]


def reads(tree: RankedTree, queries: SparseRows, beam: BeamConfig) -> tuple[int, int, int]:
    """Probes of blocks, entries of the features of both, and the bytes of both, of all rows together."""
    probes = entries = n_bytes = 0
    beams = np.zeros((queries.n_rows, 1), dtype=np.int64)
    lengths = np.diff(queries.indptr)
    for t, level in enumerate(tree.levels):
        features_by_children, _ = level.weights_by_child(tree.n_features)
        n_parents = len(level.child_starts) - 1
        parent_of = np.repeat(np.arange(n_parents), np.diff(level.child_starts))
        weights = features_by_children.tocoo()
        known, counts = np.unique(weights.row.astype(np.int64) * n_parents + parent_of[weights.col], return_counts=True)
        sizes = level.arrays["entry_sizes"].astype(np.int64)
        for row in range(queries.n_rows):
            columns = queries.indices[queries.indptr[row] : queries.indptr[row + 1]].astype(np.int64)
            probed = (columns[:, None] * n_parents + beams[row][None, :]).ravel()
            places = np.minimum(np.searchsorted(known, probed), len(known) - 1)
            is_known = known[places] == probed
            own = counts[places][is_known]
            entries += int(own.sum())
            probes += int(lengths[row]) * beams.shape[1]
            n_bytes += int((HEADER + own * sizes[probed[is_known] % n_parents]).sum())
        if t + 1 < len(tree.levels):
            width = min(beam.width, len(level.arrays["biases"]))
            searcher = TreeSearcher(tree.levels[: t + 1], tree.n_features)
            beams = searcher.search(queries, width, beam, 1)[1].reshape(queries.n_rows, -1).astype(np.int64)
    return probes, entries, n_bytes + BLOCK * probes


def bytes_per_second() -> list[float]:
    """The rate at which an array of 256 MB is summed, a few times."""
    values = np.ones(1 << 25, dtype=np.int64)
    rates = []
    for _ in range(N_ROUNDS):
        begin = time.process_time()
        values.sum()
        rates.append(values.nbytes / (time.process_time() - begin))
    return [median(rates), min(rates), max(rates)]


if __name__ == "__main__":
    sys.exit(main())
