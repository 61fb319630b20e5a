"""Candidates by the words of descriptions: what an entity is also called often stands only there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.entity_facts import WORDS, extended_words
from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.popularity_search import search_popular, with_column
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.config import Config, setting
from deixis.errors import NotFittedError, StoreError
from deixis.features.entity_words import DESCRIPTION, EntityWords, shares_of
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.compressed_index import CompressedIndex
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.scipy_sparse import sparse
from deixis.store.checks import check_range, require
from deixis.store.sparse_rows_builder import SparseRowsBuilder, row_chunks
from deixis.tables import EntityMask, FlatRows
from deixis.types import MentionInContext

INDEX = BlockIndexConfig()
N_WORDS = 3  # the rarest words of a name, by which descriptions are found that may mention it
GAIN = 0.5  # of the most popular entity, where a description with all words counts 1


@dataclass(frozen=True)
class DescriptionConfig(Config):
    """How many candidates descriptions propose."""

    k: int = setting(50, "Candidates by the words of descriptions.", low=1)


class DescriptionSource(CandidateSource):
    """Finds the entities whose descriptions have the words of a mention, the popular ones first.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "uk", "title": "United Kingdom", "description": "island country of the British"},
    ...     {"id": "fr", "title": "France", "description": "country of the French"}])
    >>> mention = MentionInContext("the British", "the British", 0, 11)
    >>> [candidate.id for candidate in DescriptionSource.build(SourceInputs(kb)).generate([mention], k=1)[0]]
    ['uk']
    """

    name = "descriptions"
    config_type = DescriptionConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        words: EntityWords,
        index: BlockIndex | CompressedIndex,
        gains: NDArray[np.float32],
        config: DescriptionConfig,
        n_threads: int = 0,
    ) -> None:
        self.kb = kb
        self.words = words
        self.index = index
        self.gains = gains
        self.config = config
        self.n_threads = n_threads

    @classmethod
    def build(cls, inputs: SourceInputs, config: DescriptionConfig | None = None) -> DescriptionSource | None:
        """The index of all descriptions, those of similar entities together; None if there are none."""
        words = inputs.words
        if not words.has_descriptions:
            return None
        gains = (GAIN * inputs.popularity).astype(np.float32)
        index = _index(words, gains, inputs.row_order)
        return cls(inputs.kb, words, index, gains, config or DescriptionConfig(), inputs.n_threads)

    def extend(self, added: SourceInputs) -> DescriptionSource | None:
        """An index of the new entities' descriptions; words that the built ones lack weigh as the rarest do."""
        kb, words = added.kb, added.stored_words
        if words is None:
            words = extended_words(self.words, added.ngrams(WORDS, self.words.vectorizer), kb, self.n_threads)
        if not words.has_descriptions:
            return None
        gains = (GAIN * added.popularity).astype(np.float32)
        rows = _described_rows(words, gains, np.arange(len(kb)))
        index = CompressedIndex.build(rows, np.arange(len(kb)), INDEX, len(kb))
        return DescriptionSource(kb, words, index, gains, self.config, self.n_threads)

    def with_words(self, words: EntityWords) -> DescriptionSource:
        """The same index, searched with these words, which have those of the index."""
        return DescriptionSource(self.kb, words, self.index, self.gains, self.config, self.n_threads)

    @property
    def reads_context(self) -> bool:
        """Names alone are compared."""
        return False

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` by how much of the mention is in the description, and by popularity."""
        self.check_search(k, mask)
        batch, words = MentionBatch.of(mentions), self.words
        queries = batch.once(
            (self.name, words.vectorizer), lambda: shares_of(words.rows_of(batch.table, self.n_threads))
        )
        scores = search_popular(self.index, queries, self.gains, k, self.n_threads, mask)
        np.minimum(scores.data / (1 + GAIN), 1, out=scores.data)  # weights in a byte may add up to a little more
        return scores

    def rows_with(self, columns: NDArray[np.integer]) -> NDArray[np.int64]:
        """The entities whose descriptions have all of these words, in the order of their rows."""
        if not len(columns) or isinstance(self.index, CompressedIndex):
            return np.zeros(0, dtype=np.int64)
        by_length = sorted(columns.tolist(), key=self.index.n_entries)
        rows = np.sort(self.index.groups_with(by_length[0]))
        for column in by_length[1:N_WORDS]:
            rows = np.intersect1d(rows, self.index.groups_with(column), assume_unique=True)
        return rows

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The index as arrays under names that begin with `prefix`; words are stored once for all that use them."""
        if isinstance(self.index, CompressedIndex):
            raise NotFittedError("An index of added descriptions is not stored; it is made again from the edits.")
        return self.index.to_arrays(f"{prefix}.index") | {f"{prefix}.gains": self.gains}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: DescriptionConfig | None = None,
    ) -> DescriptionSource | None:
        """The source `to_arrays` gave, over as many entities and words; None if nothing is described."""
        words, n_entities = inputs.words, len(inputs.kb)
        if not words.has_descriptions:
            return None
        gains = require(arrays, f"{prefix}.gains", np.float32)
        if len(gains) != n_entities:
            raise StoreError(
                f"The array '{prefix}.gains' has {len(gains)} numbers for {n_entities} entities. The model is damaged; "
                "build it again."
            )
        check_range(f"{prefix}.gains", gains, 0, 2)
        index = BlockIndex.from_arrays(arrays, f"{prefix}.index", n_entities, INDEX)
        if index.n_columns != words.vectorizer.n_features + 1:
            raise StoreError(
                f"The index '{prefix}.index.*' has {index.n_columns} columns for {words.vectorizer.n_features} words. "
                "The model is damaged; build it again."
            )
        return cls(inputs.kb, words, index, gains, config or DescriptionConfig(), inputs.n_threads)


def _index(words: EntityWords, gains: NDArray[np.float32], row_order: NDArray[np.integer]) -> BlockIndex:
    order = np.argsort(row_order, kind="stable")
    return BlockIndex.build(_described_rows(words, gains, order), order, INDEX, n_groups=len(order))


def _described_rows(words: EntityWords, gains: NDArray[np.float32], order: NDArray[np.integer]) -> sparse.csr_matrix:
    """The words of each entity's description, and one column more for what popularity gains; in this order."""
    n_words = words.vectorizer.n_features
    builder = SparseRowsBuilder(n_words + 1)
    for chunk in row_chunks(len(order)):
        chosen = order[chunk.start : chunk.stop]
        own = words.texts.columns(DESCRIPTION, chosen)
        rows = FlatRows(own.indptr, own.indices, np.ones(len(own.indices), np.float32), (len(chosen), n_words))
        builder.add(with_column(rows, gains[chosen]).matrix())
    return builder.build()
