"""What might help ELIAS, tried once each on dev: `python -m benchmarks.xmc.elias_trials [--record]`.

8,000 laws of eurlex57k and the settings of `benchmarks.xmc.elias`, one seed. Each trial changes both stages:

- `as-it-is`: nothing changed;
- `random-clusters`: with every document, all labels of some clusters drawn at random are in the training shortlist as
  negatives, so that a label's classifier also learns from documents that are far from its cluster;
- `weight-decay`: classifiers of clusters and labels and the encoder's layer shrink by a share in every step.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from benchmarks.rows import record, start_run
from benchmarks.xmc.elias import CONFIGS, N_HELD_OUT
from benchmarks.xmc.elias_rows import Learned, Table, by_part, split_dev
from benchmarks.xmc.matrices import Matrices, matrices
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.model import EliasIndex, Shortlist
from deixis.neural.elias.train import EliasTraining
from deixis.xmr.cluster_graph import strongest_clusters

DATASET, N_DOCUMENTS, SEED = "eurlex57k", 8000, 0
N_RANDOM = 3  # clusters with each document
DECAY = 1e-3  # of every weight, in a step: AdamW's 0.2 at the rate of label classifiers


class RandomClusters(EliasIndex):
    """An index whose training shortlist also has the labels of clusters drawn at random."""

    @classmethod
    def of(cls, index: EliasIndex) -> RandomClusters:
        """The same index, as it is now."""
        clusters, weights = index.clusters.detach().clone(), index.weights.detach().clone()
        return cls(clusters, index.edges, weights, index.weights.requires_grad, index.alpha, index.beta)

    def shortlist(
        self,
        cluster_scores: torch.Tensor,
        edge_scores: torch.Tensor,
        targets: sparse.csr_matrix | None,
        beam: int,
        k: int,
    ) -> Shortlist:
        """As before; labels that are kept whatever their score are those of the document and the drawn ones."""
        kept = None if targets is None else with_random_clusters(targets, self.clusters_of_labels(), N_RANDOM)
        return super().shortlist(cluster_scores, edge_scores, kept, beam, k)

    def clusters_of_labels(self) -> NDArray[np.int32]:
        """The cluster of each label's strongest edge; -1 without any."""
        weights = self.weights.detach().numpy()
        return strongest_clusters(self.edges.starts, self.edges.labels, weights, self.edges.n_labels, self._by_label)


def with_random_clusters(
    docs_by_labels: sparse.csr_matrix, label_to_cluster: NDArray[np.int32], n_random: int
) -> sparse.csr_matrix:
    """The labels of each document and those of clusters drawn for it, at most `n_random`."""
    n_docs, n_labels = docs_by_labels.shape
    labels = np.flatnonzero(label_to_cluster >= 0)
    n_clusters = int(label_to_cluster.max()) + 1
    ones = np.ones(len(labels), dtype=np.float32)
    clusters_by_labels = sparse.csr_matrix((ones, (label_to_cluster[labels], labels)), shape=(n_clusters, n_labels))
    drawn = torch.randint(n_clusters, (n_docs * n_random,)).numpy()
    rows = np.repeat(np.arange(n_docs), n_random)
    docs_by_clusters = sparse.csr_matrix((np.ones(len(drawn), dtype=np.float32), (rows, drawn)), (n_docs, n_clusters))
    both = (docs_by_labels + docs_by_clusters @ clusters_by_labels).tocsr()
    both.sort_indices()
    return both


class Trial(EliasTraining):
    """A training with one of the changes."""

    change = ""

    def changed(self, change: str) -> Trial:
        """The same training with this change from now on."""
        self.change = change
        self._draw()
        return self

    def _draw(self) -> None:
        if self.change == "random-clusters":
            self.index = RandomClusters.of(self.index)

    def learn_edges(self) -> None:
        """The edges of stage 2, with the change."""
        super().learn_edges()
        self._draw()

    def _loss(self, rows: NDArray[np.int64], slopes: torch.Tensor) -> torch.Tensor:
        if self.change == "weight-decay":
            with torch.no_grad():
                for weights in (self.classifiers, self.index.clusters, *self.module.dense_parameters()):
                    weights.mul_(1 - DECAY)
        return super()._loss(rows, slopes)


def learned(made: Matrices, config: EliasConfig, change: str) -> Learned:
    """ELIAS with a change, after both stages."""
    started = time.process_time()
    training = Trial(made.X_train, made.Y_train, config, SEED).changed(change)
    training.run(config.n_epochs_fixed, "stage 1")
    training.learn_edges()
    training.run(config.n_epochs_learned, "stage 2")
    return Learned(by_part(made, training.ranker().rank), time.process_time() - started)


def main() -> None:
    """Print the table; record its rows if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    start_run(is_recorded=given.record)
    torch.set_num_threads(1)
    config = CONFIGS[DATASET]
    made, *_ = split_dev(matrices(DATASET, N_DOCUMENTS), N_HELD_OUT)
    table = Table(made, ("dev",))
    settings = {"documents": N_DOCUMENTS, "seeds": [SEED], "n_random": N_RANDOM, "decay": DECAY}
    with threadpool_limits(1):
        for change in ("as-it-is", "random-clusters", "weight-decay"):
            table.add(change, learned(made, config, change))
    if given.record:
        record(table.rows(f"xmc/{DATASET}-{N_DOCUMENTS}/trials", settings))


if __name__ == "__main__":
    main()
