"""Omikuji's side of the benchmark; run by the Python of `.venv-omikuji`, never imported by the project."""

import shutil
from pathlib import Path

import numpy as np
import omikuji
import scipy.sparse as sp
from measuring import N_LATENCY_QUERIES, Report, disk_mb, main, resident_mb


def fit(job: dict) -> dict:
    """Train and save; omikuji clusters and trains in one call, so `cluster` is not measured apart."""
    report = Report()
    data = Path(job["work"]) / "train.txt"
    if not data.exists() or data.stat().st_mtime < Path(job["X_train"]).stat().st_mtime:
        write_xmc(data, sp.load_npz(job["X_train"]).tocsr(), sp.load_npz(job["Y_train"]).tocsr())
    options = omikuji.Model.default_hyper_param()
    for name, value in job.get("options", {}).items():
        setattr(options, name, value)
    with report.clock("fit"):  # reads the text file too: its API offers no other way in
        model = omikuji.Model.train_on_data(str(data), options, n_threads=job["threads"])
    folder = Path(job["work"]) / "model"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    model.save(str(folder))
    report["disk_mb"] = disk_mb(str(folder))
    report["options"] = {name: str(getattr(options, name)) for name in dir(options)}
    return report


def write_xmc(path: Path, X: sp.csr_matrix, Y: sp.csr_matrix) -> None:
    """The training data in the text format of the XMC repository, but for empty rows, which omikuji refuses."""
    is_kept = (np.diff(X.indptr) > 0) & (np.diff(Y.indptr) > 0)
    with open(path, "w") as out:
        out.write(f"{is_kept.sum()} {X.shape[1]} {Y.shape[1]}\n")
        for row in np.flatnonzero(is_kept):
            labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]]))
            pairs = (f"{column}:{value:.6g}" for column, value in pairs_of(X, row))
            out.write(labels + " " + " ".join(pairs) + "\n")


def pairs_of(X: sp.csr_matrix, row: int) -> list[tuple[int, float]]:
    """One row as the pairs that omikuji's API takes."""
    begin, end = X.indptr[row], X.indptr[row + 1]
    return list(zip(X.indices[begin:end].tolist(), X.data[begin:end].tolist(), strict=True))


def infer(job: dict) -> dict:
    """Load and answer queries one after the other, the only way its API has; predictions go to `job["out"]`."""
    report = Report()
    X = sp.load_npz(job["X_query"]).tocsr()
    X.sort_indices()
    rows = [pairs_of(X, row) for row in range(X.shape[0])]
    report["rss_before_mb"] = resident_mb()
    with report.clock("load"):
        model = omikuji.Model.load(str(Path(job["work"]) / "model"))
    model.init_prediction_thread_pool(1)

    def answer(row: list) -> list:
        return model.predict(row, beam_size=job["beam"], top_k=job["top_k"])

    with report.clock("batch"):
        found = [answer(row) for row in rows]
    report["rss_after_mb"] = resident_mb()
    report["rss_mb"] = report["rss_after_mb"] - report["rss_before_mb"]
    report.latency("single", answer, rows[:N_LATENCY_QUERIES])
    indptr = np.cumsum([0, *map(len, found)])
    flat = [pair for pairs in found for pair in pairs]
    labels, scores = np.array([p[0] for p in flat], np.int32), np.array([p[1] for p in flat], np.float32)
    sp.save_npz(job["out"], sp.csr_matrix((scores, labels, indptr), (X.shape[0], job["n_labels"])), compressed=False)
    return report


if __name__ == "__main__":
    main({"fit": fit, "infer": infer})
