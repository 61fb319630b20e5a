"""The graph of a learned index: clusters, labels, and weighted edges between them (ELIAS, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.native import _core
from deixis.store.part import Part, array, value


@dataclass(frozen=True, eq=False)
class ClusterGraph(Part):
    """Edges by cluster: cluster c reaches `edge_labels[edge_starts[c]:edge_starts[c + 1]]`.

    `edge_shares` are the normalised weights of Eq. 5, which sum to 1 in each cluster; `beta` makes scores of them.

    Examples
    --------
    >>> shares = np.array([0.9, 0.1, 0.5, 0.5], dtype=np.float32)
    >>> graph = ClusterGraph(np.array([0, 2, 4]), np.array([0, 1, 1, 2], dtype=np.int32), shares, 2.0, n_labels=3)
    >>> graph.edge_scores()
    array([1. , 0.2, 1. , 1. ], dtype=float32)
    >>> graph.parents().tolist()
    [0, 1, 1]
    """

    edge_starts: Annotated[NDArray[np.int64], array(indptr_of="edge_labels")]
    edge_labels: Annotated[NDArray[np.int32], array(low=0, high="n_labels")]
    edge_shares: Annotated[NDArray[np.float32], array(low=0, high=1.0001, like="edge_labels")]
    beta: Annotated[float, value(low=0)]
    n_labels: Annotated[int, value(low=1, high=2**31 - 1)]

    @classmethod
    def of_weights(
        cls,
        edge_starts: NDArray[np.int64],
        edge_labels: NDArray[np.int32],
        weights: NDArray[np.float32],
        beta: float,
        n_labels: int,
    ) -> ClusterGraph:
        """The graph of learnable weights a: each cluster's are normalised over its kept edges (Eq. 5)."""
        has_edges = np.diff(edge_starts) > 0
        first, sizes = edge_starts[:-1][has_edges], np.diff(edge_starts)[has_edges]
        if not len(first):
            return cls(edge_starts, edge_labels, weights, beta, n_labels)
        raised = np.exp(weights.astype(np.float64) - np.repeat(np.maximum.reduceat(weights, first), sizes))
        probabilities = raised / np.repeat(np.add.reduceat(raised, first), sizes)
        return cls(edge_starts, edge_labels, probabilities.astype(np.float32), beta, n_labels)

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.edge_starts) - 1

    def edge_scores(self) -> NDArray[np.float32]:
        """min(1, beta * share) of each edge (Eq. 5)."""
        scores: NDArray[np.float32] = np.minimum(np.float32(1), np.float32(self.beta) * self.edge_shares)
        return scores

    def parents(self) -> NDArray[np.int32]:
        """The cluster of each label's strongest edge, -1 for a label without one; the first among equals."""
        return strongest_clusters(self.edge_starts, self.edge_labels, self.edge_shares, self.n_labels)

    def clusters_by_labels(self) -> sparse.csr_matrix:
        """The edge scores as a matrix."""
        shape = (self.n_clusters, self.n_labels)
        return sparse.csr_matrix((self.edge_scores(), self.edge_labels, self.edge_starts), shape=shape)

    def shortlist(
        self, cluster_scores: NDArray[np.float32], beam: int, k: int, n_threads: int = 0
    ) -> sparse.csr_matrix:
        """docs_by_labels shortlist scores (Eq. 2, 4-6): the best path of each label from the best `beam` clusters.

        The best `k` of each row are kept, stored best first.
        """
        none = np.zeros(len(cluster_scores) + 1, dtype=np.int64)
        no_rows = np.zeros(0, dtype=np.int32)
        indptr, labels, scores, _ = _core.learned_shortlist(
            cluster_scores, none, no_rows, none, no_rows, self.edge_starts, self.edge_labels, self.edge_scores(),
            self.n_labels, beam, k, n_threads,
        )  # fmt: skip
        return sparse.csr_matrix((scores, labels, indptr), shape=(len(cluster_scores), self.n_labels))


def strongest_clusters(
    edge_starts: NDArray[np.int64],
    edge_labels: NDArray[np.int32],
    weights: NDArray[np.float32],
    n_labels: int,
    by_label: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """The cluster that is the argmax of each label's edge weight (Eq. 3), -1 for a label without edges.

    `by_label`, the stable order of edges by their label, can be given to save time.
    """
    by_label = np.argsort(edge_labels, kind="stable") if by_label is None else by_label
    parents = np.full(n_labels, -1, dtype=np.int32)
    if not len(by_label):
        return parents
    clusters = np.repeat(np.arange(len(edge_starts) - 1, dtype=np.int32), np.diff(edge_starts))
    labels, strength = edge_labels[by_label], weights[by_label]
    first = np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))
    highest = np.repeat(np.maximum.reduceat(strength, first), np.diff(np.append(first, len(labels))))
    best = np.flatnonzero(strength == highest)[::-1]  # written from the end: the first among equals stays
    parents[labels[best]] = clusters[by_label[best]]
    return parents
