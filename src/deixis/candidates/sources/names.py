"""Entities by the likeness of their names to a mention: cosine of TF-IDF over words and letters, best name counts.

This is what comparing a mention with every name would find, at a small part of the cost. It knows nothing that was
learned; `label_tree` puts the two together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.popularity_search import search_popular, with_column
from deixis.config import Config, setting
from deixis.errors import StoreError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.store.checks import check_range, require


def _words_and_letters() -> TfidfConfig:
    return TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)


@dataclass(frozen=True)
class NameSearchConfig(Config):
    """What names are compared by, and how much the label tree has to say beside them."""

    features: TfidfConfig = field(default_factory=_words_and_letters)
    index: BlockIndexConfig = field(default_factory=BlockIndexConfig)
    alias_weight: float = setting(
        0.95, "What a fitting alias counts against a fitting title, which counts 1.", low=0, high=1, is_fixed=True
    )
    popularity_weight: float = setting(
        0.3,
        "What the most popular entity gains on one unheard of, where a fitting name is 1.",
        low=0,
        high=1,
        is_fixed=True,
    )
    tree_share: float = setting(
        0.15, "Weight of the tree's score beside the similarity of names; 1: the tree alone.", low=0, high=1
    )
    learned_tree_share: float = setting(0.9, "The same for a mention that was seen in annotated text.", low=0, high=1)


class NameSearch:
    """An index of all names of a knowledge base.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> NameSearch.build(kb, np.array([0, 1])).search(["Paris, France"], k=5).indices.tolist()
    [0]
    """

    def __init__(
        self, vectorizer: TfidfVectorizer, index: BlockIndex, gains: NDArray[np.float32] | None = None
    ) -> None:
        self.vectorizer = vectorizer
        self.index = index
        self.gains = np.zeros(0, dtype=np.float32) if gains is None else gains

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        places: NDArray[np.integer],
        config: NameSearchConfig | None = None,
        n_threads: int = 0,
        popularity: NDArray[np.float32] | None = None,
    ) -> NameSearch:
        """The index of the names of `kb`, in the order of their entities' `places` (near ones should be alike).

        `popularity` is a number from 0 to 1 for each entity, 0 for those unheard of.
        """
        config = config or NameSearchConfig()
        names, rows = kb.names()
        vectorizer = TfidfVectorizer(config.features).fit(names, n_threads)
        order = np.argsort(places[rows], kind="stable")
        weights = np.where(np.arange(len(rows)) < len(kb), 1.0, config.alias_weight).astype(np.float32)  # titles first
        names_by_features = vectorizer.transform(names, n_threads)[order]
        names_by_features.data *= np.repeat(weights[order], np.diff(names_by_features.indptr))
        gains = None
        if popularity is not None and config.popularity_weight and popularity.any():
            gains = (config.popularity_weight * popularity).astype(np.float32)
            names_by_features = with_column(names_by_features, gains[rows[order]])
        return cls(vectorizer, BlockIndex.build(names_by_features, rows[order], config.index, n_groups=len(kb)), gains)

    def search(
        self, texts: Sequence[str], k: int, n_threads: int = 0, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """texts_by_entities: the best `k` entities of each text, best first, by its best name's cosine and popularity.

        Scores are the cosine, plus what popularity gains, divided by the most that can be; `cosines` takes the gain out
        again. With `allowed`, of those entities only: all that share a word or a run of letters with the text, up to
        `k`.
        """
        queries = self.vectorizer.transform(texts, n_threads)
        if not len(self.gains):
            found = self.index.search(queries, k, n_threads, allowed=allowed)
            np.minimum(found.data, 1, out=found.data)  # weights in a byte may add up to a little more
            return found
        found = search_popular(self.index, queries, self.gains, k, n_threads, allowed)
        np.minimum(found.data / (1 + self.gains.max()), 1, out=found.data)
        return found

    def cosines(self, found: sparse.csr_matrix) -> NDArray[np.float32]:
        """The cosine of the best name of each entity that `search` found, in stored order."""
        if not len(self.gains):
            return np.asarray(found.data)
        cosines: NDArray[np.float32] = np.clip(found.data * (1 + self.gains.max()) - self.gains[found.indices], 0, 1)
        return cosines

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary and index as arrays under names that begin with `prefix`."""
        arrays = self.vectorizer.to_arrays(f"{prefix}.words") | self.index.to_arrays(f"{prefix}.index")
        return arrays | {f"{prefix}.gains": self.gains}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_entities: int, config: NameSearchConfig
    ) -> NameSearch:
        """The search `to_arrays` gave, over as many entities."""
        vectorizer = TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", config.features)
        index = BlockIndex.from_arrays(arrays, f"{prefix}.index", n_entities, config.index)
        gains = require(arrays, f"{prefix}.gains", np.float32)
        check_range(f"{prefix}.gains", gains, 0, 2)
        if len(gains) not in (0, n_entities) or index.n_columns != vectorizer.n_features + bool(len(gains)):
            raise StoreError(
                f"The index '{prefix}.index.*' has {index.n_columns} columns for {vectorizer.n_features} features. "
                "The model is damaged; build it again."
            )
        return cls(vectorizer, index, gains)
