"""The words of entities as rows, and what the entities held against queries have of the queries' words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.features.added_ngrams import AddedIdf
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.checks import check_length
from deixis.store.part import GIVEN, Part, array
from deixis.store.row_parts import RowParts
from deixis.store.scratch import GrowingArray
from deixis.store.sparse_rows_builder import row_chunks
from deixis.tables import FlatRows

MAX_WORDS = 1 << 32  # of all entities together: where rows begin is kept in four bytes
Sums = NDArray[np.float32]
Words: TypeAlias = "FlatRows | sparse.csr_matrix"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Query `i` is held against the entities `rows[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Rows of columns: row `r` has `indices[indptr[r]:indptr[r + 1]]`."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, rows: sparse.csr_matrix) -> ColumnRows:
        """The places of a sparse matrix, whatever stands there."""
        return cls(rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False))

    @classmethod
    def of_chunks(cls, chunks: Iterable[sparse.csr_matrix]) -> ColumnRows:
        """The places of a sparse matrix whose rows come in chunks."""
        indptr, indices = GrowingArray(np.int64), GrowingArray(np.int32)
        indptr.extend(np.zeros(1, np.int64))
        for rows in chunks:
            indptr.extend(rows.indptr[1:].astype(np.int64) + len(indices))
            indices.extend(rows.indices)
        return cls(indptr.build(), indices.build())

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def chunk(self, rows: range) -> ColumnRows:
        """Some rows that follow each other."""
        indptr = self.indptr[rows.start : rows.stop + 1]
        return ColumnRows(indptr - indptr[0], self.indices[indptr[0] : indptr[-1]])

    def row_sums(self, weights: NDArray[np.float32] | AddedIdf, power: int = 1) -> NDArray[np.float64]:
        """The sum of the columns' weights in each row, or of a power of them."""
        sums = np.empty(len(self))
        for rows in row_chunks(len(self)):
            chunk = self.chunk(rows)
            sums[rows.start : rows.stop] = sums_by_row(chunk.indptr, weights[chunk.indices] ** power)
        return sums


@dataclass(frozen=True, eq=False)
class WordRows(Part):
    """The words of each entity as the core reads them, two bytes a word; an entity has a row for each kind of text.

    The rows of an entity lie side by side: most of what is read of one is read together.

    Examples
    --------
    >>> matrix = sparse.csr_matrix(np.array([[1, 1, 0], [0, 0, 1]], dtype=np.float32))
    >>> words = WordRows.of(ColumnRows.of(matrix))
    >>> queries = sparse.csr_matrix(np.array([[1, 2, 0], [0, 0, 3]], dtype=np.float32))
    >>> words.dots(queries, Pairs(np.array([0, 2, 3]), np.array([0, 1, 1]))).tolist()
    [3.0, 0.0, 3.0]
    """

    # What the words are is not checked: that would read them all, and the core only compares them.
    starts: Annotated[NDArray[np.uint32], array(indptr_of="words")]
    words: NDArray[np.uint16]
    n_kinds: Annotated[int, GIVEN] = 1

    @classmethod
    def of(cls, *kinds: ColumnRows) -> WordRows:
        """The words of entities, each of whose rows comes from one of these."""
        starts, words = GrowingArray(np.uint32), GrowingArray(np.uint16)
        starts.extend(np.zeros(1, np.uint32))
        for rows in row_chunks(len(kinds[0])):
            chunks = [kind.chunk(rows) for kind in kinds]
            own_starts, own_words = _core.pack_words(
                [each.indptr for each in chunks], [each.indices for each in chunks]
            )
            if len(words) + len(own_words) >= MAX_WORDS:
                raise DataError(f"The list has more than {MAX_WORDS:,} words. Make several lists of it.")
            starts.extend(own_starts[1:] + len(words))
            words.extend(own_words)
        return cls(starts.build(), words.build(), len(kinds))

    def __len__(self) -> int:
        return (len(self.starts) - 1) // self.n_kinds

    def check_parts(self, prefix: str) -> None:
        """Every entity has all kinds of rows."""
        check_length(f"{prefix}.starts", self.starts, len(self) * self.n_kinds + 1)

    def columns(self, kind: int = 0, rows: NDArray[np.integer] | None = None) -> ColumnRows:
        """The words of one kind of all entities, or of these."""
        rows = np.arange(len(self)) if rows is None else rows
        return ColumnRows(*_core.unpack_words(self.starts, self.words, rows.astype(np.int64) * self.n_kinds + kind))

    def dots(self, query: Words, pairs: Pairs, kind: int = 0, n_threads: int = 0) -> Sums:
        """The sum of the weights of each query's words that the entities held against it have."""
        sums: Sums = _core.word_sums(
            query.indptr.astype(np.int64, copy=False), query.indices, query.data,
            np.asarray(pairs.starts, dtype=np.int64), self.starts, self.words, self.n_kinds, kind,
            np.asarray(pairs.rows, dtype=np.int64), n_threads,
        )  # fmt: skip
        return sums

    def has_words(self, kind: int = 0) -> bool:
        """Whether any entity has a word of this kind."""
        return bool((self.starts[kind + 1 :: self.n_kinds] > self.starts[kind : -1 : self.n_kinds]).any())

    @property
    def arrays(self) -> tuple[list[NDArray[np.uint32]], list[NDArray[np.uint16]]]:
        """Row starts and words, a pair of arrays for each part that the rows lie in."""
        return [self.starts], [self.words]


class WordRowParts:
    """The words of entities that lie in several parts, one after the other."""

    def __init__(self, words: Sequence[WordRows], parts: RowParts) -> None:
        self.words = tuple(words)
        self.parts = parts

    def dots(self, query: Words, pairs: Pairs, kind: int = 0, n_threads: int = 0) -> Sums:
        """The sum of the weights of each query's words that the entities held against it have."""
        numbers = np.repeat(np.arange(len(pairs.starts) - 1), np.diff(pairs.starts))

        def of_part(part: int, positions: NDArray[np.int64] | slice, rows: NDArray[np.int64]) -> Sums:
            is_all = isinstance(positions, slice)
            starts = pairs.starts if is_all else np.searchsorted(numbers[positions], np.arange(len(pairs.starts)))
            return self.words[part].dots(query, Pairs(starts, rows), kind, n_threads)

        return self.parts.gather(pairs.rows, of_part)

    def has_words(self, kind: int = 0) -> bool:
        """Whether any entity has a word of this kind."""
        return any(words.has_words(kind) for words in self.words)

    @property
    def arrays(self) -> tuple[list[NDArray[np.uint32]], list[NDArray[np.uint16]]]:
        """Row starts and words, a pair of arrays for each part that the rows lie in."""
        return [each.starts for each in self.words], [each.words for each in self.words]


def sums_by_row(indptr: NDArray[np.integer], values: NDArray[np.float32]) -> NDArray[np.float64]:
    """The sum of the values of each row."""
    return _core.row_sums(indptr.astype(np.int64, copy=False), values)
