"""ELIAS as torch learns it: cluster, edge and label scores, and the two losses (Gupta et al., 2022, 3.1-3.3).

The search for the shortlist has no gradient and is the compiled core's; the scores along the paths it found are
computed again with gradients, so that Eq. 1, 5 and 6 are learned through the best path of each shortlisted label.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from deixis.native import _core
from deixis.xmr.cluster_graph import ClusterGraph, strongest_clusters

LEAST = 1e-12  # a score whose logarithm is still finite


class Edges(NamedTuple):
    """Where the learnable weights of A stand: by cluster, as in `ClusterGraph`."""

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    n_labels: int


class Shortlist(NamedTuple):
    """Shortlisted (document, label) pairs, row by row, with the edge of the best path to each."""

    indptr: NDArray[np.int64]
    labels: NDArray[np.int32]
    edges: NDArray[np.int64]

    def rows(self) -> NDArray[np.int64]:
        """The document of each pair."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int64), np.diff(self.indptr))


class EliasIndex(nn.Module):
    """Cluster classifiers and edge weights; label classifiers are kept beside it, since few rows change in a step.

    Edge weights that are not learned (stage 1) are a buffer of equal values: all labels of a cluster weigh the same.
    """

    edge_clusters: Tensor

    def __init__(
        self, clusters: Tensor, edges: Edges, weights: Tensor, is_learned: bool, alpha: float, beta: float
    ) -> None:
        super().__init__()
        self.edges, self.alpha, self.beta = edges, alpha, beta
        self.clusters = nn.Parameter(clusters)
        self.weights = nn.Parameter(weights, requires_grad=is_learned)
        self._by_label = np.argsort(edges.labels, kind="stable")
        sizes = np.diff(edges.starts)
        self.register_buffer("edge_clusters", torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)))

    def cluster_scores(self, vectors: Tensor) -> Tensor:
        """min(1, alpha * softmax(W_C phi)): docs_by_clusters (Eq. 1). Above 1 there is no slope."""
        return (self.alpha * torch.softmax(vectors @ self.clusters.T, dim=1)).clamp(max=1.0)

    def edge_scores(self) -> Tensor:
        """min(1, beta * softmax(a) over the cluster's kept edges) (Eq. 5)."""
        n = len(self.edges.starts) - 1
        highest = torch.full((n,), -torch.inf).scatter_reduce(0, self.edge_clusters, self.weights.detach(), "amax")
        raised = torch.exp(self.weights - highest[self.edge_clusters])
        totals = torch.zeros(n).index_add(0, self.edge_clusters, raised)
        return (self.beta * raised / totals[self.edge_clusters]).clamp(max=1.0)

    def shortlist(
        self, cluster_scores: Tensor, edge_scores: Tensor, targets: sparse.csr_matrix | None, beam: int, k: int
    ) -> Shortlist:
        """The best `k` labels of each row by Eq. 2-6; with targets also the parents of positives, and the positives."""
        n_rows = len(cluster_scores)
        starts, labels = np.zeros(n_rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        cluster_starts, clusters = starts, labels
        if targets is not None:
            starts, labels = targets.indptr.astype(np.int64), targets.indices.astype(np.int32)
            cluster_starts, clusters = self.parents(starts, labels)
        indptr, shortlisted, _, edges = _core.learned_shortlist(
            cluster_scores.detach().numpy(), cluster_starts, clusters, starts, labels, self.edges.starts,
            self.edges.labels, edge_scores.detach().numpy(), self.edges.n_labels, beam, k, 1,
        )  # fmt: skip
        return Shortlist(indptr, shortlisted, edges)

    def parents(
        self, starts: NDArray[np.int64], labels: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The clusters of the strongest edges of each row's labels (Eq. 3), by rows."""
        strongest = strongest_clusters(
            self.edges.starts, self.edges.labels, self.weights.detach().numpy(), self.edges.n_labels, self._by_label
        )[labels]
        has_parent = strongest >= 0
        n_before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(has_parent, dtype=np.int64)])
        return n_before[starts], strongest[has_parent]

    def path_scores(self, cluster_scores: Tensor, edge_scores: Tensor, shortlist: Shortlist) -> Tensor:
        """The shortlist score of each pair: cluster score times edge score along its best path (Eq. 5-6)."""
        edges = torch.from_numpy(shortlist.edges)
        rows = torch.from_numpy(shortlist.rows())
        return cluster_scores[rows, self.edge_clusters[edges]] * edge_scores[edges]

    def frozen(self) -> ClusterGraph:
        """The graph it has learned, for use without torch."""
        weights = self.weights.detach().numpy().astype(np.float32, copy=True)
        return ClusterGraph.of_weights(self.edges.starts, self.edges.labels, weights, self.beta, self.edges.n_labels)


