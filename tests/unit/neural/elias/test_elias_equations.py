"""The loss of ELIAS against Eq. 1-8 of the paper, written out anew with NumPy, entry by entry."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse

from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.train import EliasTraining, LabelSteps
from deixis.neural.one_vs_all.config import BagConfig

torch.set_num_threads(1)
BAG = BagConfig(n_dims=6, dropout=0.0, feature_dropout=0.0)
CONFIG = EliasConfig(
    bag=BAG, labels_per_cluster=3, edges_per_label=2, alpha=1.5, beam=1, n_shortlist=5, shortlist_weight=0.3
)


def random_documents(n_docs: int = 40, n_labels: int = 10) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    random = np.random.default_rng(5)
    targets = (random.random((n_docs, n_labels)) < 0.2).astype(np.float32)
    targets[np.arange(n_docs), np.arange(n_docs) % n_labels] = 1
    features = (random.random((n_docs, 15)) * (random.random((n_docs, 15)) < 0.4)).astype(np.float32)
    return sparse.csr_matrix(features), sparse.csr_matrix(targets)


def softmax(values: np.ndarray) -> np.ndarray:
    raised = np.exp(values - values.max())
    return raised / raised.sum()


def loss_of_document(training: EliasTraining, vector: np.ndarray, truth: np.ndarray) -> float:
    """Eq. 7 (with log(1 - p) for negatives) plus lambda times Eq. 8."""
    starts, edge_labels, n_labels = training.index.edges
    a = training.index.weights.detach().numpy().astype(np.float64)
    config, beta = training.config, training.index.beta
    clusters = np.minimum(1, config.alpha * softmax(training.index.clusters.detach().numpy() @ vector))  # Eq. 1
    edge_score, weight = np.zeros((2, len(clusters), n_labels))
    weight[:] = -np.inf
    for c in range(len(clusters)):
        kept = slice(starts[c], starts[c + 1])
        edge_score[c, edge_labels[kept]] = np.minimum(1, beta * softmax(a[kept]))  # Eq. 5, over kept entries only
        weight[c, edge_labels[kept]] = a[kept]
    chosen = set(np.argsort(-clusters)[: config.beam].tolist())  # Eq. 2
    chosen |= {int(weight[:, label].argmax()) for label in np.flatnonzero(truth)}  # Eq. 3-4
    shortlist = {}
    for label in range(n_labels):
        paths = [clusters[c] * edge_score[c, label] for c in chosen if np.isfinite(weight[c, label])]
        if paths:
            shortlist[label] = max(paths)  # Eq. 6
    by_score = sorted(shortlist, key=lambda label: (not truth[label], -shortlist[label]))
    kept_labels = by_score[: max(config.n_shortlist, int(truth.sum()))]  # top K, with all positives
    logits = training.classifiers.numpy().astype(np.float64) @ vector
    loss = 0.0
    for label in kept_labels:
        p = shortlist[label] / (1 + np.exp(-logits[label]))
        loss -= truth[label] * np.log(p) + (1 - truth[label]) * np.log(1 - p)
        loss -= config.shortlist_weight * truth[label] * np.log(shortlist[label])
    return loss


def test_the_loss_is_that_of_the_equations_in_both_stages() -> None:
    features, targets = random_documents()
    training = EliasTraining(features, targets, CONFIG, seed=2)
    rows = np.arange(0, 40, 3)
    for stage in (1, 2):
        training.module.eval()
        with torch.no_grad():
            vectors = training.module.vectors(features, rows).numpy().astype(np.float64)
        wanted = [
            loss_of_document(training, vector, targets[row].toarray()[0])
            for vector, row in zip(vectors, rows, strict=True)
        ]
        loss = training._loss(rows, torch.zeros_like(training.classifiers))
        np.testing.assert_allclose(loss.item(), np.mean(wanted), rtol=1e-4)
        if stage == 1:
            training.run(3, "stage 1")
            training.learn_edges()
            assert training.index.weights.detach().numpy().std() > 0.1  # not all alike: Eq. 10 draws them


def test_label_classifiers_move_only_when_enough_slopes_have_been_added_up() -> None:
    classifiers = torch.zeros(4, 2)
    steps = LabelSteps(classifiers, rate=0.1, every=3, n_steps=7)
    for number in range(7):
        steps.slopes[1] += 1.0
        before = classifiers.clone()
        steps.step()
        has_moved = not torch.equal(before, classifiers)
        assert has_moved == (number in (2, 5)) and (steps.slopes.abs().sum() == 0) == has_moved
    steps.finish()
    assert (classifiers[1] < 0).all() and classifiers[[0, 2, 3]].abs().sum() == 0
