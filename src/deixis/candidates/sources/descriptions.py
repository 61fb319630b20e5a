"""Entities whose description has the words of a mention: what an entity is also called often stands only there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.popularity_search import search_popular, with_column
from deixis.errors import StoreError
from deixis.features.entity_words import EntityWords, shares_of
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.store.checks import check_range, require

INDEX = BlockIndexConfig()
GAIN = 0.5  # of the most popular entity, where a description with all words counts 1


class DescriptionSearch:
    """An index of the words of all descriptions.

    Examples
    --------
    >>> from deixis.store.strings import StringTable
    >>> names = StringTable.from_strings(["United Kingdom", "France"])
    >>> texts = StringTable.from_strings(["island country of the British", "country of the French"])
    >>> words = EntityWords.build(names, np.arange(2), texts)
    >>> search = DescriptionSearch.build(words, np.zeros(2, dtype=np.float32), np.arange(2))
    >>> search.search(words.queries(["the British"]), k=1).indices.tolist()
    [0]
    """

    def __init__(self, index: BlockIndex, gains: NDArray[np.float32]) -> None:
        self.index = index
        self.gains = gains

    @classmethod
    def build(
        cls, words: EntityWords, popularity: NDArray[np.float32], places: NDArray[np.integer]
    ) -> DescriptionSearch:
        """The index of all descriptions in the order of their entities' `places` (near ones should be alike)."""
        described = words.descriptions
        ones = np.ones(len(described.indices), dtype=np.float32)
        shape = (len(popularity), words.vectorizer.n_features)
        rows = sparse.csr_matrix((ones, described.indices, described.indptr), shape=shape)
        gains = (GAIN * popularity).astype(np.float32)
        order = np.argsort(places, kind="stable")
        return cls(BlockIndex.build(with_column(rows, gains)[order], order, INDEX, n_groups=len(order)), gains)

    def search(
        self, queries: sparse.csr_matrix, k: int, n_threads: int = 0, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """queries_by_entities: the best `k` by how much of the query is in the description, and by popularity."""
        found = search_popular(self.index, shares_of(queries), self.gains, k, n_threads, allowed)
        np.minimum(found.data / (1 + GAIN), 1, out=found.data)  # weights in a byte may add up to a little more
        return found

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The index as arrays under names that begin with `prefix`."""
        return self.index.to_arrays(f"{prefix}.index") | {f"{prefix}.gains": self.gains}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_entities: int, n_words: int
    ) -> DescriptionSearch:
        """The search `to_arrays` gave, over as many entities and words."""
        gains = require(arrays, f"{prefix}.gains", np.float32)
        if len(gains) != n_entities:
            raise StoreError(
                f"The array '{prefix}.gains' has {len(gains)} numbers for {n_entities} entities. The model is damaged; "
                "build it again."
            )
        check_range(f"{prefix}.gains", gains, 0, 2)
        index = BlockIndex.from_arrays(arrays, f"{prefix}.index", n_entities, INDEX)
        if index.n_columns != n_words + 1:
            raise StoreError(
                f"The index '{prefix}.index.*' has {index.n_columns} columns for {n_words} words. The model is "
                "damaged; build it again."
            )
        return cls(index, gains)
