"""The best rows of each query, of those that were proposed for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.native import _core
from deixis.tables import CandidateTable, FlatRows


def best_rows(table: CandidateTable, scores: NDArray[np.floating], k: int, n_rows: int, n_threads: int = 1) -> FlatRows:
    """mentions_by_entities: the best `k` of each mention by these scores, stored best first; ties by row.

    Examples
    --------
    >>> table = CandidateTable(np.array([0, 3]), np.array([2, 5, 7]), {})
    >>> best = best_rows(table, np.array([0.1, 0.7, 0.7]), k=2, n_rows=9)
    >>> best.indices.tolist(), best.data.tolist()
    ([5, 7], [0.7, 0.7])
    """
    starts, rows = table.starts.astype(np.int64, copy=False), table.rows.astype(np.int64, copy=False)
    indptr, numbers = _core.best_places(starts, rows, scores.astype(np.float64, copy=False), k, n_threads)
    return FlatRows(indptr, rows[numbers].astype(np.int32), scores[numbers], (len(starts) - 1, n_rows))
