"""The words of entities as rows, and what the entities held against queries have of the queries' words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deixis.features.added_ngrams import AddedIdf
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.part import Part, array
from deixis.store.row_parts import RowParts
from deixis.store.scratch import GrowingArray
from deixis.store.sparse_rows_builder import row_chunks
from deixis.tables import FlatRows

Sums = NDArray[np.float32]
Words: TypeAlias = "FlatRows | sparse.csr_matrix"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Query `i` is held against the entities `rows[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WordRows(Part):
    """The words of each entity: row `r` has the columns `indices[indptr[r]:indptr[r + 1]]`.

    Examples
    --------
    >>> words = WordRows(np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32))
    >>> queries = sparse.csr_matrix(np.array([[1, 2, 0], [0, 0, 3]], dtype=np.float32))
    >>> words.dots(queries, Pairs(np.array([0, 2, 3]), np.array([0, 1, 1]))).tolist()
    [3.0, 0.0, 3.0]
    """

    indptr: Annotated[NDArray[np.int64], array(indptr_of="indices", length="n_entities")]
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, rows: sparse.csr_matrix) -> WordRows:
        """The places of a sparse matrix, whatever stands there."""
        return cls(rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False))

    @classmethod
    def of_chunks(cls, chunks: Iterable[sparse.csr_matrix]) -> WordRows:
        """The places of a sparse matrix whose rows come in chunks."""
        indptr, indices = GrowingArray(np.int64), GrowingArray(np.int32)
        indptr.extend(np.zeros(1, np.int64))
        for rows in chunks:
            indptr.extend(rows.indptr[1:].astype(np.int64) + len(indices))
            indices.extend(rows.indices)
        return cls(indptr.build(), indices.build())

    def row_sums(self, weights: NDArray[np.float32] | AddedIdf, power: int = 1) -> NDArray[np.float64]:
        """The sum of the words' weights in each row, or of a power of them."""
        sums = np.empty(len(self.indptr) - 1)
        for chunk in row_chunks(len(sums)):
            indptr = self.indptr[chunk.start : chunk.stop + 1]
            own = weights[self.indices[indptr[0] : indptr[-1]]] ** power
            sums[chunk.start : chunk.stop] = sums_by_row(indptr - indptr[0], own)
        return sums

    def take(self, rows: NDArray[np.integer]) -> WordRows:
        """Only these rows, in this order."""
        starts, lengths = self.indptr[rows], self.indptr[rows + 1] - self.indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return WordRows(indptr, self.indices[np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])])

    def dots(self, query: Words, pairs: Pairs, n_threads: int = 0) -> Sums:
        """The sum of the weights of each query's words that the entities held against it have."""
        sums: Sums = _core.word_sums(
            query.indptr.astype(np.int64, copy=False), query.indices, query.data,
            np.asarray(pairs.starts, dtype=np.int64), self.indptr, self.indices,
            np.asarray(pairs.rows, dtype=np.int64), n_threads,
        )  # fmt: skip
        return sums

    @property
    def has_words(self) -> bool:
        """Whether any entity has a word."""
        return len(self.indices) > 0

    @property
    def arrays(self) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int32]]]:
        """Row starts and columns, a pair of arrays for each part that the rows lie in."""
        return [self.indptr], [self.indices]


class WordRowParts:
    """The words of entities that lie in several parts, one after the other."""

    def __init__(self, words: Sequence[WordRows], parts: RowParts) -> None:
        self.words = tuple(words)
        self.parts = parts

    def dots(self, query: Words, pairs: Pairs, n_threads: int = 0) -> Sums:
        """The sum of the weights of each query's words that the entities held against it have."""
        numbers = np.repeat(np.arange(len(pairs.starts) - 1), np.diff(pairs.starts))

        def of_part(part: int, positions: NDArray[np.int64] | slice, rows: NDArray[np.int64]) -> Sums:
            is_all = isinstance(positions, slice)
            starts = pairs.starts if is_all else np.searchsorted(numbers[positions], np.arange(len(pairs.starts)))
            return self.words[part].dots(query, Pairs(starts, rows), n_threads)

        return self.parts.gather(pairs.rows, of_part)

    @property
    def has_words(self) -> bool:
        """Whether any entity has a word."""
        return any(words.has_words for words in self.words)

    @property
    def arrays(self) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int32]]]:
        """Row starts and columns, a pair of arrays for each part that the rows lie in."""
        return [each.indptr for each in self.words], [each.indices for each in self.words]


def sums_by_row(indptr: NDArray[np.integer], values: NDArray[np.float32]) -> NDArray[np.float64]:
    """The sum of the values of each row."""
    return _core.row_sums(indptr.astype(np.int64, copy=False), values)
