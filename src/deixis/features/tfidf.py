"""TF-IDF over word n-grams and, if wanted, character n-grams: texts in, sparse rows out.

Every n-gram has a column of its own (nothing is hashed away). Weights are those of scikit-learn's defaults:
raw counts times ln((1 + n) / (1 + df)) + 1, rows scaled to length one. The vocabulary is a handful of flat arrays that
the compiled core looks into where they lie, so loading one costs nothing, whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError, NotFittedError, StoreError
from deixis.features.tokens import with_narrow_tokens
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.checks import check_range, is_sorted, require
from deixis.store.sparse_rows_builder import ROWS_AT_ONCE, SparseRowsBuilder, row_chunks
from deixis.store.strings import StringTable
from deixis.tables import FlatRows

MAX_NGRAM = 5
RAW = -1.0  # a weight: values are not scaled to length one
# In the order in which the core's constructor takes them.
_ARRAYS: dict[str, type[np.generic]] = {
    "tokens.data": np.uint8, "tokens.offsets": np.uint32, "tokens.slots": np.uint32,
    "trie.child_ptr": np.int32, "trie.labels": np.uint32, "dropped": np.int32, "idf": np.float32,
    "grams.data": np.uint8, "grams.offsets": np.uint32, "grams.slots": np.uint32,
}  # fmt: skip


CASEFOLD, NFKC = True, True  # everything else here compares names folded, so these would be wrong otherwise


@dataclass(frozen=True)
class TfidfConfig(Config):
    """Which n-grams become features and how they are weighted."""

    RETIRED = {"casefold": CASEFOLD, "nfkc": NFKC}

    ngrams_max: int = setting(2, "Longest n-gram of words, 1 to 5.", low=1, high=MAX_NGRAM)
    max_df: float = setting(0.98, "Drop n-grams in a larger share of the texts than this.", above=0, high=1)
    min_df: int = setting(1, "Drop n-grams in fewer texts than this.", low=1, below=2**31)
    char_ngrams_min: int = setting(0, "Shortest n-gram of characters inside a word; 0: none.", low=0, high=64)
    char_ngrams_max: int = setting(0, "Longest n-gram of characters inside a word; 0: none.", low=0, high=64)
    sublinear_tf: bool = setting(False, "Weigh a count as 1 + ln(count).")

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.char_ngrams_min, self.char_ngrams_max
        if (low, high) != (0, 0) and not 1 <= low <= high:
            raise ConfigError(
                f"char_ngrams_min and char_ngrams_max must both be 0 or 1 <= min <= max, got {low}, {high}."
            )


class TfidfVectorizer:
    """Learns which n-grams a collection has, and turns texts into rows of weights.

    Examples
    --------
    >>> vectorizer = TfidfVectorizer(TfidfConfig(ngrams_max=2))
    >>> rows = vectorizer.fit(["New York", "old York", "new shoes"]).transform(["NEW YORK"])
    >>> rows.shape
    (1, 7)
    >>> sorted(vectorizer.feature_names(rows.indices))
    ['new', 'new york', 'york']
    """

    def __init__(self, config: TfidfConfig | None = None) -> None:
        self.config = config or TfidfConfig()
        self._arrays: dict[str, NDArray[Any]] = {}
        self._vocabulary: _core.TfidfVocabulary | None = None

    def fit(self, texts: StringTable | Sequence[str], n_threads: int = 0) -> TfidfVectorizer:
        """This vectorizer, with the vocabulary of `texts`; 0 threads means one per processor."""
        table, config = as_table(texts), self.config
        arrays = _core.tfidf_fit(
            table.data, table.offsets, config.ngrams_max, config.max_df, config.min_df, config.char_ngrams_min,
            config.char_ngrams_max, NFKC, CASEFOLD, n_threads,
        )  # fmt: skip
        self._use(arrays)
        return self

    def transform(self, texts: StringTable | Sequence[str], n_threads: int = 0) -> sparse.csr_matrix[np.float32]:
        """texts_by_features: float32 rows of length one (or zero, for a text without known n-grams)."""
        return transform_joined([self], [1.0], [texts], n_threads=n_threads)

    def rows_of(self, texts: StringTable | Sequence[str], n_threads: int = 0) -> FlatRows:
        """The same without the cost of a matrix."""
        return _rows([self], [1.0], [as_table(texts)], False, n_threads)

    def transform_row(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Columns (ascending) and weights of one text, without the cost of a matrix."""
        columns, weights = _core.tfidf_row([self.vocabulary], [1.0], [text], False)
        return columns, weights

    def damped(self, texts: StringTable | Sequence[str], factor: float) -> TfidfVectorizer:
        """The same columns, in which every n-gram of `texts` weighs `factor` times as much."""
        idf = self.idf.copy()
        idf[np.unique(self.transform(texts).indices)] *= factor
        damped = TfidfVectorizer(self.config)
        damped._use(self._arrays | {"idf": idf})
        return damped

    def without(self, is_left_out: NDArray[np.bool_], idf: float) -> TfidfVectorizer:
        """The same columns, of which these are never used and all others weigh `idf`."""
        weights = np.where(is_left_out, 0, idf).astype(np.float32)
        reduced = TfidfVectorizer(self.config)
        reduced._use(self._arrays | {"idf": weights})
        return reduced

    def limited(self, max_features: int) -> TfidfVectorizer:
        """The same, with only so many n-grams of words: those in most texts, the first of equals. Characters all stay.

        Examples
        --------
        >>> vectorizer = TfidfVectorizer(TfidfConfig(ngrams_max=1)).fit(["New York", "old York", "new shoes"])
        >>> vectorizer.limited(2).feature_names()
        ['new', 'york']
        """
        n_words = self.n_words
        if n_words <= max_features:
            return self
        columns = np.sort(np.argsort(self.idf[:n_words], kind="stable")[:max_features])
        nodes = np.arange(n_words + len(self._arrays["dropped"]), dtype=np.int32)  # a column each, but for the dropped
        columns_left = np.delete(nodes, self._arrays["dropped"])[columns]
        limited = TfidfVectorizer(self.config)
        idf = np.concatenate([self.idf[columns], self.idf[n_words:]])
        limited._use(self._arrays | {"idf": idf, "dropped": np.delete(nodes, columns_left)})
        return limited

    @property
    def vocabulary(self) -> _core.TfidfVocabulary:
        """The core's view of the vocabulary."""
        if self._vocabulary is None:
            raise NotFittedError("The vectorizer has no vocabulary yet. Call fit(texts) first.")
        return self._vocabulary

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.vocabulary.n_features

    @property
    def n_words(self) -> int:
        """Number of columns of word n-grams, which come first; after them are those of characters."""
        return self.n_features - (len(self._arrays["grams.offsets"]) - 1)

    @property
    def idf(self) -> NDArray[np.float32]:
        """The weight of each column."""
        return self._arrays["idf"] if self.vocabulary else np.empty(0, np.float32)

    def feature_names(self, columns: Iterable[int] | NDArray[np.integer] | None = None) -> list[str]:
        """The n-grams of the columns (all by default): words joined by spaces; characters as they are, padded."""
        chosen = range(self.n_features) if columns is None else columns
        return [self.vocabulary.feature_name(int(column)) for column in chosen]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The vocabulary as arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": self._arrays[name] for name in _ARRAYS if self.vocabulary}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: TfidfConfig) -> TfidfVectorizer:
        """The vectorizer that `to_arrays` gave; the arrays are used where they lie, memory-mapped or not."""
        vectorizer = cls(config)
        arrays = with_narrow_tokens(arrays, prefix)
        own_arrays = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        check_range(f"{prefix}.dropped", own_arrays["dropped"], 0, 2**31)
        check_range(f"{prefix}.idf", own_arrays["idf"], 0, 64)  # ln(2^63) + 1 at most
        if not is_sorted(own_arrays["dropped"]):
            raise StoreError(f"The array '{prefix}.dropped' must never fall. The model is damaged; build it again.")
        try:
            vectorizer._use(own_arrays)
        except (ValueError, TypeError) as error:
            raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error
        return vectorizer

    def _use(self, arrays: dict[str, NDArray[Any]]) -> None:
        config = self.config
        self._vocabulary = _core.TfidfVocabulary(
            **{name.replace(".", "_"): arrays[name] for name in _ARRAYS}, ngrams_max=config.ngrams_max,
            char_ngrams_min=config.char_ngrams_min, char_ngrams_max=config.char_ngrams_max, nfkc=NFKC,
            casefold=CASEFOLD, sublinear_tf=config.sublinear_tf,
        )  # fmt: skip
        self._arrays = arrays


