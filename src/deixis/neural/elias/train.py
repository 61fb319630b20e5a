"""Learns ELIAS in two stages: with fixed balanced clusters, then with edges of its own (Gupta et al., 2022, 3.4).

The label classifiers of stage 2 go on from those of stage 1 ("the rest of the stage 1 model"); their step is taken
every few batches, on the rows that were touched. Labels without a document are left out and never ranked. Where we
differ: Eq. 10 may leave a rare label without any edge; here it keeps one (`keeps_every_label`).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from deixis.errors import DataError
from deixis.neural.batches import (
    Optimizers,
    TrainableEncoder,
    all_vectors,
    checked_examples,
    first_classifiers,
    rising_and_falling,
    shuffled_batches,
)
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.graph import balanced_edges, best_matches, matched_edges
from deixis.neural.elias.model import Edges, EliasIndex, ShortlistScores, losses, pair_targets
from deixis.neural.one_vs_all.config import COSINE_WEIGHT
from deixis.neural.one_vs_all.encoder import open_encoder
from deixis.neural.threads import torch_threads
from deixis.progress import stage, steps
from deixis.xmr.learned_index import LearnedIndex, LearnedRanker

ROWS_AT_ONCE = 4096  # documents whose clusters are scored together


def train_elias(
    X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
    Y: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
    config: EliasConfig | None = None,
    seed: int = 0,
    encoder: TrainableEncoder | None = None,
    texts: Sequence[str] | None = None,
    n_threads: int = 0,
) -> LearnedRanker:
    """A ranker with a learned index, from rows of features and their labels; values of `Y` in (0, 1] are targets.

    The encoder is what `config.encoder` names, or one that is given. One of texts (`TextModule`) reads `texts`; the
    rows of features are then only what labels are clustered by.

    Examples
    --------
    >>> eye = np.eye(4, dtype=np.float32)
    >>> config = EliasConfig(labels_per_cluster=2, n_epochs_fixed=30, n_epochs_learned=30, batch_size=4)
    >>> train_elias(eye, eye, config).rank(eye, k=1).indices.tolist()
    [0, 1, 2, 3]
    """
    with torch_threads(n_threads):
        training = EliasTraining(X, Y, config or EliasConfig(), seed, encoder, texts)
        training.run(training.config.n_epochs_fixed, "stage 1")
        if training.config.n_epochs_learned:
            training.learn_edges()
            training.run(training.config.n_epochs_learned, "stage 2")
    return training.ranker()


class EliasTraining:
    """The state between stages: encoder, index and label classifiers, and what they learn from."""

    def __init__(
        self,
        X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
        Y: Any,  # noqa: ANN401, N803
        config: EliasConfig,
        seed: int = 0,
        encoder: TrainableEncoder | None = None,
        texts: Sequence[str] | None = None,
    ) -> None:
        self.config, self.seed = config, seed
        features, targets = checked_examples(X, Y)
        if texts is not None and len(texts) != features.shape[0]:
            raise DataError(f"There are {len(texts)} texts and {features.shape[0]} rows; they must be as many.")
        self._inputs: Any = features if texts is None else texts
        self.n_labels = targets.shape[1]
        self.label_rows = np.flatnonzero(targets.getnnz(axis=0)).astype(np.int32)
        if not len(self.label_rows):
            raise DataError("Nothing to learn from: no document has a label.")
        self._targets = targets[:, self.label_rows].tocsr()
        self._targets.sort_indices()
        torch.manual_seed(seed)
        self.module = encoder or open_encoder(config.encoder, config.bag, config.text, features.shape[1], texts)
        with stage("grouping labels into clusters"):
            edges, docs_by_clusters = balanced_edges(features, self._targets, config, seed)
        scale, vectors = config.bag.scale, all_vectors(self.module, self._inputs, self._targets.shape[0])
        self.classifiers = first_classifiers(vectors, self._targets, COSINE_WEIGHT, scale)
        clusters = first_classifiers(vectors, docs_by_clusters, COSINE_WEIGHT, scale)
        equal = torch.zeros(len(edges.labels))
        self.index = EliasIndex(clusters, edges, equal, False, config.alpha, config.labels_per_cluster)

    def run(self, n_epochs: int, name: str) -> None:
        """Train for so many passes over the documents."""
        config, n_rows = self.config, self._targets.shape[0]
        n_steps = n_epochs * -(-n_rows // config.batch_size)
        optimizers = Optimizers(self.module, config.embedding_rate, self._rates(), n_steps)
        labels = LabelSteps(self.classifiers, config.classifier_rate, config.classifier_every, n_steps)
        self.module.train()
        with steps(f"training ELIAS, {name}", n_steps) as advance:
            for rows in shuffled_batches(n_rows, config.batch_size, n_epochs, self.seed):
                loss = self._loss(rows, labels.slopes)
                loss.backward()
                optimizers.step()
                labels.step()
                advance(1, f"loss {loss.item():.3f}")
        labels.finish()

    def _loss(self, rows: NDArray[np.int64], slopes: Tensor) -> Tensor:
        config, targets = self.config, self._targets[rows]
        vectors = self.module.vectors(self._inputs, rows)
        if not vectors.requires_grad:  # of a fixed encoder: the slope by the classifiers is still needed
            vectors = vectors.detach().requires_grad_()
        cluster_scores, edge_scores = self.index.cluster_scores(vectors), self.index.edge_scores()
        shortlisted = self.index.shortlist(cluster_scores, edge_scores, targets, config.beam, config.n_shortlist)
        path_scores = self.index.path_scores(cluster_scores, edge_scores, shortlisted)
        logits = ShortlistScores.apply(vectors, self.classifiers, slopes, shortlisted)
        classification, shortlist = losses(logits, path_scores, pair_targets(targets, shortlisted))
        return (classification + config.shortlist_weight * shortlist) / len(rows)

    def _rates(self) -> dict[nn.Parameter, float]:
        own_rate = self.module.own_rate or self.config.learning_rate
        rates = dict.fromkeys(self.module.dense_parameters(), own_rate)
        rates[self.index.clusters] = self.config.learning_rate
        if self.index.weights.requires_grad:
            rates[self.index.weights] = self.config.edge_rate
        return rates

    def learn_edges(self) -> None:
        """Give the index edges to learn, those that documents and clusters have most in common (Eq. 9-10)."""
        vectors = torch.from_numpy(all_vectors(self.module, self._inputs, self._targets.shape[0]))
        with torch.no_grad():  # part by part: the scores of all documents for all clusters would not fit
            parts = (self.index.cluster_scores(part).numpy() for part in vectors.split(ROWS_AT_ONCE))
            matches = sparse.vstack([best_matches(part, self.config.beam) for part in parts], format="csr")
        _, n_edges = self.config.sizes(len(self.label_rows))
        edges = matched_edges(matches, self._targets, n_edges, self.config.keeps_every_label)
        generator = torch.Generator().manual_seed(self.seed)
        weights = torch.rand(len(edges.labels), generator=generator)
        weights[torch.from_numpy(self._is_own(edges))] += self.config.warm_edges
        clusters = self.index.clusters.detach().clone()
        self.index = EliasIndex(clusters, edges, weights, True, self.config.alpha, self.config.labels_per_cluster)

    def _is_own(self, edges: Edges) -> NDArray[np.bool_]:
        """Which edges lead to a label from the cluster that it has now."""
        before = self.index.edges
        cluster_of_label = np.empty(before.n_labels, dtype=np.int64)
        cluster_of_label[before.labels] = np.repeat(np.arange(len(before.starts) - 1), np.diff(before.starts))
        clusters = np.repeat(np.arange(len(edges.starts) - 1), np.diff(edges.starts))
        is_own: NDArray[np.bool_] = cluster_of_label[edges.labels] == clusters
        return is_own

    def ranker(self) -> LearnedRanker:
        """What it has learned so far, for use without torch."""
        clusters, classifiers = self.index.clusters.detach().numpy().copy(), self.classifiers.numpy().copy()
        index = LearnedIndex(
            clusters, self.index.frozen(), classifiers, self.label_rows, self.n_labels, self.config.alpha,
            self.config.beam, self.config.n_shortlist,
        )  # fmt: skip
        return LearnedRanker(self.module.frozen(), index)

    def fork(self) -> EliasTraining:
        """A copy that can be trained another way."""
        other = copy.copy(self)
        other.module, other.index = copy.deepcopy(self.module), copy.deepcopy(self.index)
        other.classifiers = self.classifiers.clone()
        return other


class LabelSteps:
    """Steps of sparse Adam for the label classifiers: slopes of several batches are added up, then used together."""

    def __init__(self, classifiers: Tensor, rate: float, every: int, n_steps: int) -> None:
        self.slopes = torch.zeros_like(classifiers)
        self._parameter = nn.Parameter(classifiers)
        self._every, self._n_waiting = every, 0
        self._optimizer = torch.optim.SparseAdam([self._parameter], lr=rate)
        n_updates = -(-n_steps // every)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, rising_and_falling(n_updates))

    def step(self) -> None:
        """One batch more; the classifiers change when enough have come."""
        self._n_waiting += 1
        if self._n_waiting == self._every:
            self.finish()

    def finish(self) -> None:
        """Use what has been added up."""
        if not self._n_waiting:
            return
        rows = torch.nonzero(self.slopes.abs().amax(dim=1)).ravel()
        values = self.slopes[rows] / self._n_waiting
        self._parameter.grad = torch.sparse_coo_tensor(
            rows[None], values, self.slopes.shape, check_invariants=False, is_coalesced=True
        )
        self._optimizer.step()
        self._schedule.step()
        self.slopes[rows] = 0
        self._n_waiting = 0
