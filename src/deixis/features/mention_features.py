"""Features of a mention in its context (XMRED, Eq. 1): TF-IDF of the mention's words beside TF-IDF of its context's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer, joined_rows, transform_joined
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable
from deixis.tables import FlatRows


@dataclass(frozen=True)
class MentionFeaturesConfig(Config):
    """How mention and context become one row. A context weight of 0 leaves the context's columns out."""

    RETIRED = {"is_normalized": False}

    mention: TfidfConfig = field(default_factory=TfidfConfig)
    context: TfidfConfig = field(default_factory=TfidfConfig)
    mention_weight: float = setting(1.0, "Length of the mention's part of a row.", above=0)
    context_weight: float = setting(1.0, "Length of the context's part of a row; 0: none.", low=0)
    context_window: int = setting(1500, "Characters of text around a mention that count.", low=0)


class MentionFeatures:
    """Two vectorizers side by side: rows are [mention_weight * mention ; context_weight * context].

    Examples
    --------
    >>> features = MentionFeatures(MentionFeaturesConfig(context_weight=0.5))
    >>> features = features.fit(["Paris", "Troy"], ["capital of France", "city of myth"])
    >>> rows = features.transform(["Paris"], ["the capital"])
    >>> rows.shape == (1, features.n_features), rows.nnz
    (True, 2)
    >>> [round(float(weight), 2) for weight in rows.data]
    [1.0, 0.5]
    """

    def __init__(self, config: MentionFeaturesConfig | None = None) -> None:
        self.config = config or MentionFeaturesConfig()
        self.mention = TfidfVectorizer(self.config.mention)
        self.context = TfidfVectorizer(self.config.context)

    @property
    def has_context(self) -> bool:
        """Whether rows have columns for the context."""
        return self.config.context_weight > 0

    @property
    def n_features(self) -> int:
        """Number of columns: the mention's, then the context's."""
        return sum(vectorizer.n_features for vectorizer in self._vectorizers)

    def fit(
        self, mentions: StringTable | Sequence[str], contexts: StringTable | Sequence[str], n_threads: int = 0
    ) -> MentionFeatures:
        """These features, with the vocabularies of `mentions` and `contexts` (which may differ in number)."""
        self.mention.fit(mentions, n_threads)
        if self.has_context:
            self.context.fit(contexts, n_threads)
        return self

    def transform(
        self, mentions: StringTable | Sequence[str], contexts: StringTable | Sequence[str], n_threads: int = 0
    ) -> sparse.csr_matrix[np.float32]:
        """mentions_by_features, one row per mention and its context."""
        texts = [mentions, contexts][: len(self._vectorizers)]
        return transform_joined(self._vectorizers, self._weights, texts, n_threads=n_threads)

    def rows_of(
        self, mentions: StringTable | Sequence[str], contexts: StringTable | Sequence[str], n_threads: int = 0
    ) -> FlatRows:
        """The same without the cost of a matrix."""
        vectorizers = self._vectorizers
        return joined_rows(vectorizers, self._weights, [mentions, contexts][: len(vectorizers)], n_threads)

    def transform_row(self, mention: str, context: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Columns (ascending) and weights of one mention, without the cost of a matrix."""
        vectorizers = self._vectorizers
        texts = [mention, context][: len(vectorizers)]
        vocabularies = [vectorizer.vocabulary for vectorizer in vectorizers]
        columns, weights = _core.tfidf_row(vocabularies, self._weights, texts, False)
        return columns, weights

    def feature_names(self, columns: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The n-grams of the columns; those of the context begin with `context:`."""
        first = self.mention.n_features
        return [
            self.mention.feature_names([column])[0]
            if column < first
            else f"context:{self.context.feature_names([column - first])[0]}"
            for column in map(int, columns)
        ]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Both vocabularies as arrays under names that begin with `prefix`."""
        arrays = self.mention.to_arrays(f"{prefix}.mention")
        return arrays | (self.context.to_arrays(f"{prefix}.context") if self.has_context else {})

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: MentionFeaturesConfig
    ) -> MentionFeatures:
        """The features that `to_arrays` gave, used where the arrays lie."""
        features = cls(config)
        features.mention = TfidfVectorizer.from_arrays(arrays, f"{prefix}.mention", config.mention)
        if features.has_context:
            features.context = TfidfVectorizer.from_arrays(arrays, f"{prefix}.context", config.context)
        return features

    @property
    def _vectorizers(self) -> list[TfidfVectorizer]:
        return [self.mention, self.context] if self.has_context else [self.mention]

    @property
    def _weights(self) -> list[float]:
        return [self.config.mention_weight, self.config.context_weight][: 1 + self.has_context]
