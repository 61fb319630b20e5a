from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("torch")

from benchmarks.xmc.elias_rows import SHOWN, Table, graph_rows, of_seen, split_dev
from benchmarks.xmc.elias_systems import Task, brute_force, linear, stages
from benchmarks.xmc.fixed_vectors import FixedModule
from benchmarks.xmc.matrices import Matrices
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import BagConfig
from deixis.neural.one_vs_all.train import train_one_vs_all

CONFIG = EliasConfig(
    bag=BagConfig(n_dims=16), labels_per_cluster=4, beam=2, n_shortlist=8, n_epochs_fixed=4, n_epochs_learned=4,
    batch_size=32,
)  # fmt: skip
SYSTEMS = {
    "tree", "tree+sparse-ranker", "tree++", "one-vs-all", "stage-1", "stage-1-continued", "stage-2", "stage-2-warm",
    "stage-2-wide", "stage-2+sparse-ranker", "elias++",
}  # fmt: skip


def made(n_labels=12):
    rng = np.random.default_rng(0)

    def part(n):
        labels = rng.integers(0, n_labels - 1, n)  # the last label has no document
        X = np.eye(n_labels, 20, dtype=np.float32)[labels] + (rng.random((n, 20)) < 0.05).astype(np.float32)
        return sparse.csr_matrix(X), sparse.csr_matrix(np.eye(n_labels, dtype=np.float32)[labels])

    return Matrices(Path(), *part(120), *part(120), *part(30), sparse.csr_matrix((n_labels, 20)))


@pytest.fixture(scope="module")
def table_and_index():
    task = Task(*split_dev(made(), 60), CONFIG)
    table, indexes = Table(task.made, ("dev", "test")), []
    for seed in (0, 1):
        for systems in (linear(task, seed), stages(task, seed, indexes), brute_force(task, seed)):
            for name, learned in systems:
                table.add(name, learned)
    return table, indexes[0]


def test_every_system_has_its_rows_on_every_part(table_and_index):
    rows = list(table_and_index[0].rows("tiny", {}))
    for part in ("dev", "test"):
        found = {(row.system, row.metric) for row in rows if row.suite == f"tiny/elias-{part}"}
        assert found == {(name, metric) for name in SYSTEMS for metric in (*SHOWN, "train_cpu", "predict_cpu")}


def test_rows_of_several_seeds_lie_between_the_least_and_the_greatest(table_and_index):
    table = table_and_index[0]
    for row in table.rows("tiny", {}):
        values = [each[0] for each in table.figures[row.settings["part"], row.system, row.metric]]
        assert (len(values), row.low, row.high) == (2, round(min(values), 6), round(max(values), 6))
        assert row.low <= row.value <= row.high


def test_the_second_stage_finds_what_the_first_did(table_and_index):
    recall = {key[1]: value for key, value in table_and_index[0].figures.items() if key[2] == "recall@100"}
    assert recall["elias++"] == recall["stage-2"] and recall["tree++"] == recall["tree"]


def test_all_weight_is_on_the_edges(table_and_index):
    index = table_and_index[1]
    rows = list(graph_rows(index.graph, np.ones(len(index.label_rows)), "tiny", {}))
    weights = [row.value for row in rows if row.metric.startswith("weight-of-first")]
    assert weights == sorted(weights) and weights[-1] == pytest.approx(1, abs=1e-3)


def test_no_document_is_both_calibrated_on_and_judged():
    data = made()
    left, X_held, _ = split_dev(data, 1500)
    assert X_held.shape[0] == left.X_dev.shape[0] == 60
    both = sparse.vstack([X_held, left.X_dev]).toarray().tolist()
    assert sorted(both) == sorted(data.X_dev.toarray().tolist())


def test_a_ranking_of_seen_labels_keeps_its_order():
    ranked = sparse.csr_matrix((np.array([0.9, 0.8]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    assert of_seen(ranked, np.array([1, 4, 6]), 9).indices.tolist() == [6, 1]


def test_classifiers_learn_on_fixed_vectors():
    data = made()
    vectors = data.X_train.toarray()
    ranker = train_one_vs_all(data.X_train, data.Y_train, encoder=FixedModule(20, 10.0), texts=vectors)
    best = ranker.rank(vectors, 1)
    assert data.Y_train.toarray()[np.arange(120), best.indices].mean() > 0.8
