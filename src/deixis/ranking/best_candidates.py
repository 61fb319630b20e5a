"""What the decision to link needs to know of each mention's best candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.features.word_rows import Pairs, sums_by_row
from deixis.ranking.feature import FeatureContext
from deixis.tables import BestCandidates, CandidateTable, FlatRows

_NO_COUNT = np.zeros(1, dtype=np.int64)


def best_candidates(
    context: FeatureContext, ranked: FlatRows, positions: NDArray[np.int64], leads: NDArray[np.float64]
) -> BestCandidates:
    """The best candidate of each mention, which is the first stored in its row of `ranked`.

    `positions` are those of all stored candidates in the table; by `leads` the best is ahead of its mention's others.
    """
    table, words = context.table, context.mention_words
    has_one = ranked.indptr[1:] > ranked.indptr[:-1]
    firsts = ranked.indptr[:-1][has_one]
    rows, own = ranked.indices[firsts], positions[firsts]
    # What no other candidate needs is computed of the best alone.
    alone = CandidateTable(np.concatenate([_NO_COUNT, has_one.cumsum()]), rows, {})
    described = context.words.overlap(words, Pairs(alone.starts, rows), context.n_threads)
    is_title = context.names_of(alone).title
    columns = [table.column("alias")[own], is_title, table.column("label_tree")[own], described]
    if len(rows) < len(has_one):
        rows, columns = _spread(rows, has_one, -1), [_spread(each, has_one, 0) for each in columns]
    alias, is_title, label_tree, described = columns
    return BestCandidates(
        rows, alias, is_title, label_tree, leads, described, sums_by_row(words.indptr, words.data), words.row_lengths,
        float(context.words.max_weight),
    )  # fmt: skip


def _spread(column: NDArray[Any], has_one: NDArray[np.bool_], otherwise: int) -> NDArray[Any]:
    """The values of those mentions that have a candidate, and another for those that have none."""
    values = np.full(len(has_one), otherwise, dtype=column.dtype)
    values[has_one] = column
    return values
