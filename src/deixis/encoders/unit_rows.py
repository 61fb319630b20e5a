"""Dense rows scaled to length one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit_rows(rows: NDArray[Any]) -> NDArray[np.float32]:
    """The rows with length one; a row of zeros stays one.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
    scaled: NDArray[np.float64] = np.divide(rows, lengths, where=lengths > 0, out=np.zeros(rows.shape))
    return scaled.astype(np.float32)
