"""One ranking out of several of the same rows: trees of an ensemble, or whole rankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError
from deixis.scipy_sparse import sparse

# Rankers whose scores are averaged each give at least this many labels, so that the first few do not depend on how
# many are wanted.
MIN_EACH = 100


class Ranker(Protocol):
    """Anything that ranks labels for feature rows."""

    def rank(self, X: Any, k: int) -> sparse.csr_matrix:  # noqa: ANN401, N803 - any sparse or dense matrix
        """docs_by_labels scores in 0..1 of the best `k` labels of each row, stored best first."""


@dataclass(frozen=True)
class AverageRanker:
    """The mean of several rankers' scores, such as three that learned from other seeds.

    Examples
    --------
    >>> from deixis.xmr.model import LabelTreeRanker
    >>> X = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> AverageRanker([LabelTreeRanker(seed=seed).fit(X, X) for seed in (0, 1)]).rank(X, k=1).indices.tolist()
    [0, 1, 2]
    """

    rankers: Sequence[Ranker]

    def __post_init__(self) -> None:
        if not self.rankers:
            raise ConfigError("An average needs at least one ranker, got none.")

    def rank(self, X: Any, k: int = 10) -> sparse.csr_matrix:  # noqa: ANN401, N803
        """docs_by_labels mean scores of the best `k` labels of each row, stored best first."""
        return average_rankings([ranker.rank(X, max(k, MIN_EACH)) for ranker in self.rankers], k)


def average_rankings(ranked: Sequence[sparse.csr_matrix], k: int) -> sparse.csr_matrix:
    """The mean score over rankings (0 where one did not find a label), best k of each row, best first.

    Examples
    --------
    >>> one, two = sparse.csr_matrix([[0.5, 0.25, 0]]), sparse.csr_matrix([[0, 0.75, 0.25]])
    >>> best = average_rankings([one, two], k=2)
    >>> best.indices.tolist(), best.data.tolist()
    ([1, 0], [0.5, 0.25])
    """
    n_rows, n_labels = ranked[0].shape
    rows = [np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(one.indptr)) for one in ranked]
    cells = np.concatenate([row * n_labels + one.indices for row, one in zip(rows, ranked, strict=True)])
    cells, numbers = np.unique(cells, return_inverse=True)
    totals = np.bincount(numbers, weights=np.concatenate([one.data for one in ranked]), minlength=len(cells))
    row_of_cell, labels = np.divmod(cells, n_labels)
    starts = np.searchsorted(row_of_cell, np.arange(n_rows + 1))
    return best_first(starts, labels, totals / len(ranked), n_labels, k)


def best_first(
    starts: NDArray[np.integer],
    labels: NDArray[np.integer],
    scores: NDArray[np.floating],
    n_labels: int,
    k: int,
    then_by: NDArray[np.floating] | None = None,
) -> sparse.csr_matrix:
    """The best `k` of each row, best first; equal scores in the order of `then_by`, and after it of the labels.

    Row `i` has the labels and scores at `starts[i]` up to `starts[i + 1]`.

    Examples
    --------
    >>> best = best_first(np.array([0, 3]), np.array([5, 6, 7]), np.array([0.2, 0.9, 0.2]), 8, k=2)
    >>> best.indices.tolist()
    [6, 5]
    """
    n_rows, values = len(starts) - 1, scores.astype(np.float32)
    rows = np.repeat(np.arange(n_rows), np.diff(starts))
    ties = () if then_by is None else (-then_by,)
    order = np.lexsort((labels, *ties, -values, rows))
    best = order[np.arange(len(order)) - starts[rows] < k]
    indptr = np.concatenate([[0], np.cumsum(np.minimum(np.diff(starts), k))])
    return sparse.csr_matrix((values[best], labels[best].astype(np.int32), indptr), shape=(n_rows, n_labels))
