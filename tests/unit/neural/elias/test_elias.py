"""ELIAS as torch learns it: each equation by hand, slopes, both stages, and the same scores without torch."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.graph import balanced_edges, best_matches, matched_edges
from deixis.neural.elias.model import Edges, EliasIndex, Shortlist, ShortlistScores, losses, pair_targets
from deixis.neural.elias.train import EliasTraining, train_elias
from deixis.neural.one_vs_all.config import BagConfig

torch.set_num_threads(1)

# Three clusters, four labels; label 1 has edges from clusters 0 and 1, label 3 from all.
EDGES = Edges(np.array([0, 3, 5, 7]), np.array([0, 1, 3, 1, 3, 2, 3], dtype=np.int32), n_labels=4)
WEIGHTS = torch.log(torch.tensor([2.0, 1, 1, 9, 1, 2, 3]))
SMALL = EliasConfig(
    bag=BagConfig(n_dims=8, dropout=0.0, feature_dropout=0.0),
    labels_per_cluster=3,
    edges_per_label=2,
    beam=2,
    n_shortlist=6,
    n_epochs_fixed=12,
    n_epochs_learned=12,
    batch_size=16,
    classifier_every=2,
)


def by_hand() -> EliasIndex:
    return EliasIndex(torch.log(torch.tensor([[6.0], [3], [1]])), EDGES, WEIGHTS.clone(), True, alpha=1.5, beta=2.0)


def some_documents(n_docs: int = 120, n_labels: int = 12, seed: int = 0) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Each label has a feature of its own; documents have one or two labels and a feature of noise."""
    random = np.random.default_rng(seed)
    first, second = random.integers(0, n_labels, (2, n_docs))
    targets = np.zeros((n_docs, n_labels), dtype=np.float32)
    targets[np.arange(n_docs), first] = targets[np.arange(n_docs), second] = 1
    noise = np.zeros((n_docs, 5), dtype=np.float32)
    noise[np.arange(n_docs), random.integers(0, 5, n_docs)] = 0.3
    return sparse.csr_matrix(np.hstack([targets, noise])), sparse.csr_matrix(targets)


def test_cluster_scores_by_hand() -> None:
    scores = by_hand().cluster_scores(torch.ones(1, 1))  # softmax is .6, .3, .1
    torch.testing.assert_close(scores, torch.tensor([[0.9, 0.45, 0.15]]))


def test_a_cluster_score_above_one_is_cut_and_has_no_slope() -> None:
    index = by_hand()
    index.alpha = 3.0
    scores = index.cluster_scores(torch.ones(1, 1))
    torch.testing.assert_close(scores, torch.tensor([[1.0, 0.9, 0.3]]))
    (slope,) = torch.autograd.grad(scores[0, 0], index.clusters)
    assert (slope == 0).all()


def test_edge_scores_are_normalised_over_kept_edges_only() -> None:
    scores = by_hand().edge_scores()  # shares .5 .25 .25 | .9 .1 | .4 .6, times beta = 2
    torch.testing.assert_close(scores, torch.tensor([1.0, 0.5, 0.5, 1.0, 0.2, 0.8, 1.0]))


def test_an_edge_above_one_gets_no_slope_of_its_own() -> None:
    index = by_hand()
    (cut,) = torch.autograd.grad(index.edge_scores()[3], index.weights)
    (free,) = torch.autograd.grad(index.edge_scores()[4], index.weights)
    assert (cut == 0).all()
    torch.testing.assert_close(free, torch.tensor([0.0, 0, 0, -0.18, 0.18, 0, 0]))  # 2 * s (1 - s) and -2 * s s'


def test_parents_of_positives_are_forced_in() -> None:
    index = by_hand()
    targets = sparse.csr_matrix(np.array([[0, 0, 1, 0]], dtype=np.float32))
    clusters, edges = index.cluster_scores(torch.ones(1, 1)), index.edge_scores()
    free, forced = (index.shortlist(clusters, edges, given, beam=1, k=4) for given in (None, targets))
    assert sorted(free.labels) == [0, 1, 3]
    assert sorted(forced.labels) == [0, 1, 2, 3]
    starts, parents = index.parents(np.array([0, 2, 3]), np.array([1, 3, 0], dtype=np.int32))
    assert (starts.tolist(), parents.tolist()) == ([0, 2, 3], [1, 2, 0])


