import numpy as np
import pytest
from scipy import sparse

from benchmarks.speed.summary import summarize
from benchmarks.speed.systems import Measured, gold_ranks, recall
from benchmarks.speed.tasks import Instances, Task


def measured(ranks=(0, 3, 50), **figures):
    return Measured(figures, np.array(ranks), {"beam": 10})


def by_name(rows):
    return {(row.system, row.metric): row for row in rows}


def test_a_ratio_is_peer_over_ours_paired_by_repeat():
    ours = [measured(train_cpu=1.0), measured(train_cpu=2.0), measured(train_cpu=4.0)]
    theirs = [measured(train_cpu=8.0), measured(train_cpu=20.0), measured(train_cpu=36.0)]
    row = by_name(summarize("s", {"deixis": ours, "pecos": theirs}, {}))["deixis/pecos", "train_cpu_ratio"]
    assert (row.value, row.low, row.high, row.unit, row.n) == (9.0, 8.0, 10.0, "x", 3)


def test_a_peer_that_clusters_and_trains_in_one_is_compared_with_both_of_ours():
    ours = [measured(cluster_cpu=1.0, train_cpu=2.0, fit_cpu=3.0)]
    rows = by_name(summarize("s", {"deixis": ours, "omikuji": [measured(fit_cpu=12.0)]}, {}))
    assert rows["deixis/omikuji", "train_cpu_ratio"].value == 4.0
    assert "together" in rows["deixis/omikuji", "train_cpu_ratio"].settings["of"]
    assert ("deixis/omikuji", "cluster_cpu_ratio") not in rows


def test_every_system_has_its_own_figures_and_recall():
    rows = by_name(summarize("s", {"deixis": [measured(disk=3.0), measured(disk=1.0), measured(disk=2.0)]}, {"k": 1}))
    assert rows["deixis", "disk"].value == 2.0
    assert rows["deixis", "disk"].settings == {"k": 1, "beam": 10}
    assert rows["deixis", "recall@1"].value == pytest.approx(1 / 3, abs=1e-4)
    assert rows["deixis", "recall@5"].value == pytest.approx(2 / 3, abs=1e-4)
    assert rows["deixis", "recall@20"].n == 3


def test_gold_is_ranked_by_score_not_by_place_in_the_row():
    found = sparse.csr_matrix(([0.1, 0.9, 0.5, 0.7], [0, 1, 2, 0], [0, 3, 4, 4]), shape=(3, 4))
    assert gold_ranks(found, np.array([2, 3, 0])).tolist() == [1, 4, 4]


def test_ties_keep_the_order_they_came_in():
    found = sparse.csr_matrix(([0.5, 0.5, 0.5], [3, 1, 2], [0, 3]), shape=(1, 4))
    assert [gold_ranks(found, np.array([label]))[0] for label in (3, 1, 2)] == [0, 1, 2]


def test_recall_counts_the_best_k():
    assert recall(np.array([0, 9, 10, 99]), 10) == 0.5


def test_the_head_of_a_task_has_only_its_first_labels():
    train = Instances(["a", "b", "c"], ["x", "y", "z"], [0, 2, 1])
    head = Task("t", 3, train, Instances(), Instances()).head(2)
    assert head.n_labels == 2
    assert head.train == Instances(["a", "c"], ["x", "z"], [0, 1])
