"""A first stage, a sparse ranker over its best labels, and a calibration of both scores (ELIAS++, section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError
from deixis.progress import stage
from deixis.store.checks import check_length, check_range, require
from deixis.xmr.averaging import Ranker, best_first
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.score_tree import ScoreTree, ScoreTreeConfig
from deixis.xmr.scored_pairs import ScoredPairs
from deixis.xmr.sparse_ranker import SparseRanker
from deixis.xmr.sparse_rows import SparseRows
from deixis.xmr.text_rows import feature_rows


@runtime_checkable
class Encoder(Protocol):
    """A ranker that can also tell the dense vectors it works on."""

    def encode(self, X: Any) -> NDArray[np.float32]:  # noqa: ANN401, N803
        """A dense vector for each row."""


SCORE_TREE = ScoreTreeConfig()  # it chooses its own depth by cross-validation


@dataclass(frozen=True)
class CombinedConfig(Config):
    """How the second stage learns."""

    RETIRED = {"calibration": None}

    n_shortlisted: int = setting(100, "Labels of the first stage that are scored again.", low=1)
    ranker: RankerConfig = field(default_factory=lambda: RankerConfig(min_weight=0.05))
    dense_weight: float = setting(
        0.3, "Length of the dense part of a row; the sparse part comes as it is. 0 for none.", low=0, is_fixed=True
    )
    n_held_out: int = setting(5000, "Held-out documents that scores are calibrated on.", low=1)


def joined_features(X_sparse: Any, vectors: NDArray[np.floating], weight: float = 1.0) -> sparse.csr_matrix:  # noqa: ANN401, N803
    """Sparse rows with dense ones to their right; the dense ones are scaled to the length `weight`.

    Examples
    --------
    >>> joined_features(sparse.csr_matrix([[0.5, 0]]), np.array([[0, 4.0]])).toarray().tolist()
    [[0.5, 0.0, 0.0, 1.0]]
    """
    rows = sparse.csr_matrix(X_sparse, dtype=np.float32)
    if rows.shape[0] != len(vectors):
        raise DataError(f"There are {rows.shape[0]} sparse rows and {len(vectors)} dense ones; they must be as many.")
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    scales = np.divide(weight, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    scaled = sparse.csr_matrix((vectors * scales[:, None]).astype(np.float32))
    return sparse.csr_matrix(sparse.hstack([rows, scaled], format="csr"))


class CombinedRanker:
    """Ranks the first stage's best labels again. Without a calibration, by the combined score alone.

    Examples
    --------
    >>> from deixis.xmr.model import LabelTreeRanker
    >>> X = sparse.csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 2, 3] * 5])
    >>> Y = sparse.csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 1, 2] * 5])
    >>> ranker = CombinedRanker.fit(LabelTreeRanker().fit(X, Y), X, Y)
    >>> ranker.rank(X[:4], k=1).indices.tolist()
    [0, 1, 1, 2]
    """

    def __init__(
        self,
        first: Ranker,
        sparse_ranker: SparseRanker,
        label_counts: NDArray[np.int64],
        calibration: ScoreTree | None = None,
        config: CombinedConfig | None = None,
        n_threads: int = 0,
    ) -> None:
        self.first = first
        self.sparse_ranker = sparse_ranker
        self.label_counts = label_counts
        self.calibration = calibration
        self.config = config or CombinedConfig()
        self.n_threads = n_threads

    @classmethod
    def fit(
        cls,
        first: Ranker,
        X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
        Y: Any,  # noqa: ANN401, N803
        config: CombinedConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        *,
        is_soft: bool = False,
    ) -> CombinedRanker:
        """The sparse ranker on what the fitted `first` finds for its training documents; not calibrated yet.

        With `is_soft` the values of `Y` are targets, as for `SparseRanker.fit`.
        """
        config = config or CombinedConfig()
        docs_by_labels = SparseRows.targets(Y) if is_soft else SparseRows.of(Y, "label matrix").indicators()
        with stage("making shortlists"):
            shortlist = first.rank(X, config.n_shortlisted)
            features = _features(first, X, config)
        ranker = SparseRanker.fit(
            features, docs_by_labels.matrix(), shortlist, config.ranker, seed, n_threads, is_soft=is_soft
        )
        counts = np.bincount(docs_by_labels.indices, minlength=docs_by_labels.n_columns).astype(np.int64)
        return cls(first, ranker, counts, None, config, n_threads)

    def calibrated(self, X: Any, Y: Any, seed: int = 0) -> CombinedRanker:  # noqa: ANN401, N803
        """The same ranker with scores calibrated on documents that neither stage has learned from.

        The first `n_held_out` of them count.
        """
        n = self.config.n_held_out
        shortlist, margins = self.both_scores(X[:n])
        truth = SparseRows.of(Y, "label matrix").indicators().matrix()[:n]
        is_right = np.isin(_cells(shortlist), _cells(truth))
        with stage("calibrating scores"):
            tree = ScoreTree.fit(self._pairs(shortlist, margins), is_right, SCORE_TREE, seed)
        return CombinedRanker(self.first, self.sparse_ranker, self.label_counts, tree, self.config, self.n_threads)

    def both_scores(self, X: Any, n: int = 0) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:  # noqa: ANN401, N803
        """The first stage's scores of its best labels and the sparse ranker's margins, in the same places."""
        shortlist = self.first.rank(X, max(n, self.config.n_shortlisted))
        return shortlist, self.sparse_ranker.scores(_features(self.first, X, self.config), shortlist, self.n_threads)

    def rank(self, X: Any, k: int = 10) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """docs_by_labels scores in 0..1 of the best `k` labels of each row, stored best first.

        At least `n_shortlisted` labels are shortlisted, and `k` if that is more.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        shortlist, margins = self.both_scores(X, k)
        pairs = self._pairs(shortlist, margins)
        calibration = self.calibration
        scores = pairs.combined if calibration is None else calibration.spread(pairs.features, pairs.combined)
        return best_first(shortlist.indptr, shortlist.indices, scores, shortlist.shape[1], k, pairs.combined)

    def _pairs(self, shortlist: sparse.csr_matrix, margins: sparse.csr_matrix) -> ScoredPairs:
        counts = self.label_counts[shortlist.indices]
        return ScoredPairs.of(shortlist.indptr, shortlist.data, margins.data, counts)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The second stage as flat arrays under names that begin with `prefix`; the first has arrays of its own."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.label_counts": self.label_counts}
        arrays |= self.sparse_ranker.to_arrays(f"{prefix}.sparse_ranker")
        return arrays if self.calibration is None else arrays | self.calibration.to_arrays(f"{prefix}.calibration")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        first: Ranker,
        config: CombinedConfig | None = None,
        n_threads: int = 0,
    ) -> CombinedRanker:
        """The second stage `to_arrays` gave, checked, on top of the first stage it learned from."""
        ranker = SparseRanker.from_arrays(arrays, f"{prefix}.sparse_ranker")
        counts = require(arrays, f"{prefix}.label_counts", np.int64)
        check_length(f"{prefix}.label_counts", counts, ranker.n_labels)
        check_range(f"{prefix}.label_counts", counts, 0, np.inf)
        is_calibrated = any(name.startswith(f"{prefix}.calibration.") for name in arrays)
        tree = ScoreTree.from_arrays(arrays, f"{prefix}.calibration") if is_calibrated else None
        return cls(first, ranker, counts, tree, config, n_threads)


def _features(first: Ranker, X: Any, config: CombinedConfig) -> sparse.csr_matrix:  # noqa: ANN401, N803
    """What the sparse ranker sees of rows: the rows, and the first stage's vectors if it has any."""
    if config.dense_weight > 0 and isinstance(first, Encoder):
        return joined_features(feature_rows(X), first.encode(X), config.dense_weight)
    return sparse.csr_matrix(feature_rows(X), dtype=np.float32)


def _cells(docs_by_labels: sparse.csr_matrix) -> NDArray[np.int64]:
    """A number for each stored place."""
    rows = np.repeat(np.arange(docs_by_labels.shape[0], dtype=np.int64), np.diff(docs_by_labels.indptr))
    cells: NDArray[np.int64] = rows * docs_by_labels.shape[1] + docs_by_labels.indices
    return cells