def test_a_label_takes_its_best_path() -> None:
    index = by_hand()
    clusters, edges = index.cluster_scores(torch.ones(1, 1)), index.edge_scores()
    found = index.shortlist(clusters, edges, None, beam=3, k=4)
    scores = dict(zip(found.labels.tolist(), index.path_scores(clusters, edges, found).tolist(), strict=True))
    wanted = {0: 0.9, 1: 0.45, 3: 0.45, 2: 0.12}
    assert scores == pytest.approx(wanted)


def test_losses_by_hand() -> None:
    logits, paths = torch.tensor([0.0, 0.0, 2.0]), torch.tensor([0.5, 1.0, 0.25])
    targets = torch.tensor([1.0, 0.0, 0.4])
    classification, shortlist = losses(logits, paths, targets)
    p = 0.25 / (1 + math.exp(-2))
    assert classification.item() == pytest.approx(
        -(math.log(0.25) + math.log(0.5) + 0.4 * math.log(p) + 0.6 * math.log(1 - p)), rel=1e-5
    )
    assert shortlist.item() == pytest.approx(-(math.log(0.5) + 0.4 * math.log(0.25)), rel=1e-5)


def test_sure_scores_have_finite_losses() -> None:
    found = losses(torch.tensor([99.0, -99.0]), torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    assert all(torch.isfinite(loss) for loss in found)


def test_targets_stand_where_their_labels_are_shortlisted() -> None:
    targets = sparse.csr_matrix(np.array([[0, 0.5, 0, 1], [0, 0, 0, 0]], dtype=np.float32))
    found = Shortlist(np.array([0, 3, 4]), np.array([3, 0, 1, 1], dtype=np.int32), np.zeros(4, np.int64))
    assert pair_targets(targets, found).tolist() == [1.0, 0.0, 0.5, 0.0]
    assert pair_targets(targets[1:], Shortlist(np.array([0, 1]), found.labels[3:], found.edges[3:])).tolist() == [0.0]


def test_scores_of_a_shortlist_have_the_slopes_of_dot_products() -> None:
    vectors, classifiers = torch.randn(2, 5, requires_grad=True), torch.randn(4, 5, requires_grad=True)
    found = Shortlist(np.array([0, 2, 5]), np.array([3, 1, 0, 1, 2], dtype=np.int32), np.zeros(5, np.int64))
    slopes, weights = torch.zeros(4, 5), torch.randn(5)
    dots = ShortlistScores.apply(vectors, classifiers.detach(), slopes, found)
    (by_vectors,) = torch.autograd.grad(dots @ weights, vectors)
    wanted = (vectors[found.rows()] * classifiers[torch.from_numpy(found.labels).long()]).sum(dim=1)
    torch.testing.assert_close(dots, wanted)
    wanted_slopes = torch.autograd.grad(wanted @ weights, [vectors, classifiers])
    torch.testing.assert_close(by_vectors, wanted_slopes[0])
    torch.testing.assert_close(slopes, wanted_slopes[1])


def test_balanced_clusters_hold_each_label_once() -> None:
    edges, docs_by_clusters = balanced_edges(*some_documents(), SMALL, seed=0)
    assert sorted(edges.labels) == list(range(12))
    assert np.diff(edges.starts).tolist() == [3, 3, 3, 3]
    labels_by_clusters = np.zeros((12, 4))
    labels_by_clusters[edges.labels, np.repeat(np.arange(4), 3)] = 1
    wanted = some_documents()[1].toarray() @ labels_by_clusters > 0
    np.testing.assert_array_equal(docs_by_clusters.toarray(), wanted)


def test_edges_to_learn_are_the_largest_of_matches_by_labels() -> None:
    random = np.random.default_rng(1)
    scores = random.random((40, 5)).astype(np.float32)
    targets = sparse.random(40, 9, 0.3, format="csr", dtype=np.float32, random_state=2)
    edges = matched_edges(best_matches(scores, beam=2), targets, n_edges=4)
    matches = np.where(scores >= np.sort(scores, axis=1)[:, [-2]], scores, 0)
    wanted = matches.T @ targets.toarray()
    for cluster in range(5):
        labels = edges.labels[edges.starts[cluster] : edges.starts[cluster + 1]]
        assert labels.tolist() == sorted(np.argsort(-wanted[cluster])[:4])


def test_a_label_that_no_cluster_kept_gets_its_best_edge() -> None:
    scores = np.array([[0.9, 0.2], [0.8, 0.1], [0.3, 0.7]], dtype=np.float32)
    targets = sparse.csr_matrix(np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32))
    assert matched_edges(best_matches(scores, beam=2), targets, n_edges=1).labels.tolist() == [0, 1]
    whole = matched_edges(best_matches(scores, beam=2), targets, n_edges=1, keeps_every_label=True)
    assert (whole.starts.tolist(), whole.labels.tolist()) == ([0, 2, 3], [0, 2, 1])


