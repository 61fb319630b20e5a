"""What label texts as training points are worth (Gandalf): `python -m benchmarks.xmc.gandalf RANKER [--documents N]`.

RANKER is `tree` (the linear label tree, soft targets as costs of its SVMs) or `bag` (a frugal bag-of-embeddings encoder
with one classifier a label, soft targets in its cross-entropy). Each learns from N training documents, drawn evenly, of
a set of short titles and named labels (`yso_en`): without label texts, with each as a text of its own label, and with
soft targets above several thresholds (the paper's Table 3). Where label texts are learned from, their words are in the
vocabulary, as in `deixis xmr train`. Label texts make epochs longer; `none-as-long` goes without them for as many
steps. All are measured on dev. Hits among the first five are also counted by the frequency of the label (Fig. 2): bins
1 (most frequent) to 5 (rarest) hold equally many of the training documents' labels, `unseen` has those that none has.
`--test` also measures on the test split; nothing may be chosen by it.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.xmc.matrices import Matrices, matrices
from deixis.evaluation.labels.extreme import extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import TrueLabels, ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.xmr.label_augmentation import AugmentationConfig, augmented
from deixis.xmr.label_graph import LabelGraphConfig
from deixis.xmr.model import LABELLING, LabelTreeRanker

DATASET = "yso_en"
TOP = 5
SEED = 0
N_BINS = 5
N_NEGATIVES = 1000
SYSTEMS = {
    "none": AugmentationConfig("none"),
    "none-as-long": AugmentationConfig("none"),
    "self": AugmentationConfig("self"),
    "soft-0": AugmentationConfig("soft", 0.0, threshold_of="share"),
    "soft-0.1": AugmentationConfig("soft", 0.1, threshold_of="share"),
    "soft-0.2": AugmentationConfig("soft", 0.2, threshold_of="share"),
    "soft-0.3": AugmentationConfig("soft", 0.3, threshold_of="share"),
    "visits-0.1": AugmentationConfig("soft", 0.1, LabelGraphConfig(weighting="visits"), "share"),
}
Ranker = Callable[[Any, int], sparse.csr_matrix]  # rows of features, k -> docs_by_labels


def fit_tree(X: sparse.csr_matrix, Y: sparse.csr_matrix, longer: float = 1.0) -> Ranker:
    """The library's label tree for labelling; it is learned until nothing changes, so never for longer."""
    return LabelTreeRanker(LABELLING, seed=SEED, n_threads=1).fit(X, Y, is_soft=True).rank


def fit_bag(X: sparse.csr_matrix, Y: sparse.csr_matrix, longer: float = 1.0) -> Ranker:
    """The frugal ranker, by the library's own settings but for the labels of a step: some, not all."""
    import torch

    from deixis.neural.one_vs_all.config import OneVsAllConfig
    from deixis.neural.one_vs_all.train import train_one_vs_all

    torch.set_num_threads(1)
    n_epochs = math.ceil(OneVsAllConfig().n_epochs * longer)
    return train_one_vs_all(X, Y, OneVsAllConfig(n_epochs=n_epochs, n_negatives=N_NEGATIVES), SEED).rank


RANKERS = {"tree": fit_tree, "bag": fit_bag}


def measure(ranker: str, systems: Sequence[str], n_documents: int | None, has_test: bool) -> Iterator[ResultRow]:
    """The rows of each system on dev, and on test if that is wanted."""
    plain, with_words = (matrices(DATASET, n_documents, has_title_words=has) for has in (False, True))
    size = "all" if n_documents is None else f"{n_documents // 1000}k"
    suite = f"gandalf/{DATASET}-{size}-{ranker}"
    about = {"documents": plain.X_train.shape[0], "seed": SEED, "threads": 1}
    training = LabelFrequencies.of(plain.Y_train)
    for system in systems:
        of_set = plain if SYSTEMS[system].kind == "none" else with_words
        longer = as_long(with_words) if system == "none-as-long" else 1.0
        rank, cpu, n_targets = fitted(of_set, SYSTEMS[system], RANKERS[ranker], longer)
        on_dev = about | {"split": "dev"}
        yield from judged(suite, system, of_set.Y_dev, rank(of_set.X_dev, TOP), training, on_dev)
        yield ResultRow(suite, "train_cpu", system, round(cpu, 1), "s", settings=on_dev)
        yield ResultRow(suite, "targets", system, round(n_targets, 3), "labels/text", settings=on_dev)
        if has_test:
            on_test = about | {"split": "test"}
            yield from judged(f"{suite}-test", system, of_set.Y_test, rank(of_set.X_test, TOP), training, on_test)


