"""A learned index searched by sparse features alone: linear rankers choose clusters, the graph leads to labels.

The graph is what ELIAS has learned (`LearnedIndex.graph`); no encoder is needed to use it. Clusters are matched by
linear rankers of the same kind as a label tree's, and `SparseRanker` scores the shortlisted labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError
from deixis.native import _core
from deixis.progress import stage
from deixis.store.checks import check_length, check_range
from deixis.store.part import GIVEN, Part, array
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.linear_rankers import RankerConfig, train_level
from deixis.xmr.sparse_ranker import SparseRanker
from deixis.xmr.sparse_rows import SparseRows

MAX_CELLS = 1 << 24  # cluster scores or shortlist entries held at one time
POWER = 3  # a margin m scores exp(-max(0, 1 - m)^3), as in the label tree


@dataclass(frozen=True)
class SparseIndexConfig(Config):
    """How the graph is searched, and how its rankers learn."""

    beam: int = setting(20, "Clusters looked into.", low=1, is_fixed=True)
    n_shortlist: int = setting(100, "Labels shortlisted, in learning and in use.", low=1, is_fixed=True)
    min_edge: float = setting(
        0.5,
        "A cluster is right for a label if its edge has this share of the strongest.",
        above=0,
        high=1,
        is_fixed=True,
    )
    ranker: RankerConfig = field(default_factory=RankerConfig)


@dataclass(frozen=True, eq=False)
class SparseIndex(Part):
    """Linear rankers of clusters, the graph, and linear rankers of labels; all by the same sparse features.

    Examples
    --------
    >>> shares = np.array([0.5, 0.5, 1.0], dtype=np.float32)
    >>> graph = ClusterGraph(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), shares, beta=2.0, n_labels=3)
    >>> eye = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> index = SparseIndex.fit(eye, eye, graph, np.arange(3, dtype=np.int32))
    >>> index.rank(eye, k=1).indices.tolist()
    [0, 1, 2]
    """

    clusters: SparseRanker
    graph: ClusterGraph
    labels: SparseRanker
    label_rows: Annotated[NDArray[np.int32], array(low=0)]
    config: Annotated[SparseIndexConfig, GIVEN]

    @classmethod
    def fit(
        cls,
        X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
        Y: Any,  # noqa: ANN401, N803
        graph: ClusterGraph,
        label_rows: NDArray[np.int32],
        config: SparseIndexConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
    ) -> SparseIndex:
        """Learn to find the labels of `Y` through a graph; its label `j` is column `label_rows[j]` of `Y`."""
        config = config or SparseIndexConfig()
        docs_by_features = SparseRows.of(X, "feature matrix")
        docs_by_labels = SparseRows.of(Y, "label matrix").indicators()
        if docs_by_features.n_rows != docs_by_labels.n_rows or not docs_by_features.n_rows:
            n_rows = f"X has {docs_by_features.n_rows} rows and Y has {docs_by_labels.n_rows}"
            raise DataError(f"{n_rows}; they must be as many, and at least one.")
        wanted = docs_by_labels.matrix()
        with stage("learning to find clusters"):
            targets = SparseRows.of((wanted[:, label_rows] @ _right_clusters(graph, config.min_edge)) > 0)
            clusters = _train_clusters(docs_by_features, targets.indicators(), config.ranker, seed, n_threads)
        index = cls(
            clusters, graph, _untrained(docs_by_labels.n_columns, docs_by_features.n_columns), label_rows, config
        )
        shortlist = index.shortlist(X, n_threads=n_threads)
        labels = SparseRanker.fit(X, Y, shortlist, config.ranker, seed, n_threads)
        return cls(clusters, graph, labels, label_rows, config)

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.labels.n_labels

    def shortlist(self, X: Any, k: int | None = None, n_threads: int = 0) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """docs_by_labels: the scores of the best paths to the best `k` labels of each row, stored best first."""
        matrix = SparseRows.of(X, "feature matrix").matrix()
        if matrix.shape[1] != self.clusters.n_features:
            raise DataError(f"The rows have {matrix.shape[1]} features; the index takes {self.clusters.n_features}.")
        k = self.config.n_shortlist if k is None else k
        step = max(1, MAX_CELLS // max(k, self.graph.n_clusters))
        features_by_clusters, found = self.clusters.labels_by_features.T.tocsr(), []
        for start in range(0, max(1, matrix.shape[0]), step):
            margins = np.asarray((matrix[start : start + step] @ features_by_clusters).todense()) + self.clusters.biases
            found.append(self.graph.shortlist(_scores(margins), self.config.beam, k, n_threads))
        joined = sparse.vstack(found, format="csr")
        columns = self.label_rows[joined.indices]
        return sparse.csr_matrix((joined.data, columns, joined.indptr), shape=(joined.shape[0], self.n_labels))

    def rank(self, X: Any, k: int = 10, n_threads: int = 0) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """docs_by_labels: path score times the label's own score, the best `k` of each row, stored best first."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        short = self.shortlist(X, n_threads=n_threads)
        scores = _scores(self.labels.scores(X, short, n_threads).data) * short.data
        starts, order = _core.best_of_rows(short.indptr.astype(np.int64), scores, k, n_threads)
        return sparse.csr_matrix((scores[order], short.indices[order], starts), shape=short.shape)

    def check_parts(self, prefix: str) -> None:
        """Clusters, labels and graph are of the same number."""
        check_length(f"{prefix}.label_rows", self.label_rows, self.graph.n_labels)
        check_range(f"{prefix}.label_rows", self.label_rows, 0, self.labels.n_labels)
        check_length(f"{prefix}.clusters.biases", self.clusters.biases, self.graph.n_clusters)


