"""napkinXC's side of the benchmark; run by the Python of `.venv-napkinxc`, never imported by the project."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measuring import Report, disk_mb, main, resident_mb
from napkinxc.models import PLT


def fit(job: dict) -> dict:
    """Build the tree and train, in one call that writes the model too."""
    report = Report()
    X, Y = sp.load_npz(job["X_train"]).tocsr(), sp.load_npz(job["Y_train"]).tocsr()
    labels = [Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist() for row in range(Y.shape[0])]
    folder = str(Path(job["work"]) / "model")
    model = PLT(folder, threads=job["threads"], seed=0, **job.get("options", {}))
    with report.clock("fit"):
        model.fit(X, labels)
    report["disk_mb"] = disk_mb(folder)
    return report


def infer(job: dict) -> dict:
    """Load and answer all queries; predictions go to `job["out"]`."""
    report = Report()
    X = sp.load_npz(job["X_query"]).tocsr()
    report["rss_before_mb"] = resident_mb()
    model = PLT(str(Path(job["work"]) / "model"), threads=job["threads"], **job.get("options", {}))
    with report.clock("load"):
        model.load()
    with report.clock("batch"):
        found = model.predict_proba(X, top_k=job["top_k"])
    report["rss_mb"] = resident_mb() - report["rss_before_mb"]
    indptr = np.cumsum([0, *map(len, found)])
    flat = [pair for pairs in found for pair in pairs]
    labels, scores = np.array([p[0] for p in flat], np.int32), np.array([p[1] for p in flat], np.float32)
    sp.save_npz(job["out"], sp.csr_matrix((scores, labels, indptr), (X.shape[0], job["n_labels"])), compressed=False)
    return report


if __name__ == "__main__":
    main({"fit": fit, "infer": infer})
