import argparse
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("torch")

import torch

from benchmarks.xmc.elias import groups_of
from benchmarks.xmc.elias_trials import DECAY, RandomClusters, Trial, learned, with_random_clusters
from tests.benchmarks.test_elias import CONFIG, made


def test_labels_of_drawn_clusters_come_beside_a_documents_own():
    own = sparse.csr_matrix(np.eye(3, 6, dtype=np.float32))
    torch.manual_seed(0)
    both = with_random_clusters(own, np.array([0, 0, 1, 1, -1, 2], dtype=np.int32), n_random=2)
    assert both.shape == own.shape and both.multiply(own).nnz == 3
    for row in both:
        labels = set(row.indices.tolist())
        assert 4 not in labels  # it has no cluster
        assert len(labels & {2, 3}) in (0, 1, 2) and ({0, 1} <= labels or {2, 3} <= labels or 5 in labels)


def test_random_clusters_lengthen_the_training_shortlist_only():
    data = made()
    training = Trial(data.X_train, data.Y_train, CONFIG).changed("random-clusters")
    assert isinstance(training.index, RandomClusters)
    scores, edges = torch.full((4, len(training.index.clusters)), 0.1), training.index.edge_scores()
    targets = data.Y_train[:4, training.label_rows].tocsr()
    with_targets = training.index.shortlist(scores, edges, targets, 1, 1)
    without = training.index.shortlist(scores, edges, None, 1, 1)
    assert len(with_targets.labels) > len(without.labels) == 4
    training.learn_edges()
    assert isinstance(training.index, RandomClusters)


def test_decay_makes_classifiers_smaller_in_every_step():
    data, slow = made(), replace(CONFIG, classifier_rate=1e-9)
    kept, shrunk = (Trial(data.X_train, data.Y_train, slow).changed(change) for change in ("", "weight-decay"))
    for training in (kept, shrunk):
        training.run(1, "stage 1")
    n_steps = -(-data.X_train.shape[0] // slow.batch_size)
    torch.testing.assert_close(shrunk.classifiers, kept.classifiers * (1 - DECAY) ** n_steps, rtol=1e-4, atol=1e-6)


def test_a_trial_that_changes_nothing_ranks():
    assert learned(made(), CONFIG, "as-it-is").rank("dev").shape == made().Y_dev.shape


@pytest.mark.parametrize(
    ("only", "minilm", "test", "expected"),
    [
        (None, False, True, ("linear", "stages", "one-vs-all")),
        (None, True, False, ("linear", "stages", "one-vs-all")),
        (["minilm"], False, True, ("minilm",)),
        (["one-vs-all", "linear"], False, False, ("linear", "one-vs-all")),
    ],
)
def test_only_the_groups_that_were_given_run(only, minilm, test, expected):
    assert groups_of(argparse.Namespace(only=only, minilm=minilm, test=test)) == expected
