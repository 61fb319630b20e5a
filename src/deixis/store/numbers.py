"""Whole numbers: those that come batch by batch, in one buffer that grows in place, and the different ones of many."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError

_BLOCK = 1 << 16
MAX_NARROW = (1 << 32) - 1


class NumbersBuilder:
    """Collects numbers of one type; as long as all are zero, as in a column nobody filled, they take no memory.

    Examples
    --------
    >>> numbers = NumbersBuilder(np.int64)
    >>> numbers.extend(np.array([0, 0]))
    >>> numbers.extend(np.array([7]))
    >>> numbers.build().tolist()
    [0, 0, 7]
    >>> numbers = NumbersBuilder(np.int64)
    >>> numbers.extend(np.array([0, 5, 2]))
    >>> numbers.build_sums().tolist()
    [0, 5, 7]
    """

    def __init__(self, dtype: type[np.signedinteger[Any]]) -> None:
        self._dtype = np.dtype(dtype)
        self._values = array(self._dtype.char)
        self._n_zeros = 0  # before the values

    def __len__(self) -> int:
        return self._n_zeros + len(self._values)

    def append(self, value: int) -> None:
        """Add one number."""
        if value or self._values:
            self._fill()
            self._values.append(value)
        else:
            self._n_zeros += 1

    def extend(self, values: NDArray[np.integer]) -> None:
        """Add many numbers."""
        if self._values or values.any():
            self._fill()
            self._values.frombytes(np.ascontiguousarray(values, dtype=self._dtype).view(np.uint8).data)
        else:
            self._n_zeros += len(values)

    def extend_zeros(self, n_zeros: int) -> None:
        """Add zeros."""
        if self._values:
            self._values.frombytes(bytes(n_zeros * self._dtype.itemsize))
        else:
            self._n_zeros += n_zeros

    def build(self) -> NDArray[Any]:
        """All numbers; the array keeps the buffer, so that a large one is never held twice.

        Nothing can be added after it.
        """
        if not self._values:
            return np.zeros(self._n_zeros, dtype=self._dtype)  # pages that nobody writes to are not there
        return np.frombuffer(self._values, dtype=self._dtype)

    def build_sums(self) -> NDArray[Any]:
        """The sum of the numbers up to each, in their buffer: lengths become offsets. Only once."""
        sums = self.build()
        if self._values:
            for start in range(0, len(sums), _BLOCK):  # numpy copies what it overwrites
                block = sums[start : start + _BLOCK]
                block[0] += sums[start - 1] if start else 0
                np.cumsum(block, out=block)
        return sums

    def _fill(self) -> None:
        """Write the zeros out: a number follows."""
        if self._n_zeros:
            self._values.frombytes(bytes(self._n_zeros * self._dtype.itemsize))
            self._n_zeros = 0


def narrowed(numbers: NDArray[np.int64], what: str) -> NDArray[np.uint32]:
    """The numbers in four bytes each; `what` they count is named if one of them has no room.

    Examples
    --------
    >>> narrowed(np.array([0, 3]), "names").dtype
    dtype('uint32')
    """
    if (largest := numbers.max(initial=0)) > MAX_NARROW:
        raise DataError(f"The list has {largest:,} {what}; at most {MAX_NARROW:,} can be kept. Make two lists of it.")
    return numbers.astype(np.uint32)


def distinct_numbers(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers, ascending: `np.unique`, which counts in a hash table, needs a hundred times as long.

    Examples
    --------
    >>> distinct_numbers(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    distinct: NDArray[np.int64] = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return distinct
