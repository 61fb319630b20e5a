"""Many strings as two arrays: a million of them memory-map at once and reach the compiled core as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.checks import check_indptr, require
from deixis.store.numbers import NumbersBuilder
from deixis.store.scratch import concatenated

_BLOCK_BYTES = 1 << 22
_FEW = 12  # so many strings are read sooner one by one


class StringTable:
    """A read-only list of strings: UTF-8 bytes and where each string begins (`offsets`, one longer than the list).

    Examples
    --------
    >>> table = StringTable.from_strings(["Paris", "Zürich", ""])
    >>> len(table), table[1], list(table)
    (3, 'Zürich', ['Paris', 'Zürich', ''])
    >>> table.take([2, 0])[1]
    'Paris'
    """

    __slots__ = ("data", "offsets")

    def __init__(self, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> None:
        self.offsets = offsets
        self.data = data

    @classmethod
    def from_strings(cls, strings: Iterable[str]) -> StringTable:
        """A table of `strings`, in their order."""
        if isinstance(strings, StringTable):
            return strings
        if isinstance(strings, (list, tuple)):
            data, lengths = _encoded(strings)
            offsets = np.fromiter(accumulate(lengths, initial=0), dtype=np.int64, count=len(strings) + 1)
            return cls(offsets, np.frombuffer(data, dtype=np.uint8))
        builder = StringTableBuilder()
        for string in strings:
            builder.append(string)
        return builder.build()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> StringTable:
        """The table that `to_arrays` gave under the same prefix; checked, so the core can trust it."""
        offsets = require(arrays, f"{prefix}.offsets", np.int64)
        data = require(arrays, f"{prefix}.data", np.uint8)
        check_indptr(f"{prefix}.offsets", offsets, len(data))
        return cls(offsets, data)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The two arrays under names that begin with `prefix`."""
        return {f"{prefix}.offsets": self.offsets, f"{prefix}.data": self.data}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        if not 0 <= row < len(self):
            raise IndexError(row)
        raw = self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:  # bytes from a damaged model: sizes are checked on loading, bytes are not
            raise StoreError(
                f"The text {raw[:40]!r} is not UTF-8. The model is damaged; run 'deixis doctor'."
            ) from error

    def strings(self, rows: Iterable[int] | NDArray[np.integer]) -> list[str]:
        """The strings at `rows`, in that order: the same as one by one, but quicker."""
        if isinstance(rows, np.ndarray) and len(rows) <= _FEW:
            return [self[row] for row in rows.tolist()]
        chosen = self.take(rows)
        data, ends = chosen.data.tobytes(), chosen.offsets.tolist()
        try:
            return [data[start:end].decode("utf-8") for start, end in pairwise(ends)]
        except UnicodeDecodeError:
            return list(chosen)  # the one that is damaged says so

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Iterable[int] | NDArray[np.integer]) -> StringTable:
        """A new table with the strings at `rows`, in that order."""
        if isinstance(rows, range) and rows.step == 1 and 0 <= rows.start <= rows.stop <= len(self):
            offsets = self.offsets[rows.start : rows.stop + 1]
            return StringTable(offsets - offsets[0], self.data[offsets[0] : offsets[-1]])
        chosen = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows), dtype=np.int64)
        starts = self.offsets[chosen]
        lengths = self.offsets[chosen + 1] - starts
        offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        data = np.empty(int(offsets[-1]), dtype=np.uint8)
        begin = 0
        while begin < len(chosen):
            # In blocks, because the positions of all bytes at once would take eight times the room of the bytes.
            end = max(int(np.searchsorted(offsets, offsets[begin] + _BLOCK_BYTES, side="right")) - 1, begin + 1)
            low, high = offsets[begin], offsets[end]
            # Position of every byte: its string's start, plus how far it stands inside the string.
            shifts = np.repeat(starts[begin:end] - offsets[begin:end], lengths[begin:end])
            data[low:high] = self.data[shifts + np.arange(low, high)]
            begin = end
        return StringTable(offsets, data)

    def joined(self, other: StringTable) -> StringTable:
        """This table followed by `other`."""
        offsets = concatenated([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return StringTable(offsets, concatenated([self.data, other.data]))


class StringTableBuilder:
    """Collects strings into flat buffers, without keeping Python objects."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._lengths = NumbersBuilder(np.int64)
        self._lengths.append(0)
        self._offsets: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._lengths) - 1

    def append(self, string: str) -> None:
        """Add one string; lone surrogates become U+FFFD."""
        raw = _utf8(string)
        self._data += raw
        self._lengths.append(len(raw))

    def extend(self, strings: Sequence[str]) -> None:
        """Add many strings, quicker than one by one."""
        data, lengths = _encoded(strings)
        self._lengths.extend(np.fromiter(lengths, dtype=np.int64, count=len(strings)))
        self._data += data

    def extend_empty(self, n_strings: int) -> None:
        """Add empty strings."""
        self._lengths.extend_zeros(n_strings)

    def build(self) -> StringTable:
        """The table of everything appended; it keeps the buffers, so that a large one is never held twice.

        Nothing can be appended after it.
        """
        if self._offsets is None:
            self._offsets = self._lengths.build_sums()
        data = np.frombuffer(self._data, dtype=np.uint8)
        data.flags.writeable = False
        return StringTable(self._offsets, data)


def _encoded(strings: Sequence[str]) -> tuple[bytes, Iterator[int]]:
    """Strings one after the other in UTF-8, and how many bytes each has."""
    joined = "".join(strings)
    if joined.isascii():
        return joined.encode("ascii"), map(len, strings)
    encoded = [_utf8(string) for string in strings]
    return b"".join(encoded), map(len, encoded)


def _utf8(string: str) -> bytes:
    """A string in UTF-8; lone surrogates, which it cannot hold, become U+FFFD."""
    try:
        return string.encode("utf-8")
    except UnicodeEncodeError:
        return string.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
