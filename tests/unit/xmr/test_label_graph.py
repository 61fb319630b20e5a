import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError
from deixis.xmr.label_graph import LabelGraphConfig, exact_label_graph, label_graph

# Labels 0 and 1 always together, 2 once with 1, 3 alone, 4 without documents.
DOCS_BY_LABELS = sparse.csr_matrix(
    [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]
)
LONG = LabelGraphConfig(walk_length=30_000)


def dense(graph):
    return graph.toarray()


@pytest.mark.parametrize("weighting", ["visits", "symmetric"])
@pytest.mark.parametrize("restart", [0.0, 0.5, 0.8, 1.0])
def test_walks_come_to_what_power_iteration_says(restart, weighting):
    config = replace(LONG, restart=restart, weighting=weighting)
    assert np.abs(dense(label_graph(DOCS_BY_LABELS, config)) - exact_label_graph(DOCS_BY_LABELS, config)).max() < 0.02


def test_many_short_walks_come_to_the_exact_shares_of_short_walks():
    config = LabelGraphConfig(walk_length=2, restart=0.5, weighting="visits")  # linear in the visits, so means agree
    walked = [dense(label_graph(DOCS_BY_LABELS, config, seed)) for seed in range(1000)]
    assert np.abs(np.mean(walked, axis=0) - exact_label_graph(DOCS_BY_LABELS, config)).max() < 0.05


def test_a_label_reaches_others_only_through_documents():
    graph = dense(label_graph(DOCS_BY_LABELS, LONG))
    assert graph[0, 2] > 0  # by way of label 1
    assert graph[:3, 3:].sum() == 0
    assert graph[3].tolist() == [0, 0, 0, 1, 0]


def test_with_certain_restart_only_direct_neighbours_are_met():
    assert dense(label_graph(DOCS_BY_LABELS, replace(LONG, restart=1.0)))[0, 2] == 0


def test_a_label_without_documents_has_itself_only():
    assert dense(label_graph(DOCS_BY_LABELS))[4].tolist() == [0, 0, 0, 0, 1]


def test_no_documents_give_every_label_itself():
    assert dense(label_graph(sparse.csr_matrix((0, 3)))).tolist() == np.eye(3).tolist()
    assert label_graph(sparse.csr_matrix((2, 0))).shape == (0, 0)


def test_one_document_joins_its_labels_alike():
    graph = dense(label_graph(np.ones((1, 4)), LONG))
    assert np.abs(graph - 0.25).max() < 0.01


def test_a_stored_zero_is_no_label():
    stored = sparse.csr_matrix(([1.0, 0.0], [0, 1], [0, 2]), shape=(1, 2))
    assert dense(label_graph(stored)).tolist() == np.eye(2).tolist()


def test_the_most_visited_neighbours_are_kept_and_the_label_itself():
    # Label 0 shares nine documents with label 1, three with label 2 and one with each of the others.
    partners = [1] * 9 + [2] * 3 + [3, 4, 5]
    docs_by_labels = np.zeros((len(partners), 6))
    docs_by_labels[np.arange(len(partners)), partners] = 1
    docs_by_labels[:, 0] = 1
    graph = label_graph(docs_by_labels, LabelGraphConfig(max_neighbours=2))
    assert graph[0].indices.tolist() == [0, 1, 2]
    assert graph.sum(axis=1).A1 == pytest.approx(np.ones(6))
    assert dense(label_graph(docs_by_labels, LabelGraphConfig(max_neighbours=0))).tolist() == np.eye(6).tolist()


def test_the_same_seed_gives_the_same_bytes_on_one_thread_and_two():
    docs_by_labels = sparse.random(3000, 2000, density=0.002, random_state=0, format="csr")
    one, two = (label_graph(docs_by_labels, seed=7, n_threads=n) for n in (1, 2))
    assert (one.data.tobytes(), one.indices.tobytes(), one.indptr.tobytes()) == (
        two.data.tobytes(), two.indices.tobytes(), two.indptr.tobytes(),
    )  # fmt: skip
    assert label_graph(docs_by_labels, seed=8, n_threads=1).data.tobytes() != one.data.tobytes()


def test_symmetric_weighting_favours_rare_labels():
    # Label 0 stands with label 1 and label 2 equally often; label 1 stands with many others besides.
    docs_by_labels = np.zeros((14, 13))
    docs_by_labels[0, [0, 1]] = docs_by_labels[1, [0, 2]] = 1
    for document in range(2, 14):
        docs_by_labels[document, [1, document - 1]] = 1
    plain, symmetric = (
        exact_label_graph(docs_by_labels, LabelGraphConfig(weighting=w)) for w in ("visits", "symmetric")
    )
    assert symmetric[0, 1] / symmetric[0, 2] < plain[0, 1] / plain[0, 2]


MEMORY = """
import resource, numpy as np
from scipy import sparse
from deixis.xmr.label_graph import LabelGraphConfig, label_graph

n_labels = 50_000
labels = np.random.default_rng(0).integers(0, n_labels, 20 * n_labels)
docs_by_labels = sparse.csr_matrix((np.ones(len(labels), np.float32), labels, np.arange(0, len(labels) + 1, 200)))
label_graph(docs_by_labels[:1], LabelGraphConfig(walk_length=1), n_threads=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
graph = label_graph(docs_by_labels, LabelGraphConfig(walk_length=60, max_neighbours=4), n_threads=1)
print(graph.nnz, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


def test_memory_is_bounded_by_labels_and_neighbours_kept_however_many_are_met():
    # A walk meets about fifty labels, four are kept. Documents take 20 pairs a label, and copies of these are made.
    answer = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    n_entries, n_bytes = map(int, answer.stdout.split())
    assert n_entries <= 50_000 * 5
    assert n_bytes < 200_000 * (
        5 * 40 + 20 * 40
    )  # a million labels with 32 neighbours: below 1.4 GB, and the documents


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"walk_length": 0}, "walk_length must lie in 1.."),
        ({"walk_length": 10**8}, "walk_length must lie in 1..10000000"),
        ({"restart": 1.5}, "restart must lie in 0..1"),
        ({"max_neighbours": -1}, "max_neighbours must be at least 0, got -1"),
        ({"weighting": "rows"}, "weighting"),
    ],
)
def test_settings_out_of_range_are_refused(setting, words):
    with pytest.raises(ConfigError, match=words):
        LabelGraphConfig(**setting)


def test_a_negative_seed_is_refused():
    with pytest.raises(ConfigError, match="seed must lie in"):
        label_graph(DOCS_BY_LABELS, seed=-1)
