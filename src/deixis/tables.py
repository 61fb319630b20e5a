"""Candidates of many mentions as arrays, with what each list that proposed them says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Proposals:
    """Mention `i` has the different rows `rows[starts[i]:starts[i + 1]]`, and each row a number per signal.

    Examples
    --------
    >>> alike = sparse.csr_matrix(np.array([[0.9, 0.5, 0.0]], dtype=np.float32))
    >>> named = sparse.csr_matrix(np.array([[0.0, 1.0, 0.5]], dtype=np.float32))
    >>> merged = Proposals.merged({"names": alike, "alias": named})
    >>> merged.rows.tolist(), merged.signals["alias"].tolist()
    ([0, 1, 2], [0.0, 1.0, 0.5])
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    signals: Mapping[str, NDArray[np.float32]]

    @classmethod
    def merged(cls, lists: Mapping[str, sparse.csr_matrix]) -> Proposals:
        """What any of the lists (mentions_by_entities) proposes, each row once, in their order; 0 where not."""
        some = next(iter(lists.values()))
        n_mentions, n_rows = some.shape
        keys = {name: _pairs(ranked) for name, ranked in lists.items()}
        every = np.sort(np.concatenate(list(keys.values())))
        pairs = every[np.diff(every, prepend=-1) > 0]  # np.unique hashes, which takes ten times as long
        starts = np.searchsorted(pairs, np.arange(n_mentions + 1, dtype=np.int64) * n_rows)
        signals = {}
        for name, ranked in lists.items():
            signals[name] = np.zeros(len(pairs), dtype=np.float32)
            signals[name][np.searchsorted(pairs, keys[name])] = ranked.data
        return cls(starts, pairs - np.repeat(np.arange(n_mentions) * n_rows, np.diff(starts)), signals)

    @property
    def mention_numbers(self) -> NDArray[np.int64]:
        """The mention that each row was proposed for."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def as_matrix(self, n_rows: int) -> sparse.csr_matrix:
        """mentions_by_entities with a one at each proposed place."""
        ones = np.ones(len(self.rows), dtype=np.float32)
        return sparse.csr_matrix((ones, self.rows, self.starts), shape=(len(self.starts) - 1, n_rows))

    def best(self, scores: NDArray[np.floating], k: int, n_rows: int) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` of each mention by these scores, stored best first; ties by row."""
        order = np.lexsort((self.rows, -scores, self.mention_numbers))
        is_kept = np.arange(len(order)) - np.repeat(self.starts[:-1], np.diff(self.starts)) < k
        chosen = order[is_kept]
        indptr = np.concatenate([[0], np.cumsum(np.minimum(np.diff(self.starts), k))])
        return sparse.csr_matrix((scores[chosen], self.rows[chosen], indptr), shape=(len(self.starts) - 1, n_rows))

    def group_max(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """The largest value of each mention, once for each of its rows."""
        return _spread(np.maximum, values, self.starts)

    def group_sum(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """The sum of each mention's values, once for each of its rows."""
        return _spread(np.add, values, self.starts)


def _pairs(ranked: sparse.csr_matrix) -> NDArray[np.int64]:
    numbers = np.repeat(np.arange(ranked.shape[0], dtype=np.int64), np.diff(ranked.indptr))
    return numbers * ranked.shape[1] + ranked.indices


def _spread(operation: np.ufunc, values: NDArray[np.floating], starts: NDArray[np.int64]) -> NDArray[np.floating]:
    lengths = np.diff(starts)
    is_filled = lengths > 0
    if not is_filled.any():
        return values
    return np.repeat(operation.reduceat(values, starts[:-1][is_filled]), lengths[is_filled])
