"""Rows that lie in several parts, one after the other: looked up where they lie, joined only if somebody needs all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.store.strings import StringTable

Rows = NDArray[np.integer]
Split = tuple[int, NDArray[np.int64], NDArray[np.int64]]
"""The number of a part, positions among rows, and the rows in the part."""
OfPart = Callable[[int, NDArray[np.int64] | slice, NDArray[np.int64]], NDArray[Any]]
"""The number of a part, positions among rows, and the rows in the part, to their values."""


@dataclass(frozen=True, eq=False)
class RowParts:
    """Where the parts of a row space begin: part `i` has the rows from `starts[i]` to `starts[i + 1]`.

    Examples
    --------
    >>> parts = RowParts.of([3, 2])
    >>> parts.locate(4), [(number, rows.tolist()) for number, _, rows in parts.split(np.array([4, 0, 1]))]
    ((1, 1), [(0, [0, 1]), (1, [1])])
    """

    starts: NDArray[np.int64]
    filler: int = 0
    """A row of the first part that stands for those that it lacks, where values of all are taken from it."""
    _last: tuple[Rows, NDArray[np.int64], tuple[Split, ...]] | None = None
    """The rows that were gathered last: features of a batch look up the same ones again and again."""

    @classmethod
    def of(cls, lengths: Iterable[int], filler: int = 0) -> RowParts:
        """Parts of these lengths."""
        return cls(np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)]).astype(np.int64), filler)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_rows(self) -> int:
        """All rows together."""
        return int(self.starts[-1])

    def locate(self, row: int) -> tuple[int, int]:
        """The part of a row, and its row in that part."""
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        return number, row - int(self.starts[number])

    def split(self, rows: Rows) -> Iterator[Split]:
        """For each part that has some of the rows: its number, their positions in `rows`, and the rows in the part."""
        n_left = len(rows)
        for number, (start, end) in enumerate(pairwise(self.starts.tolist())):
            positions = np.flatnonzero((rows >= start) & (rows < end)) if n_left else np.zeros(0, dtype=np.int64)
            n_left -= len(positions)
            if len(positions):
                yield number, positions, np.asarray(rows[positions] - start, dtype=np.int64)

    def gather(self, rows: Rows, of_part: OfPart) -> NDArray[Any]:
        """One value (or row of values) for each of the rows: `of_part(number, positions, rows)` gives those of a part.

        Most rows are in the first part, so it gives values for all, with its filler in place of those that it lacks.
        """
        last = self._last
        if last is None or last[0] is not rows:
            is_first = rows < self.starts[1]
            further = () if is_first.all() else tuple(each for each in self.split(rows) if each[0] > 0)
            last = (
                rows,
                np.asarray(np.where(is_first, rows, self.filler) if further else rows, dtype=np.int64),
                further,
            )
            object.__setattr__(self, "_last", last)
        if not self.starts[1]:
            raise IndexError("The first part has no rows.")
        values = of_part(0, slice(None), last[1])
        if last[2] and not values.flags.writeable:
            values = values.copy()
        for number, positions, own in last[2]:
            values[positions] = of_part(number, positions, own)
        return values


class ColumnParts:
    """One column of numbers over the parts, indexed by rows.

    Examples
    --------
    >>> column = ColumnParts([np.array([1.0, 2.0]), np.array([3.0])])
    >>> column[np.array([2, 0])].tolist(), len(column)
    ([3.0, 1.0], 3)
    """

    def __init__(self, columns: Sequence[NDArray[Any]], parts: RowParts | None = None) -> None:
        self.columns = list(columns)
        self.parts = parts or RowParts.of(map(len, columns))

    def __getitem__(self, rows: Rows) -> NDArray[Any]:
        return self.take(rows)

    def take(self, rows: Rows, axis: int = 0) -> NDArray[Any]:
        """The values of these rows, as NumPy's method gives them: of several columns many times as fast as an index."""
        return self.parts.gather(rows, lambda number, _, own: self.columns[number].take(own, axis=axis))

    def __len__(self) -> int:
        return self.parts.n_rows


def column_parts(column: NDArray[Any] | ColumnParts) -> list[NDArray[Any]]:
    """The arrays that a column lies in: itself, or one for each part."""
    return column.columns if isinstance(column, ColumnParts) else [column]


class JoinedStrings(StringTable):
    """String tables one after the other: single strings are read where they lie, all bytes are joined when needed.

    Examples
    --------
    >>> tables = [StringTable.from_strings(["Paris", "Troy"]), StringTable.from_strings(["Rome"])]
    >>> joined = JoinedStrings(tables)
    >>> len(joined), joined[2], joined.strings([2, 0]), joined.offsets.tolist()
    (3, 'Rome', ['Rome', 'Paris'], [0, 5, 9, 13])
    """

    __slots__ = ("_parts", "_tables")

    def __init__(self, tables: Sequence[StringTable]) -> None:
        self._tables = tuple(tables)
        self._parts = RowParts.of(map(len, tables))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the arrays of the joined table
        if name not in ("data", "offsets"):
            raise AttributeError(name)
        joined = self._tables[0]
        for table in self._tables[1:]:
            joined = joined.joined(table)
        self.offsets, self.data = joined.offsets, joined.data
        return getattr(self, name)

    def __len__(self) -> int:
        return self._parts.n_rows

    def __getitem__(self, row: int) -> str:
        if not 0 <= row < len(self):
            raise IndexError(row)
        number, own = self._parts.locate(row)
        return self._tables[number][own]

    def take(self, rows: Iterable[int] | Rows) -> StringTable:
        """A new table with the strings at `rows`, in that order."""
        chosen = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows), dtype=np.int64)
        taken = [(positions, self._tables[number].take(own)) for number, positions, own in self._parts.split(chosen)]
        if len(taken) == 1:
            return taken[0][1]
        joined, order = StringTable.from_strings([]), np.zeros(len(chosen), dtype=np.int64)
        for positions, table in taken:
            order[positions] = len(joined) + np.arange(len(positions))
            joined = joined.joined(table)
        return joined.take(order)
