"""PECOS's side of the benchmark; run by the Python of `.venv-pecos`, never imported by the project."""

import json
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measuring import N_LATENCY_QUERIES, Report, disk_mb, main, resident_mb
from pecos.utils.featurization.text.vectorizers import Tfidf
from pecos.xmc import Indexer, LabelEmbeddingFactory
from pecos.xmc.xlinear.model import XLinearModel


def fit(job: dict) -> dict:
    """Cluster, train and save."""
    report = Report()
    X = sp.load_npz(job["X_train"]).astype(np.float32)
    Y = sp.load_npz(job["Y_train"]).astype(np.float32)
    threads = job["threads"]
    with report.clock("label_features"):
        labels_by_features = LabelEmbeddingFactory.create(Y, X, method="pifa", threads=threads)
    with report.clock("cluster"):
        chain = Indexer.gen(
            labels_by_features, indexer_type="hierarchicalkmeans", nr_splits=16, max_leaf_size=100, threads=threads
        )
    Y = Y.tocsc()
    with report.clock("train"):
        model = XLinearModel.train(
            X, Y, C=chain, nr_splits=16, Cp=1.0, Cn=1.0, eps=0.1, bias=1.0, threshold=0.1, threads=threads
        )
    folder = str(Path(job["work"]) / "model")
    model.save(folder)
    report["disk_mb"] = disk_mb(folder)
    return report


def infer(job: dict) -> dict:
    """Load one layout, answer all queries at once, then a few one at a time; predictions go to `job["out"]`."""
    report = Report()
    X = sp.load_npz(job["X_query"]).astype(np.float32)
    X.sort_indices()
    rows = [X[row] for row in range(min(N_LATENCY_QUERIES, X.shape[0]))]
    options = {
        "beam_size": job["beam"],
        "only_topk": job["top_k"],
        "post_processor": job.get("score", "l3-hinge"),
        "threads": job["threads"],
    }
    report["rss_before_mb"] = resident_mb()
    with report.clock("load"):
        model = XLinearModel.load(
            str(Path(job["work"]) / "model"), is_predict_only=True, weight_matrix_type=job["layout"]
        )
    model.predict(X[:200], **options)
    with report.clock("batch"):
        found = model.predict(X, **options)
    report["rss_after_mb"] = resident_mb()
    report["rss_mb"] = report["rss_after_mb"] - report["rss_before_mb"]
    report.latency("single", lambda row: model.predict(row, **{**options, "threads": 1}), rows)
    sp.save_npz(job["out"], found.tocsr(), compressed=False)
    return report


def tfidf(job: dict) -> dict:
    """Fit and transform the same texts with PECOS's own TF-IDF."""
    report = Report()
    texts = json.loads(Path(job["texts"]).read_text())
    config = {"ngram_range": (1, 2), "max_df_ratio": 0.98, "threads": job["threads"]}
    with report.clock("tfidf_fit"):
        vectorizer = Tfidf.train(texts, config)
    with report.clock("tfidf_transform"):
        found = vectorizer.predict(texts, threads=job["threads"])
    report["n_features"] = found.shape[1]
    return report


if __name__ == "__main__":
    main({"fit": fit, "infer": infer, "tfidf": tfidf})