class ShortlistScores(torch.autograd.Function):
    """w.phi of each shortlisted pair, in the compiled core; the slope by w is added to a buffer, row by row."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, classifiers: Tensor, slopes: Tensor, shortlist: Shortlist) -> Tensor:  # noqa: ANN401
        """The dot products; `slopes`, of the shape of the classifiers, gets theirs when these are known."""
        ctx.save_for_backward(vectors, classifiers)
        ctx.slopes, ctx.shortlist = slopes, shortlist
        dots = _core.shortlist_dots(
            vectors.detach().numpy(), classifiers.detach().numpy(), shortlist.indptr, shortlist.labels, 1
        )
        return torch.from_numpy(dots)

    @staticmethod
    def backward(ctx: Any, by_dots: Tensor) -> tuple[Tensor, None, None, None]:  # noqa: ANN401
        """The slope by the vectors."""
        vectors, classifiers = ctx.saved_tensors
        shortlist: Shortlist = ctx.shortlist
        by_pair = sparse.csr_matrix(
            (by_dots.numpy(), shortlist.labels, shortlist.indptr), shape=(len(vectors), len(classifiers))
        )
        touched, numbers = _numbered(shortlist.labels, len(classifiers))
        by_touched = sparse.csr_matrix((by_dots.numpy(), numbers, shortlist.indptr), shape=(len(vectors), len(touched)))
        ctx.slopes.index_add_(0, torch.from_numpy(touched), torch.from_numpy(by_touched.T @ vectors.numpy()))
        return torch.from_numpy(by_pair @ classifiers.detach().numpy()), None, None, None


def _numbered(labels: NDArray[np.int32], n_labels: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The labels that occur, ascending, and the number of each occurrence among them."""
    occurs = np.zeros(n_labels, dtype=bool)
    occurs[labels] = True
    numbers = np.cumsum(occurs, dtype=np.int32) - 1
    return np.flatnonzero(occurs), numbers[labels]


def pair_targets(targets: sparse.csr_matrix, shortlist: Shortlist) -> Tensor:
    """The target of each shortlisted pair, 0 for a label that the document does not have."""
    n_labels = targets.shape[1]
    rows = np.repeat(np.arange(targets.shape[0], dtype=np.int64), np.diff(targets.indptr))
    true = rows * n_labels + targets.indices  # ascends: rows do, and labels within a row
    pairs = shortlist.rows() * n_labels + shortlist.labels
    positions = np.minimum(np.searchsorted(true, pairs), max(0, len(true) - 1))
    values = np.zeros(len(pairs), dtype=np.float32)
    if len(true):
        is_true = true[positions] == pairs
        values[is_true] = targets.data[positions[is_true]]
    return torch.from_numpy(values)


def losses(logits: Tensor, path_scores: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The classification loss (Eq. 7) and the shortlist loss (Eq. 8), summed over all pairs; targets may be soft.

    Eq. 7 is printed with (1 - log p) for negatives; cross-entropy, and surely meant, is log(1 - p). A soft target t
    weighs the shortlist loss of its label by t.
    """
    log_path = torch.log(path_scores.clamp(min=LEAST))
    log_p = torch.nn.functional.logsigmoid(logits) + log_path
    # 1 - p = (1 - y^) + y^ (1 - sigma): both parts are exact, also where p is nearly 1.
    rest = (1 - path_scores) + path_scores * torch.sigmoid(-logits)
    negative = torch.log(rest.clamp(min=LEAST))
    classification = -(targets * log_p + (1 - targets) * negative).sum()
    return classification, -(targets * log_path).sum()
