"""The rising curve nearest to noisy points: pool adjacent violators (Ayer et al., 1955)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def isotonic_blocks(values: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The means of the blocks of the never falling curve nearest to `values`, and how many values are in each.

    Nearest in weighted squares. Neighbours that would fall are pooled; the means rise from block to block.

    Examples
    --------
    >>> means, lengths = isotonic_blocks([0.0, 1.0, 0.0, 1.0], weights=[1, 1, 1, 1])
    >>> means.tolist(), lengths.tolist()
    ([0.0, 0.5, 1.0], [1, 2, 1])
    """
    means: list[float] = []
    masses: list[float] = []
    lengths: list[int] = []
    pairs = zip(np.asarray(values, np.float64).tolist(), np.asarray(weights, np.float64).tolist(), strict=True)
    for value, weight in pairs:
        mean, mass, length = value, weight, 1
        while means and means[-1] >= mean:
            last, before = means.pop(), masses.pop()
            mean = (last * before + mean * mass) / (before + mass)
            mass += before
            length += lengths.pop()
        means.append(mean)
        masses.append(mass)
        lengths.append(length)
    return np.array(means), np.array(lengths, dtype=np.int64)
