"""Other corpora that might have been: documents drawn again with replacement, given as sums over documents.

Mentions of one text stand or fall together, so whole documents are drawn, not mentions. Sums do not depend on the
order of the documents or on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.errors import ConfigError, DataError

Sums = NDArray[np.float64]
"""[n_documents, n_columns]: what each document adds to each column, such as its right, predicted and gold mentions."""

_CHUNK = 1 << 20  # draws x documents held at once
_INDEX_IS_FASTER = 8  # a multinomial draw costs this many times more per group than an index draw per document


def checked_sums(sums: ArrayLike) -> Sums:
    """The sums as a matrix whose columns add up exactly, in any order.

    Values are rounded to a power of two so small that no total can need more than a float's 53 bits. Counts stay what
    they are; other values move by less than the total's own rounding error.

    Examples
    --------
    >>> checked_sums([[3, 1], [0, 2]])
    array([[3., 1.],
           [0., 2.]])
    """
    matrix = np.asarray(sums, dtype=np.float64)
    if matrix.ndim != 2:
        raise DataError(f"The sums need one row per document and one column per sum, got the shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise DataError(f"Document {row} holds {matrix[row, column]} in column {column}; only numbers can be added up.")
    largest = np.abs(matrix).max(axis=0, initial=0.0) * max(1, len(matrix))
    _, exponents = np.frexp(np.where(largest > 0, largest, 1.0))
    steps = np.ldexp(1.0, np.maximum(exponents - 52, -1000))
    rounded: Sums = np.round(matrix / steps) * steps
    return rounded


def grouped(sums: Sums) -> tuple[Sums, NDArray[np.int64]]:
    """The different rows of the matrix, sorted, and how often each stands there.

    Examples
    --------
    >>> rows, n_times = grouped(checked_sums([[1, 1], [0, 1], [1, 1]]))
    >>> rows.tolist(), n_times.tolist()
    ([[0.0, 1.0], [1.0, 1.0]], [1, 2])
    """
    if sums.size == 0:
        return sums[:1], np.full(min(1, len(sums)), len(sums), dtype=np.int64)
    rows = sums[np.lexsort(sums.T[::-1])]
    is_first = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])
    starts = np.flatnonzero(is_first)
    return rows[starts], np.diff(starts, append=len(rows))


def resampled_sums(sums: ArrayLike, seed: int, n_draws: int) -> Sums:
    """[n_draws, n_columns]: the column sums of as many documents as there are, drawn with replacement, `n_draws` times.

    Statistics of the same documents can share one call: give all their columns at once. Documents whose rows are equal
    are drawn as a group, which is the same thing sooner.

    Examples
    --------
    >>> resampled_sums([[1, 2]] * 10, seed=0, n_draws=3)
    array([[10., 20.],
           [10., 20.],
           [10., 20.]])
    """
    if n_draws < 1:
        raise ConfigError(f"n_draws must be at least 1, got {n_draws}.")
    matrix = checked_sums(sums)
    if len(matrix) == 0:
        return np.zeros((n_draws, matrix.shape[1]))
    rows, n_times = grouped(matrix)
    if len(rows) * _INDEX_IS_FASTER <= len(matrix):
        draws = _group_draws(n_times, seed, n_draws)
    else:
        rows = np.repeat(rows, n_times, axis=0)
        draws = document_draws(len(rows), seed, n_draws)
    return np.concatenate([times_drawn @ rows for times_drawn in draws])


def _group_draws(n_times: NDArray[np.int64], seed: int, n_draws: int) -> Iterator[NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    n_documents = int(n_times.sum())
    for n_rows in chunk_sizes(n_draws, len(n_times)):
        yield random.multinomial(n_documents, n_times / n_documents, size=n_rows).astype(np.float64)


def document_draws(n_documents: int, seed: int, n_draws: int) -> Iterator[NDArray[np.float64]]:
    """Rows of how often each document was drawn, a few draws at a time: for what is no function of sums.

    Examples
    --------
    >>> [(rows.shape, int(rows.sum())) for rows in document_draws(4, seed=0, n_draws=3)]
    [((3, 4), 12)]
    """
    random = np.random.default_rng(seed)
    for n_rows in chunk_sizes(n_draws, n_documents):
        times_drawn = np.zeros((n_rows, n_documents))
        for row in times_drawn if n_documents else ():
            row[:] = np.bincount(random.integers(n_documents, size=n_documents, dtype=np.uint32), minlength=n_documents)
        yield times_drawn


def chunk_sizes(n_draws: int, width: int) -> Iterator[int]:
    """Numbers of draws that add up to `n_draws`, each small enough to hold that many times `width` numbers at once.

    Examples
    --------
    >>> list(chunk_sizes(1000, 10)), sum(chunk_sizes(1000, 100_000))
    ([1000], 1000)
    """
    rows = max(1, _CHUNK // max(1, width))
    for begin in range(0, n_draws, rows):
        yield min(rows, n_draws - begin)
