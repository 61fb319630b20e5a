"""N-grams that texts added later have and a fitted vocabulary lacks, in columns of their own after all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from deixis.features.tfidf import RAW, TfidfVectorizer, as_table, transform_joined
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable
from deixis.tables import FlatRows

Texts = StringTable | Sequence[str]


class AddedNgrams:
    """The columns of n-grams that a vectorizer lacks: each gets the next one when it is first met, and keeps it.

    A new n-gram weighs what the rarest of the vectorizer do, however many texts have it, so a text's row does not
    depend on which others were added, nor on the order in which they came.

    Examples
    --------
    >>> from deixis.features.tfidf import TfidfConfig
    >>> ngrams = AddedNgrams(TfidfVectorizer(TfidfConfig(ngrams_max=1)).fit(["New York", "old York", "shoes"]))
    >>> ngrams.rows(["York, Zealand"]).indices.tolist(), ngrams.rows(["Zealand"]).indices.tolist()
    ([1, 4], [4])
    """

    def __init__(self, built: TfidfVectorizer) -> None:
        self.built = built
        self.rarest = np.float32(built.idf.max(initial=1.0))
        self._fitting = replace(built.config, max_df=1.0, min_df=1)
        self._numbers: dict[tuple[bool, str], int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._numbers)

    def rows(self, texts: Texts, is_live: NDArray[np.bool_] | None = None, n_threads: int = 0) -> sparse.csr_matrix:
        """texts_by_ngrams of length one; with `is_live` only those new n-grams count for which it is true."""
        known = transform_joined([self.built], [RAW], [texts], n_threads=n_threads)
        own = TfidfVectorizer(self._fitting).fit(as_table(texts), n_threads)
        is_known = self.built.vocabulary.knows(own.vocabulary).astype(bool)
        columns = np.flatnonzero(~is_known)
        numbers = self._numbered(own, columns, adds_new=is_live is None)
        if is_live is not None:
            is_held = (numbers >= 0) & (numbers < len(is_live))
            is_held[is_held] = is_live[numbers[is_held]]
            columns, numbers = columns[is_held], numbers[is_held]
        n_built = self.built.n_features
        if not len(columns):
            return _of_length_one(known.data, known.indices, known.indptr, (known.shape[0], n_built + len(self)))
        is_left_out = np.ones(own.n_features, dtype=bool)
        is_left_out[columns] = False
        new = transform_joined([own.without(is_left_out, float(self.rarest))], [RAW], [texts], n_threads=n_threads)
        number_of = np.zeros(own.n_features, dtype=np.int64)
        number_of[columns] = numbers
        return self._side_by_side(known, new, n_built + number_of[new.indices])

    def words_in(
        self, texts: Texts, is_live: NDArray[np.bool_] | None, n_threads: int = 0
    ) -> tuple[TfidfVectorizer, NDArray[np.int64]]:
        """A vectorizer of those new n-grams that the texts have, and the number of each of its columns.

        N-grams that are known, or not live, have no number, -1, and are never used.
        """
        own = TfidfVectorizer(self._fitting).fit(as_table(list(texts)), n_threads)
        is_known = self.built.vocabulary.knows(own.vocabulary).astype(bool)
        columns, numbers = np.flatnonzero(~is_known), np.full(own.n_features, -1, dtype=np.int64)
        number = self._numbered(own, columns, adds_new=False)
        if is_live is not None:
            is_held = (number >= 0) & (number < len(is_live))
            is_held[is_held] = is_live[number[is_held]]
            number = np.where(is_held, number, -1)
        numbers[columns] = number
        return own.without(numbers < 0, float(self.rarest)), numbers

    def _side_by_side(
        self, known: sparse.csr_matrix, new: sparse.csr_matrix, columns: NDArray[np.int64]
    ) -> sparse.csr_matrix:
        """Rows of known and of new n-grams as one, each in the order of its columns."""
        n_rows = known.shape[0]
        row_of = np.repeat(np.arange(n_rows), np.diff(new.indptr))
        order = np.lexsort((columns, row_of))
        n_known, n_new = np.diff(known.indptr), np.diff(new.indptr)
        indptr = np.concatenate([[0], np.cumsum(n_known + n_new)])
        known_at = np.arange(known.nnz) + np.repeat(indptr[:-1] - known.indptr[:-1], n_known)
        new_at = np.arange(new.nnz) + np.repeat(indptr[1:] - new.indptr[1:], n_new)
        data, indices = np.empty(indptr[-1], dtype=np.float32), np.empty(indptr[-1], dtype=np.int32)
        data[known_at], indices[known_at] = known.data, known.indices
        data[new_at], indices[new_at] = new.data[order], columns[order]
        return _of_length_one(data, indices, indptr, (n_rows, self.built.n_features + len(self)))

    def _numbered(self, own: TfidfVectorizer, columns: NDArray[np.int64], adds_new: bool) -> NDArray[np.int64]:
        """The numbers of n-grams of another vectorizer; -1 for those never met, unless these are added."""
        n_words = own.n_words
        keys = [(column < n_words, own.vocabulary.feature_name(column)) for column in columns.tolist()]
        if not adds_new:
            return np.array([self._numbers.get(key, -1) for key in keys], dtype=np.int64)
        with self._lock:
            numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in keys]
        return np.array(numbers, dtype=np.int64)


class AddedVectorizer:
    """A vectorizer with further n-grams: all that are met, or with `is_live` those that some added text has now.

    Examples
    --------
    >>> from deixis.features.tfidf import TfidfConfig
    >>> ngrams = AddedNgrams(TfidfVectorizer(TfidfConfig(ngrams_max=1)).fit(["New York", "old York", "shoes"]))
    >>> of_zealand = ngrams.rows(["Zealand"])
    >>> [AddedVectorizer(ngrams, np.array([is_live])).transform(["York, Zealand"]).nnz for is_live in (True, False)]
    [2, 1]
    """

    def __init__(self, ngrams: AddedNgrams, is_live: NDArray[np.bool_] | None = None) -> None:
        self.ngrams = ngrams
        self.is_live = is_live

    @property
    def n_features(self) -> int:
        """Number of columns so far."""
        return self.ngrams.built.n_features + len(self.ngrams)

    @property
    def idf(self) -> AddedIdf:
        """The weight of each column."""
        return AddedIdf(self.ngrams.built.idf, self.ngrams.rarest)

    def words_in(
        self, texts: Sequence[str], n_threads: int = 0
    ) -> tuple[list[_core.TfidfVocabulary], NDArray[np.float32], NDArray[np.int32]]:
        """Vocabularies of the built words and of the further ones that the texts have, with the weights of both.

        Parts of the texts' words, where a window cuts one, are looked for among the built words alone.
        The last array has the column here of each of their columns, one vocabulary after the other.
        """
        built, own, numbers = self.ngrams.built, *self.ngrams.words_in(texts, self.is_live, n_threads)
        idf = np.concatenate([built.idf, np.where(numbers >= 0, self.ngrams.rarest, 0)]).astype(np.float32)
        columns = np.concatenate([np.arange(built.n_features), built.n_features + np.maximum(numbers, 0)])
        return [built.vocabulary, own.vocabulary], idf, columns.astype(np.int32)

    def transform(self, texts: Texts, n_threads: int = 0) -> sparse.csr_matrix:
        """texts_by_features: float32 rows of length one (or zero, for a text without known n-grams)."""
        return self.ngrams.rows(texts, self.is_live, n_threads)

    def rows_of(self, texts: Texts, n_threads: int = 0) -> FlatRows:
        """The same as the core takes them."""
        return FlatRows.of(self.transform(texts, n_threads))


class AddedIdf:
    """Weights by column: those of a built vocabulary, and the same for any column after them.

    Examples
    --------
    >>> AddedIdf(np.array([1, 2], dtype=np.float32), np.float32(2))[np.array([0, 7])].tolist()
    [1.0, 2.0]
    """

    def __init__(self, built: NDArray[np.float32], rarest: np.float32) -> None:
        self.built = built
        self.rarest = rarest

    def __getitem__(self, columns: NDArray[np.integer]) -> NDArray[np.float32]:
        n_built = len(self.built)
        if not n_built:
            return np.full(len(columns), self.rarest, dtype=np.float32)
        is_new = columns >= n_built
        weights: NDArray[np.float32] = self.built[np.where(is_new, 0, columns) if is_new.any() else columns]
        return np.where(is_new, self.rarest, weights)

    def max(self, initial: float = 1.0) -> np.float32:
        """The largest weight."""
        return max(self.rarest, np.float32(initial))


def _of_length_one(
    data: NDArray[np.float32], indices: NDArray[np.int32], indptr: NDArray[np.integer], shape: tuple[int, int]
) -> sparse.csr_matrix:
    """Rows scaled to length one; empty ones stay so."""
    row_of = np.repeat(np.arange(shape[0]), np.diff(indptr))
    squares = np.bincount(row_of, weights=data.astype(np.float64) ** 2, minlength=shape[0])
    scales = 1 / np.sqrt(np.maximum(squares, 1e-30))
    rows = sparse.csr_matrix(((data * scales[row_of]).astype(np.float32), indices, indptr), shape=shape)
    rows.has_sorted_indices = True
    rows.has_canonical_format = True
    return rows
