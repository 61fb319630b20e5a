"""Brute force with Deixis' own solver: every label learns from all instances, and every label is scored."""

from pathlib import Path

import numpy as np
from measuring import Report, disk_mb, main
from scipy import sparse

from deixis.config import config_from_dict
from deixis.xmr.linear_rankers import RankerConfig, train_level
from deixis.xmr.sparse_rows import SparseRows

GROUP = 64  # labels solved together: what a round reads and writes of them stays in the caches


def fit(job: dict) -> dict:
    """Train and save."""
    report = Report()
    X, Y = SparseRows.of(sparse.load_npz(job["X_train"])), SparseRows.of(sparse.load_npz(job["Y_train"]))
    n_groups = -(-Y.n_columns // GROUP)
    starts = np.minimum(np.arange(n_groups + 1, dtype=np.int64) * GROUP, Y.n_columns)
    everything = sparse.csc_matrix(np.ones((X.n_rows, 1), dtype=np.float32))
    instances = sparse.hstack([everything] * n_groups, format="csc")
    config = config_from_dict(RankerConfig, job.get("options", {}))
    with report.clock("fit"):
        level = train_level(X, Y, instances, starts, config, n_threads=job["threads"])
    weights, biases = level.weights_by_child(X.n_columns)
    folder = Path(job["work"]) / "model"
    folder.mkdir(exist_ok=True)
    sparse.save_npz(folder / "weights.npz", weights.astype(np.float32), compressed=False)
    np.save(folder / "biases.npy", biases)
    report["disk_mb"] = disk_mb(str(folder))
    return report


def infer(job: dict) -> dict:
    """Score every label of every query, keep the best; predictions go to `job["out"]`."""
    report = Report()
    X = sparse.load_npz(job["X_query"]).tocsr()
    folder = Path(job["work"]) / "model"
    with report.clock("load"):
        weights, biases = sparse.load_npz(folder / "weights.npz").tocsr(), np.load(folder / "biases.npy")
    k, labels, scores = job["top_k"], [], []
    with report.clock("batch"):
        for first in range(0, X.shape[0], 500):
            margins = (X[first : first + 500] @ weights).toarray() + biases
            best = np.argpartition(-margins, k, axis=1)[:, :k]
            labels.append(best)
            scores.append(np.take_along_axis(margins, best, axis=1))
    indptr = np.arange(X.shape[0] + 1) * k
    values = (np.exp(np.concatenate(scores).ravel()), np.concatenate(labels).ravel(), indptr)  # above 0, same order
    sparse.save_npz(job["out"], sparse.csr_matrix(values, (X.shape[0], job["n_labels"])), compressed=False)
    return report


if __name__ == "__main__":
    main({"fit": fit, "infer": infer})
