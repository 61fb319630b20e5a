"""What the decision to link needs to know of each mention's best candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.ranking.feature import FeatureContext
from deixis.ranking.features.names import title
from deixis.tables import BestCandidates, CandidateTable, FlatRows


def best_candidates(context: FeatureContext, ranked: FlatRows, totals: NDArray[np.float64]) -> BestCandidates:
    """The best candidate of each mention, which is the first stored in its row of `ranked`."""
    table, n_mentions = context.table, len(context.mentions)
    has_one = np.diff(ranked.indptr) > 0
    rows = np.full(n_mentions, -1, dtype=np.int64)
    rows[has_one] = ranked.indices[ranked.indptr[:-1][has_one]]
    is_best = table.rows == np.repeat(rows, np.diff(table.starts))
    positions = np.flatnonzero(is_best)
    # What no other candidate needs is computed of the best alone.
    alone = CandidateTable(np.concatenate([[0], np.cumsum(has_one)]), rows[has_one], {})
    best = FeatureContext(context.mentions, alone, context.facts, context.n_threads)
    words = context.mention_words

    def spread(column: NDArray[np.floating]) -> NDArray[np.float32]:
        values = np.zeros(n_mentions, dtype=np.float32)
        values[has_one] = column
        return values

    leads = np.zeros(n_mentions)
    leads[has_one] = (totals - table.group_max(np.where(is_best, -np.inf, totals)))[positions]
    described = spread(context.words.overlap(words, best.pairs, context.n_threads))
    known = np.bincount(np.repeat(np.arange(n_mentions), np.diff(words.indptr)), words.data, minlength=n_mentions)
    return BestCandidates(
        rows, spread(table.column("alias")[positions]), spread(title(best)),
        spread(table.column("label_tree")[positions]), leads, described, known.astype(np.float64),
        np.diff(words.indptr).astype(np.int64), float(context.words.vectorizer.idf.max(initial=0.0)),
    )  # fmt: skip
