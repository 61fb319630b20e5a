import numpy as np
import pytest
from scipy import sparse

from benchmarks.xmc import gandalf
from benchmarks.xmc.matrices import Matrices
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.rows import ResultRow


def random_labels(n_documents, n_labels, seed):
    return sparse.random(n_documents, n_labels, density=0.2, random_state=seed, format="csr")


def test_what_the_bins_add_sums_to_precision():
    truth, training = random_labels(40, 30, 0), LabelFrequencies.of(random_labels(25, 30, 1))
    found = np.array([np.random.default_rng(n).permutation(30)[:5] for n in range(40)])
    shares = gandalf.by_frequency(truth, found, training)
    metrics = extreme_metrics(truth, found, training, ExtremeConfig(at=[5], n_draws=2)).metrics
    precision = next(metric.value for metric in metrics if metric.name == "precision@5")
    assert sum(shares.values()) == pytest.approx(precision, abs=1e-5)


def test_bin_1_has_the_most_frequent_labels_and_unseen_those_that_no_document_has():
    counts = np.array([0, 1, 1, 1, 1, 4, 4, 4, 8, 8])
    training = LabelFrequencies(counts, 8)
    truth = sparse.csr_matrix(np.eye(10))
    shares = gandalf.by_frequency(truth, np.arange(10)[:, None], training)
    assert shares["unseen"] == pytest.approx(0.1)
    assert shares["bin-1"] == pytest.approx(0.1)  # the last label: a quarter of all occurrences
    assert shares["bin-5"] >= 0.4  # the four that stand once


def test_gains_are_ratios_to_no_label_texts():
    rows = [
        ResultRow("s", "precision@1", system, value, "share") for system, value in (("none", 0.2), ("soft-0.1", 0.3))
    ]
    (gain,) = gandalf.gains(rows)
    assert (gain.metric, gain.system, gain.value, gain.unit) == ("precision@1_ratio", "soft-0.1/none", 1.5, "x")


def test_the_tree_learns_from_label_texts_what_documents_do_not_say(tmp_path):
    # Label 2 has no document: only its text, the third word, tells of it.
    X, Y = sparse.csr_matrix(np.eye(2, 3, dtype=np.float32)), sparse.csr_matrix(np.eye(2, 3))
    of_set = Matrices(tmp_path, X, Y, X, Y, X, Y, sparse.csr_matrix(np.eye(3, dtype=np.float32)))
    rank, _, n_targets = gandalf.fitted(of_set, gandalf.SYSTEMS["self"], gandalf.fit_tree)
    assert n_targets == 1
    assert rank(np.eye(3, dtype=np.float32), 1).indices.tolist() == [0, 1, 2]