def _right_clusters(graph: ClusterGraph, min_edge: float) -> sparse.csr_matrix:
    """labels_by_clusters: ones where an edge is nearly as strong as the label's strongest."""
    edges = graph.clusters_by_labels().tocoo()
    strongest = np.zeros(graph.n_labels, dtype=np.float32)
    np.maximum.at(strongest, edges.col, edges.data)
    is_right = edges.data >= min_edge * strongest[edges.col]
    ones = np.ones(int(is_right.sum()), dtype=np.float32)
    shape = (graph.n_labels, graph.n_clusters)
    return sparse.csr_matrix((ones, (edges.col[is_right], edges.row[is_right])), shape=shape)


def _train_clusters(
    docs_by_features: SparseRows, docs_by_clusters: SparseRows, config: RankerConfig, seed: int, n_threads: int
) -> SparseRanker:
    """A ranker for each cluster, learned from all documents; the core takes at most 256 of them at one time."""
    n_docs, n_clusters = docs_by_clusters.n_rows, docs_by_clusters.n_columns
    groups = np.append(np.arange(0, n_clusters, _core.MAX_CHILDREN), n_clusters).astype(np.int64)
    everyone = sparse.csc_matrix(np.ones((n_docs, len(groups) - 1), dtype=np.float32))
    level = train_level(docs_by_features, docs_by_clusters, everyone, groups, config, seed, n_threads)
    weights, biases = level.weights_by_child(docs_by_features.n_columns)
    by_cluster = weights.T.tocsr()
    by_cluster.sort_indices()
    return SparseRanker(by_cluster, biases)


def _untrained(n_labels: int, n_features: int) -> SparseRanker:
    starts = np.zeros(n_labels + 1, dtype=np.int64)
    nothing = sparse.csr_matrix((np.zeros(0, np.float32), np.zeros(0, np.int32), starts), shape=(n_labels, n_features))
    return SparseRanker(nothing, np.zeros(n_labels, dtype=np.float32))


def _scores(margins: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores in 0..1: exp(-max(0, 1 - margin)^3)."""
    scores: NDArray[np.float32] = np.exp(-(np.maximum(0, 1 - margins) ** POWER)).astype(np.float32)
    return scores
