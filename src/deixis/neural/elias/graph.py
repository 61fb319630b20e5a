"""Which edges the index has: those of balanced clusters at first, then those that were matched (ELIAS, section 3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.model import Edges
from deixis.xmr.cluster_graph import strongest_clusters
from deixis.xmr.label_features import aggregate_positive_instances
from deixis.xmr.label_tree import TreeConfig, build_label_tree
from deixis.xmr.sparse_rows import SparseRows


def balanced_edges(
    features: sparse.csr_matrix, targets: sparse.csr_matrix, config: EliasConfig, seed: int
) -> tuple[Edges, sparse.csr_matrix]:
    """Edges of balanced clusters, each label in one, and docs_by_clusters: ones where a document has a label of it."""
    labels_by_features = aggregate_positive_instances(SparseRows.of(features), SparseRows.of(targets).indicators())
    tree_config = TreeConfig(max_leaf_size=config.labels_per_cluster, balance="balanced")
    tree = build_label_tree(labels_by_features, tree_config, seed, n_threads=1)
    starts = tree.child_starts[-1].astype(np.int64)
    clusters = np.empty(tree.n_labels, dtype=np.int64)
    clusters[tree.label_order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ones = np.ones(tree.n_labels, dtype=np.float32)
    labels_by_clusters = sparse.csr_matrix((ones, (np.arange(tree.n_labels), clusters)))
    docs_by_clusters = ((targets > 0) @ labels_by_clusters > 0).astype(np.float32).tocsr()
    return Edges(starts, tree.label_order.astype(np.int32), tree.n_labels), docs_by_clusters


def best_matches(cluster_scores: NDArray[np.float32], beam: int) -> sparse.csr_matrix:
    """docs_by_clusters: each document's `beam` best cluster scores, M of Eq. 9.

    Examples
    --------
    >>> best_matches(np.array([[0.5, 0.25, 1.0]], dtype=np.float32), beam=2).toarray().tolist()
    [[0.5, 0.0, 1.0]]
    """
    n_docs, n_clusters = cluster_scores.shape
    beam = min(beam, n_clusters)
    best = np.argpartition(-cluster_scores, beam - 1, axis=1)[:, :beam]
    indptr = np.arange(n_docs + 1, dtype=np.int64) * beam
    values = np.take_along_axis(cluster_scores, best, axis=1).ravel()
    return sparse.csr_matrix((values, best.ravel(), indptr), shape=cluster_scores.shape)


def matched_edges(
    matches: sparse.csr_matrix, targets: sparse.csr_matrix, n_edges: int, keeps_every_label: bool = False
) -> Edges:
    """The `n_edges` labels of each cluster for which it is matched most: the largest of each row of M'Y (Eq. 10).

    `matches` is M. Only labels matched at all are kept; the lower among equals. With `keeps_every_label` a label that
    no cluster kept has an edge from the cluster that is matched most for it.

    Examples
    --------
    >>> matches = best_matches(np.array([[0.9, 0.1], [0.8, 0.3], [0.2, 1.0]], dtype=np.float32), beam=1)
    >>> targets = sparse.csr_matrix([[1, 0, 0], [1, 0, 1], [0, 1, 1]], dtype=np.float32)
    >>> edges = matched_edges(matches, targets, n_edges=1)
    >>> edges.starts.tolist(), edges.labels.tolist()
    ([0, 1, 2], [0, 1])
    >>> matched_edges(matches, targets, n_edges=1, keeps_every_label=True).labels.tolist()
    [0, 1, 2]
    """
    clusters_by_labels = (matches.T @ targets).tocsr()
    label_lists = [_largest(clusters_by_labels, cluster, n_edges) for cluster in range(matches.shape[1])]
    if keeps_every_label:
        label_lists = _with_lost(label_lists, clusters_by_labels)
    starts = np.concatenate([[0], np.cumsum([len(labels) for labels in label_lists])]).astype(np.int64)
    return Edges(starts, np.concatenate(label_lists).astype(np.int32), targets.shape[1])


def _largest(rows: sparse.csr_matrix, row: int, k: int) -> NDArray[np.int32]:
    """The columns of a row's largest values, ascending."""
    span = slice(rows.indptr[row], rows.indptr[row + 1])
    columns, values = rows.indices[span], rows.data[span]
    largest = columns[np.lexsort((columns, -values))[:k]]
    return np.sort(largest[: np.count_nonzero(values > 0)])


def _with_lost(label_lists: list[NDArray[np.int32]], clusters_by_labels: sparse.csr_matrix) -> list[NDArray[np.int32]]:
    """The same rows, and each label that is in none of them in the row where its value is largest."""
    is_kept = np.zeros(clusters_by_labels.shape[1], dtype=bool)
    is_kept[np.concatenate(label_lists)] = True
    by_row = clusters_by_labels
    strongest = strongest_clusters(by_row.indptr.astype(np.int64), by_row.indices, by_row.data, by_row.shape[1])
    strongest[is_kept] = -1
    return [np.union1d(labels, np.flatnonzero(strongest == row)) for row, labels in enumerate(label_lists)]
