"""The arrays that travel between the stages of linking: spans, their candidates, and ranked candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.scipy_sparse import sparse
from deixis.types import Document, MentionInContext

EntityMask = NDArray[np.bool_]
"""For each row of the knowledge base, whether it may be a candidate. Read-only."""


@dataclass(frozen=True, eq=False, slots=True)
class FlatRows:
    """A sparse matrix by rows without the cost of making one of SciPy's, which a single mention would feel.

    The three arrays are those of a CSR matrix, and have its names; nothing is checked or sorted.

    Examples
    --------
    >>> best = FlatRows(np.array([0, 2, 2]), np.array([7, 3]), np.array([0.6, 0.4], dtype=np.float32), (2, 9))
    >>> best.row_lengths.tolist(), best[0].indices.tolist(), best.matrix().shape
    ([2, 0], [7, 3], (2, 9))
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    shape: tuple[int, int]

    @classmethod
    def of(cls, matrix: sparse.csr_matrix | FlatRows) -> FlatRows:
        """The arrays of a CSR matrix; no copy."""
        return cls(matrix.indptr, matrix.indices, matrix.data, matrix.shape)

    @classmethod
    def empty(cls, n_rows: int, n_columns: int) -> FlatRows:
        """Rows without anything in them."""
        nothing = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        return cls(np.zeros(n_rows + 1, dtype=np.int64), *nothing, (n_rows, n_columns))

    @classmethod
    def stacked(cls, parts: Sequence[FlatRows]) -> FlatRows:
        """The rows of all parts, one after the other."""
        counts = np.concatenate([np.zeros(1, dtype=np.int64), *(part.row_lengths for part in parts)])
        indices, data = (np.concatenate(each) for each in zip(*((p.indices, p.data) for p in parts), strict=True))
        return cls(np.cumsum(counts), indices, data, (len(counts) - 1, parts[0].shape[1]))

    @property
    def row_lengths(self) -> NDArray[Any]:
        """How much is stored in each row."""
        lengths: NDArray[Any] = self.indptr[1:] - self.indptr[:-1]
        return lengths

    @property
    def nnz(self) -> int:
        """How much is stored in all."""
        return len(self.data)

    def with_data(self, data: NDArray[Any]) -> FlatRows:
        """The same places with other values."""
        return FlatRows(self.indptr, self.indices, data, self.shape)

    def kept_where(self, is_kept: NDArray[np.bool_]) -> FlatRows:
        """Without some of the entries, the others in the same order."""
        if is_kept.all():
            return self
        n_kept = np.concatenate([np.zeros(1, dtype=np.int64), is_kept.cumsum()])
        return FlatRows(n_kept[self.indptr], self.indices[is_kept], self.data[is_kept], self.shape)

    def __getitem__(self, rows: int | slice | NDArray[Any]) -> FlatRows:
        numbers = np.atleast_1d(np.arange(self.shape[0])[rows])
        counts = self.row_lengths[numbers]
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), counts.cumsum()])
        items = np.repeat(self.indptr[numbers] - indptr[:-1], counts) + np.arange(indptr[-1])
        return FlatRows(indptr, self.indices[items], self.data[items], (len(numbers), self.shape[1]))

    def matrix(self) -> sparse.csr_matrix:
        """The same as a SciPy matrix; values and columns are not copied."""
        indptr = self.indptr.astype(self.indices.dtype) if self.nnz < 2**31 else self.indptr
        return sparse.csr_matrix((self.data, self.indices, indptr), shape=self.shape)

    def toarray(self) -> NDArray[Any]:
        """The same as a dense matrix."""
        values: NDArray[Any] = self.matrix().toarray()
        return values


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """Mention `i` has the different rows `rows[starts[i]:starts[i + 1]]`, and each row a number per signal.

    Examples
    --------
    >>> table = CandidateTable(np.array([0, 2]), np.array([7, 8]), {"names": np.array([0.9, 0.5], dtype=np.float32)})
    >>> table.column("names").tolist(), table.column("alias").tolist()
    ([0.8999999761581421, 0.5], [0.0, 0.0])
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    signals: Mapping[str, NDArray[np.float32]]

    def column(self, source: str) -> NDArray[np.float32]:
        """The score that a source gives each row; all 0 if the source is not there."""
        return self.signals[source] if source in self.signals else np.zeros(len(self.rows), dtype=np.float32)

    @property
    def mention_numbers(self) -> NDArray[np.int64]:
        """The mention that each row was proposed for."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def as_matrix(self, n_rows: int) -> sparse.csr_matrix:
        """mentions_by_entities with a one at each proposed place."""
        ones = np.ones(len(self.rows), dtype=np.float32)
        return sparse.csr_matrix((ones, self.rows, self.starts), shape=(len(self.starts) - 1, n_rows))

    def group_max(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """The largest value of each mention, once for each of its rows."""
        return _spread(np.maximum, values, self.starts)

    def group_sum(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """The sum of each mention's values, once for each of its rows."""
        return _spread(np.add, values, self.starts)


@dataclass(frozen=True, eq=False)
class BestCandidates:
    """What is known of the best candidate of each mention, by its row; -1 and zeros where a mention has none.

    `alias` and `label_tree` are scores of these sources, `title` is 1 where the mention is its title; by `leads` its
    sum of features is ahead of the second's, infinite where there is no second. Of the mention's words `known` is the
    sum of the weights of those that any entity has, `n_known` their number and `described` the sum for those that the
    candidate's description has; the rarest word weighs `max_idf`.
    """

    rows: NDArray[np.int64]
    alias: NDArray[np.float32]
    title: NDArray[np.float32]
    label_tree: NDArray[np.float32]
    leads: NDArray[np.float64]
    described: NDArray[np.float32]
    known: NDArray[np.float64]
    n_known: NDArray[np.int64]
    max_idf: float


def _spread(operation: np.ufunc, values: NDArray[np.floating], starts: NDArray[np.int64]) -> NDArray[np.floating]:
    lengths = np.diff(starts)
    is_filled = lengths > 0
    if not is_filled.any():
        return values
    return np.repeat(operation.reduceat(values, starts[:-1][is_filled]), lengths[is_filled])


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of a batch of documents in text order, and the log odds that each is a mention: +inf for given mentions.

    `documents` are numbers in the batch, never ids. `has_name` says whether a span is a name of the knowledge base or
    of annotated documents, or was found by a recognizer. `long_forms` are the starts and ends of what each span stands
    for: its own, but for short forms that the text defines. None: no span is short for another.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> spans = Spans.given([Document("d", "Paris fled", mentions=(Mention(0, 5, "Paris"),))])
    >>> spans.starts.tolist(), spans.ends.tolist(), spans.log_odds.tolist()
    ([0], [5], [inf])
    """

    documents: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    log_odds: NDArray[np.float64]
    has_name: NDArray[np.bool_]
    long_forms: NDArray[np.int64] | None = None

    @classmethod
    def given(cls, documents: Sequence[Document]) -> Spans:
        """The mentions that documents bring, in their order."""
        columns = [(n, each.start, each.end) for n, document in enumerate(documents) for each in document.mentions]
        numbers, starts, ends = np.array(columns, dtype=np.int64).reshape(-1, 3).T
        return cls(numbers, starts, ends, np.full(len(numbers), np.inf), np.ones(len(numbers), dtype=bool))

    @classmethod
    def joined(cls, parts: Sequence[Spans]) -> Spans:
        """The spans of all parts, one after the other."""
        several = [cls.given(()), *parts]
        columns = ((each.documents, each.starts, each.ends, each.log_odds, each.has_name) for each in several)
        joined = cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))
        if all(each.long_forms is None for each in several):
            return joined
        return replace(joined, long_forms=np.concatenate([each._read_at() for each in several]))

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, rows: slice | NDArray[np.bool_] | NDArray[np.integer]) -> Spans:
        """The spans in these rows."""
        return Spans(
            self.documents[rows], self.starts[rows], self.ends[rows], self.log_odds[rows], self.has_name[rows],
            None if self.long_forms is None else self.long_forms[rows],
        )  # fmt: skip

    def with_long_forms(self, forms: Mapping[tuple[int, int, int], tuple[int, int]]) -> Spans:
        """The same spans; those with these keys are short for what stands at these places of their documents."""
        if not forms:
            return self
        long_forms = self._read_at()
        for row, key in enumerate(self.keys()):
            if key in forms:
                long_forms[row] = forms[key]
        return replace(self, long_forms=long_forms)

    def _read_at(self) -> NDArray[np.int64]:
        return np.column_stack([self.starts, self.ends]) if self.long_forms is None else self.long_forms

    def keys(self) -> Iterator[tuple[int, int, int]]:
        """Document number, start and end of each span."""
        return zip(self.documents.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)

    def positions(self, mentions: Sequence[MentionInContext]) -> list[tuple[str, int, int]]:
        """The text of each span's mention, and where the span itself stands in it, short form or not."""
        texts = (mention.document_text for mention in mentions)
        return list(zip(texts, self.starts.tolist(), self.ends.tolist(), strict=True))

    def in_context(self, documents: Sequence[Document]) -> list[MentionInContext]:
        """The spans as sources and features take them: short forms as what they stand for.

        Two documents of one id must not lend each other mentions.
        """
        read_at = self.long_forms
        starts, ends = (self.starts, self.ends) if read_at is None else (read_at[:, 0], read_at[:, 1])
        return [
            MentionInContext(documents[n].text[s:e], documents[n].text, s, e, documents[n].lang, str(n))
            for n, s, e in zip(self.documents.tolist(), starts.tolist(), ends.tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The candidates of each span, best first: `rows` and `scores` from `starts[i]` to `starts[i + 1]`.

    Examples
    --------
    >>> ranking = Ranking(np.array([0, 2, 2]), np.array([7, 3]), np.array([0.6, 0.4]))
    >>> ranking.best_scores().tolist(), ranking.head(1).rows.tolist()
    ([0.6, 0.0], [7])
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    @classmethod
    def of_matrix(cls, mentions_by_entities: FlatRows | sparse.csr_matrix) -> Ranking:
        """The stored values of each row of a matrix, in the order they are stored."""
        matrix = mentions_by_entities
        starts, rows = (each.astype(np.int64, copy=False) for each in (matrix.indptr, matrix.indices))
        return cls(starts, rows, matrix.data.astype(np.float64))

    @classmethod
    def joined(cls, parts: Sequence[Ranking]) -> Ranking:
        """The spans of all parts, one after the other."""
        counts = [np.zeros(1, dtype=np.int64), *(part.lengths for part in parts)]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(part.rows for part in parts)])
        return cls(np.cumsum(np.concatenate(counts)), rows, np.concatenate([np.zeros(0), *(p.scores for p in parts)]))

    def to_matrix(self, n_entities: int) -> sparse.csr_matrix:
        """mentions_by_entities, stored best first."""
        scores = self.scores.astype(np.float32)
        return sparse.csr_matrix((scores, self.rows, self.starts), shape=(len(self), n_entities))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of candidates of each span."""
        lengths: NDArray[np.int64] = self.starts[1:] - self.starts[:-1]
        return lengths

    @property
    def span_numbers(self) -> NDArray[np.int64]:
        """The span that each candidate belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The place of each candidate in its list, from 0."""
        return np.arange(len(self.rows)) - self.starts[self.span_numbers]

    def take(self, numbers: NDArray[np.bool_] | NDArray[np.integer]) -> Ranking:
        """The candidates of these spans, in this order."""
        chosen = np.flatnonzero(numbers) if numbers.dtype == np.bool_ else np.asarray(numbers, dtype=np.int64)
        counts = self.lengths[chosen]
        starts = np.concatenate([[0], np.cumsum(counts)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], counts)
        return Ranking(starts, self.rows[places], self.scores[places])

    def keep(self, is_kept: NDArray[np.bool_]) -> Ranking:
        """Only these candidates."""
        n_before = np.concatenate([[0], np.cumsum(is_kept)])
        return Ranking(n_before[self.starts], self.rows[is_kept], self.scores[is_kept])

    def head(self, k: int) -> Ranking:
        """The first `k` candidates of each span."""
        return self if (self.lengths <= k).all() else self.keep(self.ranks < k)

    def with_scores(self, scores: NDArray[np.float64]) -> Ranking:
        """The same candidates with other scores."""
        return Ranking(self.starts, self.rows, scores)

    def best_scores(self, rank: int = 0) -> NDArray[np.float64]:
        """The score of each span's best candidate, or of the one at another rank; 0 where there is none."""
        if rank == 0:
            return self._best[1]
        scores = np.zeros(len(self))
        has_one = self.lengths > rank
        scores[has_one] = self.scores[self.starts[:-1][has_one] + rank]
        return scores

    def times(self, factors: NDArray[np.float64]) -> Ranking:
        """The same candidates, the scores of each span times its factor."""
        return self.with_scores(self.scores * np.repeat(factors, self.lengths))

    def best_rows(self) -> NDArray[np.int64]:
        """The row of each span's best candidate; -1 where there is none."""
        return self._best[0]

    @cached_property
    def _best(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows and scores of the best candidates, which several stages ask for."""
        firsts, n_each = self.starts[:-1], self.lengths
        if n_each.all():
            return self.rows[firsts], self.scores[firsts]
        has_one = n_each > 0
        rows, scores = np.full(len(self), -1, dtype=np.int64), np.zeros(len(self))
        rows[has_one], scores[has_one] = self.rows[firsts[has_one]], self.scores[firsts[has_one]]
        return rows, scores


def on_one_line(
    documents: NDArray[np.integer], starts: NDArray[np.integer], ends: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends as if all documents stood one after the other: one choice of spans then serves them all.

    Examples
    --------
    >>> on_one_line(np.array([0, 1]), np.array([2, 0]), np.array([4, 3]))
    (array([2, 5]), array([4, 8]))
    """
    first = documents.astype(np.int64) * (int(ends.max(initial=0)) + 1)
    return first + starts, first + ends
