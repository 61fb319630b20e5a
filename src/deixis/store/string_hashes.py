"""64-bit hashes of strings, one or a million at once; the same on every machine and in every version of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.store.strings import StringTable

_BASE = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_PAIRS_AT_ONCE = 1 << 16
_BLOCK_BYTES = 1 << 17  # a block takes some 40 times as much; of this size it stays in the cache


def hash_string(text: str) -> int:
    """The hash of one string; `text` must be valid Unicode.

    Examples
    --------
    >>> hash_string("Paris") == int(hash_strings(StringTable.from_strings(["Troy", "Paris"]))[1])
    True
    """
    value = 0
    for byte in text.encode("utf-8"):
        value = (value * _BASE + byte + 1) & _MASK
    value = ((value ^ (value >> 31)) * _BASE) & _MASK
    return value ^ (value >> 29)


def hash_strings(table: StringTable) -> NDArray[np.uint64]:
    """The hash of every string: a polynomial in its bytes, then mixed. Equal hashes are not proof of equal strings."""
    hashes = np.empty(len(table), dtype=np.uint64)
    start = 0
    while start < len(table):
        stop = int(np.searchsorted(table.offsets, table.offsets[start] + _BLOCK_BYTES, side="right")) - 1
        stop = min(max(stop, start + 1), len(table))
        sums = _hash_block(table, start, stop)
        mixed = (sums ^ (sums >> np.uint64(31))) * np.uint64(_BASE)
        hashes[start:stop] = mixed ^ (mixed >> np.uint64(29))
        start = stop
    return hashes


def equal_strings(table: StringTable, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the string in row `left[i]` is byte for byte the one in row `right[i]`."""
    lengths = table.offsets[left + 1] - table.offsets[left]
    is_equal: NDArray[np.bool_] = lengths == table.offsets[right + 1] - table.offsets[right]
    pairs = np.flatnonzero(is_equal & (lengths > 0))
    differs = table.take(left[pairs]).data != table.take(right[pairs]).data
    is_equal[np.repeat(pairs, lengths[pairs])[differs]] = False
    return is_equal


def distinct_strings(table: StringTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for each string, the same for equal ones, by their first places; and these places.

    Examples
    --------
    >>> numbers, firsts = distinct_strings(StringTable.from_strings(["Troy", "Paris", "Troy"]))
    >>> numbers.tolist(), firsts.tolist()
    ([0, 1, 0], [0, 1])
    """
    _, firsts, numbers = np.unique(hash_strings(table), return_index=True, return_inverse=True)
    for start in range(0, len(table), _PAIRS_AT_ONCE):
        rows = np.arange(start, min(start + _PAIRS_AT_ONCE, len(table)))
        if not equal_strings(table, rows, firsts[numbers[rows]]).all():
            return _distinct_one_by_one(table)
    order = np.argsort(firsts)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks[numbers], firsts[order]


def _distinct_one_by_one(table: StringTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same where two different strings have one hash."""
    string_to_number: dict[str, int] = {}
    numbers = np.fromiter((string_to_number.setdefault(each, len(string_to_number)) for each in table), np.int64)
    return numbers, np.unique(numbers, return_index=True)[1]


def _hash_block(table: StringTable, start: int, stop: int) -> NDArray[np.uint64]:
    offsets = table.offsets[start : stop + 1] - table.offsets[start]
    lengths = np.diff(offsets)
    data = table.data[table.offsets[start] : table.offsets[stop]]
    longest = int(lengths.max(initial=0))
    powers = np.full(max(longest, 1), _BASE, dtype=np.uint64)
    powers[0] = 1
    np.cumprod(powers, out=powers)
    # The last byte of a string has power 0, so one string can be hashed front to back.
    exponents = np.repeat(offsets[1:], lengths) - 1 - np.arange(offsets[-1])
    sums = np.zeros(len(data) + 1, dtype=np.uint64)
    np.cumsum((data.astype(np.uint64) + np.uint64(1)) * powers[exponents], out=sums[1:])
    hashes: NDArray[np.uint64] = sums[offsets[1:]] - sums[offsets[:-1]]  # wraps round 2**64, as it should
    return hashes
