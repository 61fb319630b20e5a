"""A search in which popularity counts beside the query: one more column of the index and of every query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.native import _core
from deixis.nearest.best_rows import best_rows
from deixis.nearest.compressed_index import CompressedIndex, first_columns
from deixis.nearest.core_rows import typed_rows
from deixis.nearest.merging import merged
from deixis.nearest.sparse_index import BlockIndex
from deixis.tables import EntityMask, FlatRows

MIN_SIMILARITY = 0.01  # what is found by its popularity alone has nothing in common with the query


def search_popular(
    index: BlockIndex | CompressedIndex,
    queries: FlatRows,
    gains: NDArray[np.float32],
    k: int,
    n_threads: int = 0,
    mask: EntityMask | None = None,
) -> FlatRows:
    """queries_by_groups: the best `k` by similarity plus gain, stored best first, of those similar to the query.

    The last column of the index has the gain of each row's group; of queries the columns before it count. Popular
    groups that are not similar to the query may take places of the best `k` and leave fewer; under a filter, which
    promises all there are, those places are filled again.
    """
    last = index.n_columns - 1
    boosted = FlatRows(*_core.with_last_one(*typed_rows(queries), last), (queries.shape[0], index.n_columns))
    matches = index.search(boosted, k, n_threads, None, mask)
    above = _core.rows_above(matches.indptr, matches.indices, matches.data, gains, MIN_SIMILARITY)
    similar = FlatRows(*above, matches.shape)
    if mask is None:
        return similar
    n_matches = matches.row_lengths
    # Of a list that is not full nothing was left out.
    has_lost = (n_matches == k) & (similar.row_lengths < n_matches)
    if not has_lost.any() or mask.all():
        return similar  # a filter that lets all pass is none
    lost = np.flatnonzero(has_lost)
    alone = with_column(first_columns(queries[lost], last), np.zeros(len(lost), np.float32))
    unboosted = index.search(alone, k, n_threads, None, mask)
    unboosted = unboosted.kept_where(unboosted.data > MIN_SIMILARITY)
    unboosted = unboosted.with_data(unboosted.data + gains[unboosted.indices])
    both = merged({"similar": similar[lost], "unboosted": unboosted})
    scores = np.where(both.signals["similar"] > 0, both.signals["similar"], both.signals["unboosted"])
    filled = best_rows(both, scores, k, matches.shape[1])
    order = np.arange(len(has_lost))
    order[lost] = len(has_lost) + np.arange(len(lost))
    return FlatRows.stacked([similar, filled])[order]


def with_column(rows: FlatRows, values: NDArray[np.float32]) -> FlatRows:
    """The rows with one more column at the end.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> both = FlatRows.of(csr_matrix(np.eye(2, dtype=np.float32)))
    >>> with_column(both, np.array([0.5, 0], dtype=np.float32)).toarray()
    array([[1. , 0. , 0.5],
           [0. , 1. , 0. ]], dtype=float32)
    """
    widened = _core.with_last_column(*typed_rows(rows), values, rows.shape[1])
    return FlatRows(*widened, (rows.shape[0], rows.shape[1] + 1))