def transform_joined(
    vectorizers: Sequence[TfidfVectorizer],
    weights: Sequence[float],
    texts: Sequence[StringTable | Sequence[str]],
    *,
    is_normalized: bool = False,
    n_threads: int = 0,
) -> sparse.csr_matrix[np.float32]:
    """The vectorizers' rows side by side, each times its weight; `texts` holds one collection per vectorizer.

    With the weight `RAW` values are counts times idf, which only `is_normalized` scales.
    """
    tables = _tables(texts)
    n_rows = len(tables[0])
    if n_rows <= ROWS_AT_ONCE:
        rows = _rows(vectorizers, weights, tables, is_normalized, n_threads).matrix()
    else:  # many are put together chunk by chunk, so that what the core gives is never held beside its copy
        builder = SparseRowsBuilder(sum(vectorizer.n_features for vectorizer in vectorizers))
        for chunk in row_chunks(n_rows):
            own = [table.take(chunk) for table in tables]
            builder.add(_rows(vectorizers, weights, own, is_normalized, n_threads).matrix())
        rows = builder.build()
    rows.has_sorted_indices = True
    rows.has_canonical_format = True
    return rows


def joined_rows(
    vectorizers: Sequence[TfidfVectorizer],
    weights: Sequence[float],
    texts: Sequence[StringTable | Sequence[str]],
    n_threads: int = 0,
) -> FlatRows:
    """The same for few texts, without the cost of a matrix."""
    return _rows(vectorizers, weights, _tables(texts), False, n_threads)


def _tables(texts: Sequence[StringTable | Sequence[str]]) -> list[StringTable]:
    tables = [as_table(collection) for collection in texts]
    if len(tables) > 1 and len({len(table) for table in tables}) > 1:
        raise DataError(f"Each row needs one text of each kind, got {' and '.join(str(len(t)) for t in tables)} texts.")
    return tables


def _rows(
    vectorizers: Sequence[TfidfVectorizer],
    weights: Sequence[float],
    tables: Sequence[StringTable],
    is_normalized: bool,
    n_threads: int,
) -> FlatRows:
    vocabularies = [vectorizer.vocabulary for vectorizer in vectorizers]
    indptr, columns, values = _core.tfidf_rows(
        vocabularies, weights, [table.data for table in tables], [table.offsets for table in tables], is_normalized,
        n_threads,
    )  # fmt: skip
    return FlatRows(indptr, columns, values, (len(indptr) - 1, sum([each.n_features for each in vocabularies])))


def as_table(texts: StringTable | Sequence[str]) -> StringTable:
    """The texts as a string table; a lone string is refused, since its letters would count as texts."""
    if isinstance(texts, str):
        raise DataError(f"Expected a list of texts, got one string: {texts[:40]!r}. Put it into a list.")
    return StringTable.from_strings(texts)
