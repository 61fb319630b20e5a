"""ELIAS without torch: a learned graph of clusters and labels, searched for dense vectors (Gupta et al., 2022).

What is here is the forward pass of section 3.2; `neural/elias/train.py` learns it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.native import _core
from deixis.store.checks import check_length
from deixis.store.part import Part, array, one_of, value
from deixis.xmr.bag_encoder import BagEncoder
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.one_vs_all import VectorEncoder, sigmoid
from deixis.xmr.text_vectors import TextVectors

MAX_CELLS = 1 << 24  # shortlist entries or cluster scores held at one time


@dataclass(frozen=True, eq=False)
class LearnedIndex(Part):
    """Cluster classifiers, the graph, and label classifiers; labels are `label_rows` of all `n_labels`.

    Examples
    --------
    >>> graph = ClusterGraph(np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.array([1, 0.5, 0.5], np.float32),
    ...     beta=2.0, n_labels=2)
    >>> eye = np.eye(2, dtype=np.float32)
    >>> index = LearnedIndex(8 * eye, graph, 8 * eye, np.array([3, 7], np.int32), n_labels=9, alpha=2.0, beam=1)
    >>> index.rank(eye, k=2).indices.tolist()
    [3, 7, 3]
    """

    clusters_by_dims: Annotated[NDArray[np.float32], array(ndim=2)]
    graph: ClusterGraph
    labels_by_dims: Annotated[NDArray[np.float32], array(ndim=2)]
    label_rows: Annotated[NDArray[np.int32], array(low=0, high="n_labels", like="labels_by_dims", rising="or equal")]
    n_labels: Annotated[int, value(low=1, high=2**31 - 1)]
    alpha: float = 10.0
    beam: Annotated[int, value(low=1, high=2**31 - 1)] = 20
    n_shortlist: Annotated[int, value(low=1, high=2**31 - 1)] = 2000

    def cluster_scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """docs_by_clusters: min(1, alpha * softmax(W_C phi)) (Eq. 1)."""
        logits = vectors @ self.clusters_by_dims.T
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = raised / raised.sum(axis=1, keepdims=True)
        scores: NDArray[np.float32] = np.minimum(1, self.alpha * probabilities).astype(np.float32)
        return scores

    def shortlist(
        self, vectors: NDArray[np.float32], k: int | None = None, beam: int | None = None, n_threads: int = 0
    ) -> sparse.csr_matrix:
        """docs_by_labels shortlist scores (Eq. 6) of the best `k` labels of each row, stored best first."""
        parts = [self._shortlist(part, k, beam, n_threads) for part in self._parts(vectors)]
        return self._of_all_labels(sparse.vstack(parts, format="csr")) if parts else self._nothing()

    def rank(
        self, vectors: NDArray[np.float32], k: int = 10, beam: int | None = None, n_threads: int = 0
    ) -> sparse.csr_matrix:
        """docs_by_labels scores sigma(w.phi) * shortlist score, the best `k` labels of each row, stored best first."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        parts = [self._rank(part, k, beam, n_threads) for part in self._parts(vectors)]
        return self._of_all_labels(sparse.vstack(parts, format="csr")) if parts else self._nothing()

    def _shortlist(
        self, vectors: NDArray[np.float32], k: int | None, beam: int | None, n_threads: int
    ) -> sparse.csr_matrix:
        k, beam = self.n_shortlist if k is None else k, self.beam if beam is None else beam
        if k < 1 or beam < 1:
            raise ConfigError(f"k and beam must be at least 1, got {k} and {beam}.")
        return self.graph.shortlist(self.cluster_scores(vectors), beam, k, n_threads)

    def _rank(self, vectors: NDArray[np.float32], k: int, beam: int | None, n_threads: int) -> sparse.csr_matrix:
        short = self._shortlist(vectors, None, beam, n_threads)
        indptr = short.indptr.astype(np.int64)
        dots = _core.shortlist_dots(vectors, self.labels_by_dims, indptr, short.indices, n_threads)
        scores = sigmoid(dots) * short.data
        starts, order = _core.best_of_rows(indptr, scores, k, n_threads)
        return sparse.csr_matrix((scores[order], short.indices[order], starts), shape=short.shape)

    def _parts(self, vectors: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        n_dims = self.clusters_by_dims.shape[1]
        if vectors.ndim != 2 or vectors.shape[1] != n_dims:
            raise DataError(f"The vectors have the shape {vectors.shape}; the index takes {n_dims} dimensions.")
        step = max(1, MAX_CELLS // max(self.n_shortlist, self.graph.n_clusters))
        for start in range(0, len(vectors), step):
            yield np.ascontiguousarray(vectors[start : start + step], dtype=np.float32)

    def _of_all_labels(self, ranked: sparse.csr_matrix) -> sparse.csr_matrix:
        """The same rows with columns for all labels; `label_rows` ascend, so the order stays."""
        labels = self.label_rows[ranked.indices]
        return sparse.csr_matrix((ranked.data, labels, ranked.indptr), shape=(ranked.shape[0], self.n_labels))

    def _nothing(self) -> sparse.csr_matrix:
        return sparse.csr_matrix(np.zeros((0, self.n_labels), dtype=np.float32))

    def check_parts(self, prefix: str) -> None:
        """Clusters, labels and graph are of the same number and width."""
        check_length(f"{prefix}.clusters_by_dims", self.clusters_by_dims, self.graph.n_clusters)
        check_length(f"{prefix}.labels_by_dims", self.labels_by_dims, self.graph.n_labels)
        if self.clusters_by_dims.shape[1] != self.labels_by_dims.shape[1]:
            raise StoreError(f"The arrays of {prefix}.* do not fit each other: the model is damaged; build it again.")


@dataclass(frozen=True, eq=False)
class LearnedRanker(Part):
    """An encoder and a learned index on its vectors: everything that is needed to label documents.

    What `X` is, is the encoder's affair: rows of features for `BagEncoder`, texts for `TextVectors`.
    """

    encoder: Annotated[VectorEncoder, one_of(bag=BagEncoder, text=TextVectors)]
    index: LearnedIndex

    @property
    def n_labels(self) -> int:
        """How many labels there are; those never seen in training are not ranked."""
        return self.index.n_labels

    def encode(self, X: Any) -> NDArray[np.float32]:  # noqa: ANN401, N803 - any sparse or dense matrix
        """docs_by_dims."""
        return self.encoder.encode(X)

    def rank(self, X: Any, k: int = 10, beam: int | None = None, n_threads: int = 0) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """docs_by_labels scores of the best `k` labels of each row, stored best first."""
        return self.index.rank(self.encode(X), k, beam, n_threads)

    def with_search(self, beam: int | None = None, n_shortlist: int | None = None) -> LearnedRanker:
        """The same ranker that looks into `beam` clusters and shortlists `n_shortlist` labels."""
        index = self.index
        beam, n_shortlist = beam or index.beam, n_shortlist or index.n_shortlist
        return replace(self, index=replace(index, beam=beam, n_shortlist=n_shortlist))

    def check_parts(self, prefix: str) -> None:
        """Encoder and index have the same dimensions."""
        if self.encoder.n_dims != self.index.clusters_by_dims.shape[1]:
            raise StoreError(f"The encoder and the index of {prefix} have other dimensions: the model is damaged.")