def judged(
    suite: str,
    system: str,
    truth: sparse.csr_matrix,
    ranked: sparse.csr_matrix,
    training: LabelFrequencies,
    about: dict[str, Any],
) -> Iterator[ResultRow]:
    """The metrics of a ranking, and what labels of each frequency add to precision."""
    found = ranked_labels(ranked, TOP)
    yield from metric_rows(extreme_metrics(truth, found, training).metrics, suite, system, about)
    for name, value in by_frequency(truth, found, training).items():
        yield ResultRow(suite, f"precision@{TOP}/{name}", system, value, "share", n=truth.shape[0], settings=about)


def as_long(of_set: Matrices) -> float:
    """How many times more steps label texts make of an epoch; without them as many are due in a fair comparison."""
    n_texts = int((np.diff(of_set.labels_by_features.indptr) > 0).sum())
    return 1 + n_texts / of_set.X_train.shape[0]


def fitted(
    of_set: Matrices, config: AugmentationConfig, fit: Callable[[Any, Any, float], Ranker], longer: float = 1.0
) -> tuple[Ranker, float, float]:
    """The ranker, the processor time to make it, and how many labels a label text has on average."""
    before = time.process_time()
    X, Y = augmented(of_set.X_train, of_set.Y_train, of_set.labels_by_features, config, SEED, n_threads=1)
    n_texts = X.shape[0] - of_set.X_train.shape[0]
    n_targets = (Y.nnz - of_set.Y_train.nnz) / max(1, n_texts)
    return fit(X, Y, longer), time.process_time() - before, n_targets


def by_frequency(
    docs_by_labels: sparse.csr_matrix, found: NDArray[np.int64], training: LabelFrequencies
) -> dict[str, float]:
    """What hits on labels of each bin add to precision; all of them sum to it."""
    deciles = training.deciles()
    bins = np.where(deciles > 0, N_BINS + 1 - (deciles + 1) // 2, 0)  # 1 is the most frequent fifth, 0 was never seen
    hits = TrueLabels.of(docs_by_labels, None).holds(found)
    n_hits = np.bincount(bins[found[hits]], minlength=N_BINS + 1)
    has_labels = int((np.diff(docs_by_labels.indptr) > 0).sum())
    shares = [round(float(n) / (found.shape[1] * has_labels), 6) for n in n_hits]
    return {f"bin-{number}": shares[number] for number in range(1, N_BINS + 1)} | {"unseen": shares[0]}


def gains(rows: Sequence[ResultRow]) -> Iterator[ResultRow]:
    """How much each system has of what no label texts give, as ratios."""
    plain = {(row.suite, row.metric): row for row in rows if row.system == "none"}
    for row in rows:
        base = plain.get((row.suite, row.metric))
        if base is not None and row.system != "none" and row.metric in ("precision@1", "psp@1") and base.value:
            ratio = round(row.value / base.value, 4)
            yield replace(row, metric=f"{row.metric}_ratio", system=f"{row.system}/none", value=ratio, unit="x",
                          low=None, high=None)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ranker", choices=RANKERS)
    parser.add_argument("--documents", type=int, metavar="N", help="training documents, drawn evenly; all unless given")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), metavar="SYSTEM")
    parser.add_argument("--test", action="store_true", help="also on the test split; nothing may be chosen by it")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows: list[ResultRow] = []
    try:
        for row in measure(options.ranker, options.systems, options.documents, options.test):
            rows.append(row)
            if row.metric.startswith(("precision", "psp", "train", "targets")):
                print(f"{row.suite:28} {row.system:14} {row.metric:20} {row.value:.4f} {row.unit}", flush=True)
    except KeyboardInterrupt:
        print("stopped; what was measured until now is kept")
    rows += gains(rows)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
