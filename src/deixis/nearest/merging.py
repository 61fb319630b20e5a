"""Two rankings of the same labels, of which the better score counts."""

from __future__ import annotations

import numpy as np

from deixis.errors import DataError
from deixis.nearest.best_rows import best_rows
from deixis.tables import CandidateTable, FlatRows


def best_of_both(first: FlatRows, second: FlatRows, k: int) -> FlatRows:
    """The best `k` of each row by the greater of the two scores, best first, the smaller label first among equals.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> first = FlatRows.of(csr_matrix(np.array([[0.9, 0.1, 0.0]], dtype=np.float32)))
    >>> second = FlatRows.of(csr_matrix(np.array([[0.3, 0.5, 0.6]], dtype=np.float32)))
    >>> best_of_both(first, second, k=2).indices.tolist()
    [0, 2]
    """
    if first.shape != second.shape:
        raise DataError(f"Rankings of {first.shape} and {second.shape} do not fit.")
    both = CandidateTable.merged({"first": first, "second": second})
    return best_rows(both, np.maximum(both.signals["first"], both.signals["second"]), k, first.shape[1])
