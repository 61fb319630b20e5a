"""Rankings of the same labels as one table, and two of which the better score counts."""

from __future__ import annotations

from collections.abc import Mapping

from deixis.errors import DataError
from deixis.native import _core
from deixis.nearest.core_rows import typed_rows
from deixis.tables import CandidateTable, FlatRows


def merged(lists: Mapping[str, FlatRows]) -> CandidateTable:
    """What any of the lists (mentions_by_entities) proposes, each row once, rising; 0 where a list has none.

    Examples
    --------
    >>> import numpy as np
    >>> similar = FlatRows(np.array([0, 2]), np.array([0, 1]), np.array([0.9, 0.5], dtype=np.float32), (1, 3))
    >>> named = FlatRows(np.array([0, 2]), np.array([2, 1]), np.array([1.0, 0.5], dtype=np.float32), (1, 3))
    >>> table = merged({"names": similar, "alias": named})
    >>> table.rows.tolist(), table.signals["alias"].tolist()
    ([0, 1, 2], [0.0, 0.5, 1.0])
    """
    indptrs, indices, data = zip(*[typed_rows(each) for each in lists.values()], strict=True)
    starts, columns, values = _core.merged_rows(indptrs, indices, data)
    return CandidateTable(starts, columns, dict(zip(lists, values.reshape(len(lists), -1), strict=True)))


def best_of_both(first: FlatRows, second: FlatRows, k: int) -> FlatRows:
    """The best `k` of each row by the greater of the two scores, best first, the smaller label first among equals.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> first = FlatRows.of(csr_matrix(np.array([[0.9, 0.1, 0.0]], dtype=np.float32)))
    >>> second = FlatRows.of(csr_matrix(np.array([[0.3, 0.5, 0.6]], dtype=np.float32)))
    >>> best_of_both(first, second, k=2).indices.tolist()
    [0, 2]
    """
    if first.shape != second.shape:
        raise DataError(f"Rankings of {first.shape} and {second.shape} do not fit.")
    return FlatRows(*_core.best_of_both(*typed_rows(first), *typed_rows(second), k), first.shape)
