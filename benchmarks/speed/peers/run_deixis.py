"""Deixis' side of the benchmark: the same jobs as its peers, in a process of its own like theirs."""

import json
from dataclasses import replace
from pathlib import Path

from measuring import N_LATENCY_QUERIES, Report, disk_mb, main, resident_mb
from scipy import sparse

from deixis.config import config_from_dict
from deixis.features.tfidf import TfidfVectorizer
from deixis.store.model_folder import open_model, save_model
from deixis.xmr.label_features import aggregate_positive_instances
from deixis.xmr.label_tree import build_label_tree
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker, RankedTree
from deixis.xmr.sparse_rows import SparseRows

KIND = "xmr"


def fit(job: dict) -> dict:
    """Cluster, train and save."""
    report = Report()
    config = config_from_dict(LabelTreeConfig, job.get("options", {}))
    X, Y = SparseRows.of(sparse.load_npz(job["X_train"])), SparseRows.of(sparse.load_npz(job["Y_train"]))
    ranker = LabelTreeRanker(config, n_threads=job["threads"])
    with report.clock("label_features"):
        labels_by_features = aggregate_positive_instances(X, Y)
    with report.clock("cluster"):
        trees = [
            build_label_tree(labels_by_features, config.tree, 1000 * number, job["threads"])
            for number in range(config.n_trees)
        ]
    with report.clock("train"):
        ranker.trees = tuple(RankedTree.train(X, Y, tree, config, 0, job["threads"]) for tree in trees)
    folder = Path(job["work"]) / "model"
    save_model(folder, KIND, {}, ranker.to_arrays(KIND))
    report["disk_mb"] = disk_mb(str(folder))
    return report


def infer(job: dict) -> dict:
    """Load, answer all queries at once, then a few one at a time; predictions go to `job["out"]`."""
    report = Report()
    config = config_from_dict(LabelTreeConfig, job.get("options", {}))
    config = replace(config, beam=replace(config.beam, width=job["beam"]))
    X = sparse.load_npz(job["X_query"])
    rows = [X[row] for row in range(min(N_LATENCY_QUERIES, X.shape[0]))]
    report["rss_before_mb"] = resident_mb()
    with report.clock("load"):
        arrays = open_model(Path(job["work"]) / "model", KIND).arrays
        ranker = LabelTreeRanker.from_arrays(arrays, KIND, config, n_threads=job["threads"])
    ranker.rank(X[:200], job["top_k"])
    with report.clock("batch"):
        found = ranker.rank(X, job["top_k"])
    report["rss_after_mb"] = resident_mb()
    report["rss_mb"] = report["rss_after_mb"] - report["rss_before_mb"]
    ranker.n_threads = 1
    report.latency("single", lambda row: ranker.rank_row(row.indices, row.data, job["top_k"]), rows)
    sparse.save_npz(job["out"], found, compressed=False)
    return report


def tfidf(job: dict) -> dict:
    """Fit and transform with the default features: case folding and NFKC are on."""
    report = Report()
    texts = json.loads(Path(job["texts"]).read_text())
    vectorizer = TfidfVectorizer()
    with report.clock("tfidf_fit"):
        vectorizer.fit(texts, job["threads"])
    with report.clock("tfidf_transform"):
        found = vectorizer.transform(texts, job["threads"])
    report["n_features"] = found.shape[1]
    return report


if __name__ == "__main__":
    main({"fit": fit, "infer": infer, "tfidf": tfidf})
