"""The labeller: documents in, labels of a vocabulary out, best first."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.candidate_lists import candidates_of
from deixis.config import config_to_dict
from deixis.errors import ConfigError, DataError, StoreError, UnknownNameError
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.features.tfidf import TfidfVectorizer, as_table
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.engines.average import engine_class
from deixis.labelling.engines.protocol import Engine
from deixis.labelling.label_filter import named_fraction
from deixis.labelling.training_rows import TrainingRows
from deixis.labelling.vocabulary import check_columns, numbered_vocabulary
from deixis.progress import stage
from deixis.store.checks import check_length, check_range, is_sorted, require, require_value
from deixis.store.model_folder import open_model, save_model
from deixis.store.strings import StringTable
from deixis.types import Candidate
from deixis.xmr.rankings import kept_where, without_labels
from deixis.xmr.sparse_rows import SparseRows
from deixis.xmr.text_rows import TextRows

KIND = "labeller"

Rows = Any
"""Rows of features: any SciPy sparse matrix or dense array."""


class Labeller:
    """Gives documents the labels of a vocabulary that fit them, and a score with each.

    Examples
    --------
    >>> vocabulary = KnowledgeBase.from_records([{"id": "p1", "title": "Cats"}, {"id": "p2", "title": "Ships"}])
    >>> texts = StringTable.from_strings(["the cat sat", "a cat purrs", "sails and masts", "the ship sails"])
    >>> has_label = sparse.csr_matrix([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> documents = LabelledTexts(StringTable.from_strings("abcd"), texts, has_label)
    >>> labeller = Labeller.build(documents, vocabulary, n_threads=1)
    >>> [label.title for label in labeller.label(["cat and mouse"], k=1)[0]]
    ['Cats']
    """

    def __init__(
        self,
        vocabulary: KnowledgeBase,
        features: TfidfVectorizer | None,
        engine: Engine,
        label_rows: NDArray[np.int32],
        frequencies: LabelFrequencies,
        config: LabellerConfig,
        n_threads: int = 0,
    ) -> None:
        self.vocabulary = vocabulary
        self.features = features
        self.engine = engine
        self.label_rows = label_rows
        self.frequencies = frequencies
        self.config = config
        self.n_threads = n_threads

    @classmethod
    def build(
        cls,
        documents: LabelledTexts | LabelledRows,
        vocabulary: KnowledgeBase | None = None,
        config: LabellerConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        labels_by_features: sparse.csr_matrix | None = None,
    ) -> Labeller:
        """A labeller that has learned from documents; column `j` of their labels is entity `j` of the vocabulary.

        Without a vocabulary labels are called by their numbers. `labels_by_features` goes with rows of features:
        what the labels are called, by the same features. What labels are called is learned from, unless the settings
        say otherwise; for related labels, too, where texts are called as labels are that they do not have.
        """
        if not isinstance(documents, (LabelledTexts, LabelledRows)):
            raise DataError(f"Expected LabelledTexts or LabelledRows, got {type(documents).__name__}.")
        config = config or LabellerConfig()
        engine = engine_class(config)(config)
        engine.check_extras()
        is_named = vocabulary is not None
        has_names = labels_by_features is not None if isinstance(documents, LabelledRows) else is_named
        vocabulary = numbered_vocabulary(documents.docs_by_labels.shape[1]) if vocabulary is None else vocabulary
        check_columns(vocabulary, documents.docs_by_labels.shape[1])
        fraction = 0.0
        if isinstance(documents, LabelledTexts) and is_named and config.augmentation.kind == "auto":
            fraction = named_fraction(documents, vocabulary.titles)
        augmentation = config.augmentation.settled(has_names=has_names, named_fraction=fraction)
        config = replace(config, augmentation=augmentation)
        features = None
        if isinstance(documents, LabelledTexts):
            if labels_by_features is not None:
                raise ConfigError("Texts make features of their own; rows for the labels go with LabelledRows only.")
            with stage("counting words"):
                features = _fitted_features(documents.texts, vocabulary.titles if is_named else None, config, n_threads)
                rows = TextRows(features.transform(documents.texts, n_threads), documents.texts)
                titles = vocabulary.titles
                names = TextRows(features.transform(titles, n_threads), titles) if is_named else None
        else:
            rows = TextRows(SparseRows.of(documents.docs_by_features, "feature matrix").matrix())
            names = _named_by(labels_by_features, len(vocabulary), rows.shape[1])
        training_rows = TrainingRows.of(rows, documents.docs_by_labels, names, config, seed, n_threads)
        engine.fit(training_rows, seed, n_threads)
        frequencies = LabelFrequencies.of(documents.docs_by_labels)
        return cls(vocabulary, features, engine, training_rows.label_rows, frequencies, config, n_threads)

    @property
    def n_features(self) -> int:
        """How many columns rows of features have."""
        return self.engine.n_features

    def rank(
        self,
        documents: StringTable | Sequence[str] | Rows,
        k: int = 10,
        threshold: float = 0.0,
        filtered: sparse.csr_matrix | None = None,
    ) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` rows of the vocabulary for each text or row of features, stored best first.

        Scores lie in 0..1; labels of less than `threshold` are left out. A document without a known feature gets none.
        `filtered` is docs_by_labels, too: labels that a document must not get, as `OwnLabels` and `read_label_filter`
        in `label_filter` give them; the next best ones come in their place.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        rows = self._rows(documents)
        n_more = 0 if filtered is None else self._most_filtered(filtered, rows.shape[0])
        ranked = self.engine.rank(rows, min(k + n_more, len(self.label_rows)))
        is_known = np.repeat(np.diff(rows.docs_by_features.indptr) > 0, np.diff(ranked.indptr))
        ranked = kept_where(ranked, is_known & (ranked.data >= threshold))
        shape = (ranked.shape[0], len(self.vocabulary))
        ranked = sparse.csr_matrix((ranked.data, self.label_rows[ranked.indices], ranked.indptr), shape=shape)
        return ranked if filtered is None else without_labels(ranked, filtered, k)

    def with_search(self, beam: int | None = None, shortlist: int | None = None) -> Labeller:
        """The same labeller that looks into `beam` nodes or clusters, and shortlists `shortlist` labels (ELIAS).

        Wider is slower and finds more labels; the model is not changed.
        """
        if min(beam or 1, shortlist or 1) < 1:
            raise ConfigError(f"beam and shortlist must be at least 1, got {beam} and {shortlist}.")
        other = copy.copy(self)
        other.engine = self.engine.with_search(beam, shortlist)
        return other

    def label(
        self,
        documents: StringTable | Sequence[str] | Rows,
        k: int = 10,
        threshold: float = 0.0,
        filtered: sparse.csr_matrix | None = None,
    ) -> list[list[Candidate]]:
        """The same as lists of labels with ids, titles and scores; an empty list where there are none."""
        return candidates_of(self.vocabulary, self.rank(documents, k, threshold, filtered))

    def _most_filtered(self, filtered: sparse.csr_matrix, n_documents: int) -> int:
        """How many labels a document must not get, at most."""
        if filtered.shape != (n_documents, len(self.vocabulary)):
            raise DataError(
                f"The filter is {filtered.shape[0]:,} by {filtered.shape[1]:,}; it must be {n_documents:,} documents "
                f"by {len(self.vocabulary):,} labels of the vocabulary."
            )
        return int(np.diff(filtered.indptr).max(initial=0))

    def _rows(self, documents: StringTable | Sequence[str] | Rows) -> TextRows:
        if not sparse.issparse(documents) and not isinstance(documents, np.ndarray):
            if self.features is None:
                raise DataError(
                    f"This labeller was trained on rows of {self.n_features:,} features, so it cannot read texts. Give "
                    "rows of the same features, or train one on texts."
                )
            texts = as_table(documents)
            return TextRows(self.features.transform(texts, self.n_threads), texts)
        rows = SparseRows.of(documents, "feature matrix").matrix()
        if rows.shape[1] != self.n_features:
            raise DataError(
                f"The rows have {rows.shape[1]:,} features, the labeller was trained on {self.n_features:,}; they must "
                "be the same ones."
            )
        return TextRows(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model folder; an older model of that name is replaced only when the new one is whole."""
        arrays = self.vocabulary.to_arrays("kb") | self.engine.to_arrays("engine")
        if self.features is not None:
            arrays |= self.features.to_arrays("features")
        arrays["label_rows"] = self.label_rows
        arrays["frequencies.counts"] = self.frequencies.counts.astype(np.int64)
        arrays["frequencies.n_documents"] = np.array(self.frequencies.n_documents)
        save_model(path, KIND, config_to_dict(self.config), arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], n_threads: int = 0, *, verify: bool = False) -> Labeller:
        """The labeller that `save` wrote, memory-mapped; `verify` also compares every hash, which reads every byte."""
        stored = open_model(path, KIND, verify=verify)
        config, arrays = stored.settings(LabellerConfig), stored.arrays
        vocabulary = KnowledgeBase.from_arrays(arrays, "kb")
        features = None
        if "features.idf" in arrays:
            features = TfidfVectorizer.from_arrays(arrays, "features", config.features.words)
        try:
            kind = engine_class(config)
        except UnknownNameError as error:
            raise stored.unusable(error) from error
        engine = kind.from_arrays(arrays, "engine", config, n_threads)
        label_rows = require(arrays, "label_rows", np.int32)
        check_range("label_rows", label_rows, 0, len(vocabulary))
        check_length("label_rows", label_rows, engine.n_labels)
        if not is_sorted(label_rows) or (features is not None and features.n_features != engine.n_features):
            raise StoreError(f"The parts of the model {stored.path} do not fit each other: train it again.")
        return cls(vocabulary, features, engine, label_rows, _frequencies(arrays, len(vocabulary)), config, n_threads)


def _fitted_features(
    texts: StringTable, titles: StringTable | None, config: LabellerConfig, n_threads: int
) -> TfidfVectorizer:
    """The words of the texts, and of the titles if these are learned from, too."""
    if titles is not None and config.augmentation.kind != "none":
        texts = texts.joined(titles)
    features = TfidfVectorizer(config.features.words).fit(texts, n_threads)
    if features.n_features == 0:
        words = config.features.words
        raise DataError(
            f"No word is left to learn from: of {len(texts):,} texts those words are dropped that are in more than a "
            f"share of {words.max_df:g} (max_df) or in fewer than {words.min_df} (min_df). Are the texts all the same?"
        )
    max_features = config.features.max_features
    return features.limited(max_features) if max_features else features


def _named_by(labels_by_features: sparse.csr_matrix | None, n_labels: int, n_features: int) -> TextRows | None:
    if labels_by_features is None:
        return None
    if labels_by_features.shape != (n_labels, n_features):
        rows, columns = labels_by_features.shape
        raise DataError(
            f"The labels' rows must be {n_labels:,} of {n_features:,} features, a row for each label and the columns "
            f"of the documents; got {rows:,} of {columns:,}."
        )
    return TextRows(SparseRows.of(labels_by_features, "matrix of label features").matrix())


def _frequencies(arrays: dict[str, NDArray[Any]], n_labels: int) -> LabelFrequencies:
    counts = require(arrays, "frequencies.counts", np.int64)
    n_documents = require_value(arrays, "frequencies.n_documents", int, 0)
    check_length("frequencies.counts", counts, n_labels)
    check_range("frequencies.counts", counts, 0, n_documents + 1)
    return LabelFrequencies(counts, n_documents)
