"""A linear classifier for every label, trained and used only where a first stage shortlisted the label.

The sparse ranker of Gupta et al. (ELIAS, NeurIPS 2022, section 3.5): a label learns from the documents that
shortlisted it, and from those that have it even if they did not. The solver is that of the label tree, with each label
alone below a parent of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.features.row_dots import row_dots
from deixis.native import _core
from deixis.progress import stage
from deixis.store.checks import check_indptr, check_length, require, require_value
from deixis.xmr.linear_rankers import RankerConfig, train_level
from deixis.xmr.negatives import with_matched
from deixis.xmr.sparse_rows import SparseRows

# The margin of a label that was never shortlisted: negative.
NEVER_SEEN = -1.0


@dataclass(frozen=True, eq=False)
class SparseRanker:
    """Scores the labels of a shortlist by linear classifiers: `labels_by_features` weights and a bias per label.

    Examples
    --------
    >>> X = sparse.csr_matrix([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> Y = sparse.csr_matrix([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> shortlist = sparse.csr_matrix(np.ones((3, 2), dtype=np.float32))
    >>> ranker = SparseRanker.fit(X, Y, shortlist)
    >>> np.sign(ranker.scores(X, shortlist).toarray()).tolist()
    [[1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]
    """

    labels_by_features: sparse.csr_matrix
    biases: NDArray[np.float32]

    @classmethod
    def fit(
        cls,
        X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
        Y: Any,  # noqa: ANN401, N803
        shortlist: sparse.csr_matrix,
        config: RankerConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        *,
        is_soft: bool = False,
    ) -> SparseRanker:
        """Learn from `X` (docs_by_features), `Y` (docs_by_labels) and what a first stage found (docs_by_labels).

        Positives of a label are the documents that have it, negatives the others that shortlisted it. With `is_soft` a
        positive with target t costs `t * C` in the SVM; without it the values of `Y` are ignored.
        """
        if not 0 <= seed < 2**63:
            raise ConfigError(f"The seed must lie in 0..2^63 - 1, got {seed}.")
        docs_by_features = SparseRows.of(X, "feature matrix")
        docs_by_labels = SparseRows.targets(Y) if is_soft else SparseRows.of(Y, "label matrix").indicators()
        n_docs, n_labels = docs_by_labels.n_rows, docs_by_labels.n_columns
        if docs_by_features.n_rows != n_docs:
            raise DataError(f"X has {docs_by_features.n_rows} rows and Y has {n_docs}; they must be as many.")
        if shortlist.shape != (n_docs, n_labels):
            raise DataError(f"The shortlist has the shape {shortlist.shape}; Y has {(n_docs, n_labels)}.")
        with stage("learning the sparse ranker"):
            instances = with_matched(docs_by_labels, shortlist.indptr.astype(np.int64), shortlist.indices)
            each_alone = np.arange(n_labels + 1, dtype=np.int64)
            level = train_level(
                docs_by_features, docs_by_labels, instances, each_alone, config or RankerConfig(), seed, n_threads,
                is_soft=is_soft,
            )  # fmt: skip
            weights, biases = level.weights_by_child(docs_by_features.n_columns)
        biases[np.diff(instances.indptr) == 0] = NEVER_SEEN
        by_label = weights.T.tocsr()
        by_label.sort_indices()
        return cls(by_label, biases)

    @property
    def n_labels(self) -> int:
        """How many labels it knows."""
        return len(self.biases)

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return int(self.labels_by_features.shape[1])

    @property
    def n_weights(self) -> int:
        """How many weights are not zero."""
        return int(self.labels_by_features.nnz)

    def scores(self, X: Any, shortlist: sparse.csr_matrix, n_threads: int = 0) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """The margin of each label of the shortlist, above 0 for a yes: same places, stored in the same order."""
        rows = SparseRows.of(X, "feature matrix")
        if rows.n_columns != self.n_features:
            raise DataError(f"The rows have {rows.n_columns} features; the ranker was fitted on {self.n_features}.")
        if shortlist.shape != (rows.n_rows, self.n_labels):
            raise DataError(f"The shortlist has the shape {shortlist.shape}; {(rows.n_rows, self.n_labels)} is needed.")
        dots = row_dots(rows.matrix(), shortlist.indptr, self.labels_by_features, shortlist.indices, n_threads)
        margins = dots + self.biases[shortlist.indices]
        return sparse.csr_matrix((margins, shortlist.indices, shortlist.indptr), shape=shortlist.shape)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""
        weights = self.labels_by_features
        return {
            f"{prefix}.n_features": np.array(self.n_features),
            f"{prefix}.indptr": weights.indptr.astype(np.int64),
            f"{prefix}.indices": weights.indices.astype(np.int32),
            f"{prefix}.weights": weights.data,
            f"{prefix}.biases": self.biases,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> SparseRanker:
        """The ranker `to_arrays` gave, checked; arrays on disk stay there until they are read."""
        n_features = require_value(arrays, f"{prefix}.n_features", int, 0, _core.MAX_COLUMNS)
        indptr = require(arrays, f"{prefix}.indptr", np.int64)
        indices = require(arrays, f"{prefix}.indices", np.int32)
        weights = require(arrays, f"{prefix}.weights", np.float32)
        biases = require(arrays, f"{prefix}.biases", np.float32)
        check_indptr(f"{prefix}.indptr", indptr, len(indices))
        check_length(f"{prefix}.indptr", indptr, len(biases) + 1)
        check_length(f"{prefix}.weights", weights, len(indices))
        if _core.check_rows(indptr, indices, weights, n_features) or not np.isfinite(biases).all():
            raise StoreError(f"The weights of {prefix} lie outside their matrix or are not numbers: build it again.")
        return cls(sparse.csr_matrix((weights, indices, indptr), shape=(len(biases), n_features)), biases)
