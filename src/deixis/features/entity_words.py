"""Which words the names and descriptions of entities have: what mentions and their contexts are held against.

Only whether a word occurs is kept, so a description costs two bytes a word and nothing is read again when it is asked
for. A word weighs its idf; stop words a tenth of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.features.added_ngrams import AddedNgrams, AddedVectorizer
from deixis.features.stated_names import StatedNames
from deixis.features.stop_words import filler_words
from deixis.features.tfidf import CASEFOLD, NFKC, RAW, TfidfConfig, TfidfVectorizer, as_table
from deixis.features.word_rows import ColumnRows, Pairs, WordRowParts, WordRows, Words, sums_by_row
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.checks import require
from deixis.store.part import GIVEN, Part, array, nested
from deixis.store.row_parts import ColumnParts, RowParts, column_parts
from deixis.store.sparse_rows_builder import row_chunks
from deixis.store.strings import StringTable
from deixis.tables import FlatRows

WORDS = TfidfConfig(ngrams_max=1, max_df=1.0)
STOP_WORD_WEIGHT = 0.1
# Descriptions shorter than most do not get a higher similarity for being short: their length counts as this one.
LENGTH_PERCENTILE = 80
DESCRIPTION, TITLE = range(2)
"""The kinds of texts that an entity has."""


_NO_COLUMNS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class MentionSpans:
    """Where mentions stand: numbers of texts, starts and ends there; and their words, as `EntityWords.rows_of`."""

    documents: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    words: FlatRows


@dataclass(frozen=True, eq=False)
class EntityWords(Part):
    """The words of descriptions, of titles and of all names, over one vocabulary.

    Examples
    --------
    >>> names = StringTable.from_strings(["Paris", "Paris"])
    >>> texts = StringTable.from_strings(["capital of France on the Seine", "prince of Troy who took Helen"])
    >>> words = EntityWords.build(names, np.array([0, 1]), texts)
    >>> both = Pairs(np.array([0, 2]), np.array([0, 1]))
    >>> (words.similarity(words.queries(["Helen left for Troy"]), both) > 0).tolist()
    [False, True]
    """

    vectorizer: Annotated[TfidfVectorizer | AddedVectorizer, nested(TfidfVectorizer, config=WORDS)]
    texts: Annotated[WordRows, nested(n_kinds=2, like="n_entities")]
    """Of each entity its description, then its title; the same order in `scales`."""
    names: Annotated[WordRows, nested(like="n_entities")]
    scales: Annotated[NDArray[np.float32], array(columns=2, length="n_entities", low=0, high=1e10)]
    stated: Annotated[StatedNames | None, GIVEN] = None

    @classmethod
    def build(
        cls,
        names: StringTable,
        rows: NDArray[np.integer],
        texts: StringTable,
        more_words: Sequence[tuple[sparse.csr_matrix, StringTable]] = (),
        n_threads: int = 0,
    ) -> EntityWords:
        """The words of entities whose titles are the first `names`, one each; `rows` are the entities of all names.

        `texts` are the descriptions; `more_words` are pairs of entities_by_labels and the labels' names, whose words
        count as words of the description.
        """
        vectorizer = TfidfVectorizer(WORDS).fit(_all_texts(names, texts, more_words), n_threads)
        vectorizer = vectorizer.damped(filler_words(), STOP_WORD_WEIGHT)
        return cls._over(vectorizer, names, rows, texts, more_words, None, n_threads)

    def extend(
        self,
        ngrams: AddedNgrams,
        names: StringTable,
        rows: NDArray[np.integer],
        texts: StringTable,
        more_words: Sequence[tuple[sparse.csr_matrix, StringTable]] = (),
        n_threads: int = 0,
    ) -> EntityWords:
        """The words of further entities, over this vocabulary and `ngrams`, which it lacks; else as in `build`."""
        vectorizer, largest = AddedVectorizer(ngrams), float(self.scales[:, DESCRIPTION].max(initial=0.0))
        return self._over(vectorizer, names, rows, texts, more_words, 1 / largest if largest else 1.0, n_threads)

    @classmethod
    def joined(cls, words: Sequence[EntityWords], parts: RowParts, vectorizer: AddedVectorizer) -> EntityWords:
        """The words of entities in several parts, over the vocabulary of all of them."""
        columns: dict[str, Any] = {
            name: WordRowParts([getattr(each, name) for each in words], parts) for name in ("texts", "names")
        }
        columns["scales"] = ColumnParts([each.scales for each in words], parts)
        return cls(vectorizer=vectorizer, stated=words[0].stated, **columns)

    @classmethod
    def _over(
        cls,
        vectorizer: TfidfVectorizer | AddedVectorizer,
        names: StringTable,
        rows: NDArray[np.integer],
        texts: StringTable,
        more_words: Sequence[tuple[sparse.csr_matrix, StringTable]],
        typical: float | None,
        n_threads: int,
    ) -> EntityWords:
        """The words of entities over a vocabulary; `typical` is the length of descriptions, or None to measure it."""
        n_entities = len(texts)
        labelled = [(each, vectorizer.transform(labels, n_threads)) for each, labels in more_words]

        def described(chunk: range) -> sparse.csr_matrix:
            described = vectorizer.transform(texts.take(chunk), n_threads)
            n_columns = vectorizer.n_features  # n-grams may have got columns meanwhile
            for entities_by_labels, labels_by_words in labelled:
                own = entities_by_labels[chunk.start : chunk.stop] @ _widened(labels_by_words, n_columns)
                described = (_widened(described, n_columns) + own).tocsr()
            return described

        descriptions = ColumnRows.of_chunks(map(described, row_chunks(n_entities)))
        owners = sparse.csr_matrix(
            (np.ones(len(rows), np.float32), (rows, np.arange(len(rows)))), shape=(n_entities, len(rows))
        )
        named = vectorizer.transform(names, n_threads)
        titles = ColumnRows.of(named[:n_entities])
        lengths = np.sqrt(descriptions.row_sums(vectorizer.idf, 2))
        if typical is None:
            typical = float(np.percentile(lengths[lengths > 0], LENGTH_PERCENTILE)) if lengths.any() else 1.0
        sizes = [np.maximum(lengths, typical), np.maximum(titles.row_sums(vectorizer.idf), 1e-9)]
        scales = (1 / np.stack(sizes, axis=1)).astype(np.float32)
        return cls(vectorizer, WordRows.of(descriptions, titles), WordRows.of(ColumnRows.of(owners @ named)), scales)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, **context: Any) -> EntityWords:  # noqa: ANN401
        """What `to_arrays` gave; up to format 3 words had four bytes, titles were apart from descriptions."""
        if f"{prefix}.descriptions.indices" in arrays:
            arrays = _of_format_3(arrays, prefix)
        return super().from_arrays(arrays, prefix, **context)

    @cached_property
    def has_descriptions(self) -> bool:
        """Whether any description has a word."""
        return self.texts.has_words(DESCRIPTION)

    @cached_property
    def max_weight(self) -> np.float32:
        """What the rarest word weighs; 0 if there is none."""
        return np.float32(self.vectorizer.idf.max(initial=0.0))

    def queries(self, texts: StringTable | Sequence[str], n_threads: int = 0) -> sparse.csr_matrix:
        """texts_by_words: the idf of every word that a text has, counted once."""
        rows = self.vectorizer.transform(texts, n_threads)
        rows.data = self.vectorizer.idf[rows.indices]
        return rows

    def rows_of(self, texts: StringTable | Sequence[str], n_threads: int = 0) -> FlatRows:
        """The same as `queries`, without the cost of a matrix."""
        vectorizer = self.vectorizer
        if isinstance(vectorizer, AddedVectorizer):
            return _as_words(self.queries(texts, n_threads))
        table = as_table(texts)
        indptr, columns, _ = _core.tfidf_rows(
            [vectorizer.vocabulary], [RAW], [table.data], [table.offsets], False, n_threads
        )
        return FlatRows(indptr, columns, vectorizer.idf[columns], (len(table), vectorizer.n_features))

    def in_context(
        self,
        texts: Sequence[str],
        mentions: MentionSpans,
        pairs: Pairs,
        windows: Sequence[int],
        sentence_margin: int,
        min_rest: float,
        n_threads: int = 0,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What proposed entities have of the words around mentions.

        First the cosine of each description, [rows, pairs]: a row for each window, for the sentence, and for the words
        of the text's other mentions. A window has so many characters, the mention in their middle, and what reads as
        the mention does is left out. A sentence has at most `sentence_margin` of them on either side; it has no row
        where that is 0. Then how much of each title is there, by weight of the words, 0 to 1: in the first window, and
        of what is left of the title without the mention's words, if that is more than `min_rest` of it.

        Examples
        --------
        >>> names, texts = StringTable.from_strings(["cat", "pet food"]), StringTable.from_strings(["pet", "a can"])
        >>> words = EntityWords.build(names, np.array([0, 1]), texts)
        >>> mentions = MentionSpans(np.array([0]), np.array([2]), np.array([5]), words.rows_of(["cat"]))
        >>> both = Pairs(np.array([0, 2]), np.array([0, 1]))
        >>> described, titled = words.in_context(["a cat is a pet"], mentions, both, [100], 0, 0.01)
        >>> described.astype(float).round(1).tolist(), titled.astype(float).round(1).tolist()
        ([[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.4], [0.0, 0.4]])
        """
        vectorizer = self.vectorizer
        if isinstance(vectorizer, AddedVectorizer):
            vocabularies, idf, columns_of = vectorizer.words_in(texts, n_threads)
        else:
            vocabularies, idf, columns_of = [vectorizer.vocabulary], vectorizer.idf, _NO_COLUMNS
        words, rows = mentions.words, np.asarray(pairs.rows, dtype=np.int64)
        described, titled = _core.context_words(
            vocabularies, idf, columns_of, list(texts), mentions.documents, mentions.starts, mentions.ends,
            words.indptr, words.indices, words.data, list(windows), sentence_margin, min_rest,
            np.asarray(pairs.starts, dtype=np.int64), rows,
            *self.texts.arrays, column_parts(self.scales), self.has_descriptions, n_threads,
        )  # fmt: skip
        n_kinds = len(windows) + (sentence_margin > 0) + 1
        return described.reshape(n_kinds, len(rows)), titled.reshape(2, len(rows))

    def known_fractions(self, texts: Sequence[str], queries: Words) -> NDArray[np.float32]:
        """How much of each text are words of the vocabulary, by weight: one that nobody has weighs as the rarest do.

        Examples
        --------
        >>> names, texts = StringTable.from_strings(["cat"]), StringTable.from_strings(["pet of a family"])
        >>> words = EntityWords.build(names, np.array([0]), texts)
        >>> queries = ["a cat", "university of Oslo"]
        >>> [round(one, 2) for one in words.known_fractions(queries, words.queries(queries)).tolist()]
        [1.0, 0.05]
        """
        fillers, indptr = _fillers(), queries.indptr.tolist()
        unknown = np.zeros(len(texts))
        for number, text in enumerate(texts):
            tokens = {token[0] for token in _core.tokenize(text, NFKC, CASEFOLD)}
            n_words = indptr[number + 1] - indptr[number]
            if len(tokens) > n_words:
                telling = len(tokens - fillers)
                unknown[number] = min(len(tokens) - n_words, telling or STOP_WORD_WEIGHT)
        known = sums_by_row(queries.indptr, queries.data)
        unknown *= max(self.max_weight, np.float32(1.0))
        return (known / np.maximum(known + unknown, 1e-9)).astype(np.float32)

    def word_weights(self, words: Sequence[str], n_threads: int = 0) -> NDArray[np.float32]:
        """The idf of single words; one that no entity has weighs as the rarest do, or as a stop word if it is one.

        Examples
        --------
        >>> names, texts = StringTable.from_strings(["cat"]), StringTable.from_strings(["pet of a family"])
        >>> words = EntityWords.build(names, np.array([0]), texts)
        >>> (words.word_weights(["cat", "dog", "of", "the"]) > 0.2).tolist()
        [True, True, False, False]
        """
        rows = self.queries(words, n_threads)
        rarest, fillers = max(self.max_weight, np.float32(1.0)), _fillers()
        unknown = rarest * np.array([STOP_WORD_WEIGHT if word in fillers else 1.0 for word in words])
        # A word may be several for the vectorizer, as in scripts without spaces; it weighs what they weigh.
        return np.where(np.diff(rows.indptr) > 0, sums_by_row(rows.indptr, rows.data), unknown).astype(np.float32)

    def similarity(self, queries: Words, pairs: Pairs, n_threads: int = 0) -> NDArray[np.float32]:
        """The cosine of each proposed entity's description with its mention's query; short ones count as long."""
        squares = _as_words(queries).with_data(queries.data * self.vectorizer.idf[queries.indices])
        lengths = np.sqrt(sums_by_row(squares.indptr, squares.data))  # of the vectors of idf
        weighted = _divided(squares, lengths)
        return self.texts.dots(weighted, pairs, DESCRIPTION, n_threads) * self._scales(DESCRIPTION, pairs)

    def overlap(self, queries: Words, pairs: Pairs, n_threads: int = 0) -> NDArray[np.float32]:
        """The sum of the weights of a query's words that the description of each proposed entity has."""
        return self.texts.dots(queries, pairs, DESCRIPTION, n_threads)

    def share_described(self, queries: Words, pairs: Pairs, n_threads: int = 0) -> NDArray[np.float32]:
        """How much of a query the description of each proposed entity has, by weight, 0 to 1."""
        return self.texts.dots(shares_of(queries), pairs, DESCRIPTION, n_threads)

    def share_named(self, queries: Words, pairs: Pairs, n_threads: int = 0) -> NDArray[np.float32]:
        """How much of a query all names of each proposed entity have, by weight, 0 to 1."""
        return self.names.dots(shares_of(queries), pairs, n_threads=n_threads)

    def title_share(self, queries: Words, pairs: Pairs, n_threads: int = 0) -> NDArray[np.float32]:
        """How much of each proposed entity's title its mention's query has, by weight, 0 to 1."""
        return self.texts.dots(queries, pairs, TITLE, n_threads) * self._scales(TITLE, pairs)

    def _scales(self, kind: int, pairs: Pairs) -> NDArray[np.float32]:
        of_pairs: NDArray[np.float32] = self.scales.take(pairs.rows, axis=0)[:, kind]
        return of_pairs


