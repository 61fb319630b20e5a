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

from deixis.errors import ConfigError, StoreError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.block_index import BlockIndex, BlockIndexConfig


def _words_and_letters() -> TfidfConfig:
    return TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)


@dataclass(frozen=True)
class NameSearchConfig:
    """What names are compared by, and how much the label tree has to say beside them."""

    features: TfidfConfig = field(default_factory=_words_and_letters)
    index: BlockIndexConfig = field(default_factory=BlockIndexConfig)
    alias_weight: float = field(
        default=0.95, metadata={"help": "What a fitting alias counts against a fitting title, which counts 1."}
    )
    tree_share: float = field(
        default=0.15, metadata={"help": "Share of the tree's score beside the likeness of names; 1: the tree alone."}
    )
    learned_tree_share: float = field(
        default=0.9, metadata={"help": "The same for a mention that was seen in annotated text."}
    )

    def __post_init__(self) -> None:
        for name in ("alias_weight", "tree_share", "learned_tree_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie in 0..1, got {getattr(self, name)}.")


class NameSearch:
    """An index of all names of a knowledge base.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> NameSearch.build(kb, np.array([0, 1])).search(["Paris, France"], k=5).indices.tolist()
    [0]
    """

    def __init__(self, vectorizer: TfidfVectorizer, index: BlockIndex) -> None:
        self.vectorizer = vectorizer
        self.index = index

    @classmethod
    def build(
        cls, kb: KnowledgeBase, places: NDArray[np.integer], config: NameSearchConfig | None = None, n_threads: int = 0
    ) -> NameSearch:
        """The index of the names of `kb`, in the order of their entities' `places` (near ones should be alike)."""
        config = config or NameSearchConfig()
        names, rows = kb.names()
        vectorizer = TfidfVectorizer(config.features).fit(names, n_threads)
        order = np.argsort(places[rows], kind="stable")
        weights = np.where(np.arange(len(rows)) < len(kb), 1.0, config.alias_weight).astype(np.float32)  # titles first
        names_by_features = vectorizer.transform(names, n_threads)[order]
        names_by_features.data *= np.repeat(weights[order], np.diff(names_by_features.indptr))
        return cls(vectorizer, BlockIndex.build(names_by_features, rows[order], config.index, n_groups=len(kb)))

    def search(
        self, texts: Sequence[str], k: int, n_threads: int = 0, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """texts_by_entities: the best `k` entities of each text, best first, each with its best name's cosine.

        With `allowed`, of those entities only: all that share a word or a run of letters with the text, up to `k`.
        """
        found = self.index.search(self.vectorizer.transform(texts, n_threads), k, n_threads, allowed=allowed)
        np.minimum(found.data, 1, out=found.data)  # weights in a byte may add up to a little more
        return found

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary and index as arrays under names that begin with `prefix`."""
        return self.vectorizer.to_arrays(f"{prefix}.words") | self.index.to_arrays(f"{prefix}.index")

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_entities: int, config: NameSearchConfig
    ) -> NameSearch:
        """The search `to_arrays` gave, over as many entities."""
        vectorizer = TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", config.features)
        index = BlockIndex.from_arrays(arrays, f"{prefix}.index", n_entities, config.index)
        if index.n_columns != vectorizer.n_features:
            raise StoreError(
                f"The index '{prefix}.index.*' has {index.n_columns} columns for {vectorizer.n_features} features. "
                "The model is damaged; build it again."
            )
        return cls(vectorizer, index)
