"""What the decision to link needs to know of each mention's best candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.ranking.feature import FeatureContext
from deixis.ranking.features.names import title
from deixis.tables import BestCandidates, CandidateTable, FlatRows

_NO_COUNT = np.zeros(1, dtype=np.int64)


def best_candidates(
    context: FeatureContext, ranked: FlatRows, positions: NDArray[np.int64], leads: NDArray[np.float64]
) -> BestCandidates:
    """The best candidate of each mention, which is the first stored in its row of `ranked`.

    `positions` are those of all stored candidates in the table; by `leads` the best is ahead of its mention's others.
    """
    table, n_mentions = context.table, len(context.mentions)
    has_one = ranked.indptr[1:] > ranked.indptr[:-1]
    firsts = ranked.indptr[:-1][has_one]
    best_rows, own = ranked.indices[firsts], positions[firsts]
    rows = np.full(n_mentions, -1, dtype=np.int64)
    rows[has_one] = best_rows
    # What no other candidate needs is computed of the best alone.
    alone = CandidateTable(np.concatenate([_NO_COUNT, has_one.cumsum()]), best_rows, {})
    best = FeatureContext(context.mentions, alone, context.facts, context.n_threads)
    words = context.mention_words

    def spread(column: NDArray[np.floating]) -> NDArray[np.float32]:
        values = np.zeros(n_mentions, dtype=np.float32)
        values[has_one] = column
        return values

    described = spread(context.words.overlap(words, best.pairs, context.n_threads))
    return BestCandidates(
        rows, spread(table.column("alias")[own]), spread(title(best)),
        spread(table.column("label_tree")[own]), leads, described, words.row_sums, words.row_lengths,
        float(context.words.max_weight),
    )  # fmt: skip