def _of_format_3(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays of words that have four bytes each."""
    descriptions, titles, names = (
        ColumnRows(require(arrays, f"{each}.indptr", np.int64), require(arrays, f"{each}.indices", np.int32))
        for each in (f"{prefix}.descriptions", f"{prefix}.titles", f"{prefix}.names")
    )
    scales = [require(arrays, f"{prefix}.{each}_scales", np.float32) for each in ("description", "title")]
    try:
        texts, named = WordRows.of(descriptions, titles), WordRows.of(names)
        columns = np.stack(scales, axis=1)
    except ValueError as error:
        raise StoreError(f"The words '{prefix}.*' are damaged: {error} Build the model again.") from error
    return {
        **arrays,
        **texts.to_arrays(f"{prefix}.texts"),
        **named.to_arrays(f"{prefix}.names"),
        f"{prefix}.scales": columns,
    }


def _all_texts(
    names: StringTable, texts: StringTable, more_words: Sequence[tuple[sparse.csr_matrix, StringTable]]
) -> StringTable:
    vocabulary = names.joined(texts)
    for _, labels in more_words:
        vocabulary = vocabulary.joined(labels)
    return vocabulary


@cache
def _fillers() -> frozenset[str]:
    return frozenset(filler_words())


def shares_of(queries: Words) -> FlatRows:
    """The rows with weights that add up to one."""
    indptr = queries.indptr.astype(np.int64, copy=False)
    return FlatRows(indptr, queries.indices, _core.row_fractions(indptr, queries.data), queries.shape)


def _as_words(rows: Words) -> FlatRows:
    return FlatRows(rows.indptr.astype(np.int64, copy=False), rows.indices, rows.data, rows.shape)


def _divided(words: FlatRows, by: NDArray[np.float64]) -> FlatRows:
    divisors = np.repeat(np.maximum(by, 1e-9), words.row_lengths)
    return words.with_data((words.data / divisors).astype(np.float32))


def _widened(rows: sparse.csr_matrix, n_columns: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns))
