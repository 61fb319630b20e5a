"""What a batch search of a label tree reads, and its limit on paper: `python -m benchmarks.speed.bench_tree_reads`.

On the laws of eurlex57k (dev), with the labeller's default settings. Counted are the looks at a parent's buckets, one
for each feature of a row and parent in its beam, and the entries (five bytes) of features that both have. The limit is
the time in which this process reads as many bytes one after the other, at the rate of a sum over an array that no cache
holds: nothing that reads each of them once can be faster, and hardly anything that jumps between them comes near.
"""

import argparse
import sys
import time
from statistics import median

import numpy as np

from benchmarks.rows import record, start_run
from benchmarks.speed.summary import spread
from benchmarks.xmc.matrices import matrices
from deixis.evaluation.rows import ResultRow
from deixis.xmr.beam_search import TreeSearcher
from deixis.xmr.linear_rankers import ENTRY
from deixis.xmr.model import LABELLING, LabelTreeRanker, RankedTree
from deixis.xmr.sparse_rows import SparseRows

SUITE = "tree_reads/eurlex57k"
N_TRAINING, N_QUERIES, TOP_K, N_ROUNDS = 10_000, 2_000, 100, 5
UNITS = {"probes": "looks", "entries": "entries", "bytes": "kB", "limit": "us/row", "batch": "us/row"}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows = measure()
    for row in rows:
        print(f"{row.system:8} {row.metric:8} {row.value:10.1f} {row.unit}")
    if not options.dry_run:
        record(rows)
    return 0


def measure() -> list[ResultRow]:
    """The counts per row, the limit and the time that a batch takes."""
    of_set = matrices("eurlex57k", N_TRAINING)
    ranker = LabelTreeRanker(LABELLING, n_threads=1).fit(of_set.X_train, of_set.Y_train)
    queries = of_set.X_dev[:N_QUERIES]
    n_rows = queries.shape[0]
    probes, entries = reads(ranker.trees[0], SparseRows.of(queries, "queries"))
    n_bytes = probes + ENTRY.itemsize * entries
    times = []
    for _ in range(N_ROUNDS + 1):
        begin = time.process_time()
        ranker.rank(queries, TOP_K)
        times.append((time.process_time() - begin) / n_rows * 1e6)
    figures = {
        "probes": [probes / n_rows], "entries": [entries / n_rows], "bytes": [n_bytes / n_rows / 1e3],
        "limit": [n_bytes / n_rows / rate * 1e6 for rate in bytes_per_second()], "batch": times[1:],
    }  # fmt: skip
    about = {"n_queries": n_rows, "n_training": N_TRAINING, "beam": LABELLING.beam.width, "n_threads": 1}
    return [spread(SUITE, name, "deixis", values, UNITS[name], about) for name, values in figures.items()]


def reads(tree: RankedTree, queries: SparseRows) -> tuple[int, int]:
    """Looks at buckets, and entries of the features asked for, of all rows together."""
    probes = entries = 0
    beams = np.zeros((queries.n_rows, 1), dtype=np.int64)
    lengths = np.diff(queries.indptr)
    for t, level in enumerate(tree.levels):
        features_by_children, _ = level.weights_by_child(tree.n_features)
        parent_of = np.repeat(np.arange(len(level.child_starts) - 1), np.diff(level.child_starts))
        weights = features_by_children.tocoo()
        keys = weights.row.astype(np.int64) * len(level.child_starts) + parent_of[weights.col]
        known, counts = np.unique(keys, return_counts=True)
        for row in range(queries.n_rows):
            columns = queries.indices[queries.indptr[row] : queries.indptr[row + 1]].astype(np.int64)
            asked = (columns[:, None] * len(level.child_starts) + beams[row][None, :]).ravel()
            places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            entries += int(counts[places][known[places] == asked].sum())
            probes += int(lengths[row]) * beams.shape[1]
        if t + 1 < len(tree.levels):
            width = min(LABELLING.beam.width, len(tree.levels[t].arrays["biases"]))
            searcher = TreeSearcher(tree.levels[: t + 1], tree.n_features)
            beams = searcher.search(queries, width, LABELLING.beam, 1)[1].reshape(queries.n_rows, -1).astype(np.int64)
    return probes, entries


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