def test_without_torch_scores_are_the_same() -> None:
    features, targets = some_documents()
    training = EliasTraining(features, targets, SMALL, seed=1)
    training.run(2, "stage 1")
    training.learn_edges()
    training.run(2, "stage 2")
    training.module.eval()
    with torch.no_grad():
        vectors = training.module.vectors(features, np.arange(20))
        clusters, edges = training.index.cluster_scores(vectors), training.index.edge_scores()
        found = training.index.shortlist(clusters, edges, None, SMALL.beam, SMALL.n_shortlist)
        paths = training.index.path_scores(clusters, edges, found)
        logits = ShortlistScores.apply(vectors, training.classifiers, torch.zeros(0), found)
    wanted = sparse.csr_matrix(((torch.sigmoid(logits) * paths).numpy(), found.labels, found.indptr), shape=(20, 12))
    ranker = training.ranker()
    np.testing.assert_allclose(ranker.rank(features[:20], k=12).toarray(), wanted.toarray(), atol=1e-4)
    np.testing.assert_allclose(ranker.encode(features[:20]), vectors.numpy(), atol=1e-4)


def test_both_stages_learn_which_labels_documents_have() -> None:
    features, targets = some_documents()
    ranked = train_elias(features, targets, SMALL).rank(features, k=1)
    assert targets[np.arange(120), ranked.indices].mean() > 0.9


def test_a_label_that_no_document_has_is_never_ranked() -> None:
    features, targets = some_documents()
    wider = sparse.hstack([sparse.csr_matrix((120, 2), dtype=np.float32), targets], format="csr")
    ranker = train_elias(features, wider, SMALL)
    assert ranker.n_labels == 14
    assert set(ranker.rank(features, k=14).indices) == set(range(2, 14))


def test_the_same_seed_gives_the_same_ranker() -> None:
    features, targets = some_documents()
    first, second = (train_elias(features, targets, SMALL, seed=4).to_arrays("e") for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)


def test_a_fork_learns_by_itself() -> None:
    features, targets = some_documents()
    training = EliasTraining(features, targets, SMALL)
    before = training.ranker().to_arrays("e")
    training.fork().run(1, "other")
    after = training.ranker().to_arrays("e")
    assert all((before[name] == after[name]).all() for name in before)


def test_soft_targets_are_learned_as_scores() -> None:
    features = sparse.csr_matrix(np.eye(2, dtype=np.float32))
    targets = sparse.csr_matrix(np.array([[1.0, 0.3], [0.0, 1.0]], dtype=np.float32))
    config = EliasConfig(SMALL.bag, n_epochs_fixed=300, n_epochs_learned=0, shortlist_weight=0.0, classifier_every=1)
    scores = train_elias(features, targets, config).rank(features, k=2).toarray()
    np.testing.assert_allclose(scores, targets.toarray(), atol=0.05)


def test_what_cannot_be_learned_is_told() -> None:
    with pytest.raises(DataError, match="no document has a label"):
        train_elias(np.eye(3), np.zeros((3, 2)))
    with pytest.raises(ConfigError, match="beam must be at least 1, got 0"):
        EliasConfig(beam=0)
    with pytest.raises(ConfigError, match="edge_rate must be above 0, got 0"):
        EliasConfig(edge_rate=0)
    with pytest.raises(ConfigError, match="shortlist_weight must be at least 0, got -1"):
        EliasConfig(shortlist_weight=-1)


def test_warm_edges_begin_where_stage_one_had_each_label() -> None:
    features, targets = some_documents()
    begun = {}
    for warm in (0.0, 3.0):
        training = EliasTraining(features, targets, replace(SMALL, warm_edges=warm), seed=1)
        training.run(1, "stage 1")
        own = training.index.frozen().parents()
        training.learn_edges()
        begun[warm] = training.index
    edges = begun[3.0].edges
    clusters = np.repeat(np.arange(len(edges.starts) - 1), np.diff(edges.starts))
    raised = (begun[3.0].weights - begun[0.0].weights).detach().numpy()
    np.testing.assert_allclose(raised, np.where(own[edges.labels] == clusters, 3.0, 0.0), atol=1e-5)
    assert raised.any()
