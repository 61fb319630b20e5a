"""Candidates by the similarity of names: cosine of TF-IDF over words and letters, the best name of an entity counts.

This is what comparing a mention with every name would find, at a small part of the cost. It learns nothing from
annotated mentions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.popularity_search import search_popular, with_column
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.config import Config, setting
from deixis.errors import NotFittedError, StoreError
from deixis.features.added_ngrams import AddedVectorizer
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.compressed_index import CompressedIndex, first_columns
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.progress import stage
from deixis.scipy_sparse import sparse
from deixis.store.checks import check_range, require
from deixis.store.sparse_rows_builder import ROWS_AT_ONCE, SparseRowsBuilder, row_chunks
from deixis.tables import EntityMask, FlatRows
from deixis.types import MentionInContext

Gains = NDArray[np.float32]


def _words_and_letters() -> TfidfConfig:
    return TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)


@dataclass(frozen=True)
class NameConfig(Config):
    """What names are compared by, and how much popularity counts beside them."""

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
    k: int = setting(200, "Candidates by the similarity of names.", low=1)


class NameSource(CandidateSource):
    """Finds the entities with a name most similar to the mention.

    `gains` is what popularity adds to the similarity of each entity, empty if it does not count. `max_gain` is the
    largest of the knowledge base that the source was built from, by which scores stay in 0..1.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> mention = MentionInContext("Paris, France", "Paris, France", 0, 13)
    >>> [candidate.id for candidate in NameSource.build(SourceInputs(kb)).generate([mention], k=5)[0]]
    ['Q90']
    """

    name = "names"
    config_type = NameConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        vectorizer: TfidfVectorizer | AddedVectorizer,
        index: BlockIndex | CompressedIndex,
        gains: Gains,
        config: NameConfig,
        n_threads: int = 0,
        max_gain: np.float32 | None = None,
    ) -> None:
        self.kb = kb
        self.vectorizer = vectorizer
        self.index = index
        self.gains = gains
        self.config = config
        self.n_threads = n_threads
        self.max_gain = gains.max(initial=0) if max_gain is None else max_gain

    @classmethod
    def build(cls, inputs: SourceInputs, config: NameConfig | None = None) -> NameSource:
        """The index of all names, those of similar entities together."""
        config, kb, n_threads = config or NameConfig(), inputs.kb, inputs.n_threads
        row_order = inputs.row_order
        with stage("making an index of names"):
            vectorizer = TfidfVectorizer(config.features).fit(kb.names()[0], n_threads)
            gains = np.zeros(0, dtype=np.float32)
            if config.popularity_weight and inputs.popularity.any():
                gains = (config.popularity_weight * inputs.popularity).astype(np.float32)
            index = _index(kb, vectorizer, row_order, gains, config, n_threads)
        return cls(kb, vectorizer, index, gains, config, n_threads)

    def extend(self, added: SourceInputs) -> NameSource:
        """An index of the new entities' names; n-grams that the built names lack weigh as the rarest do."""
        gains = np.zeros(0, dtype=np.float32)
        if len(self.gains):
            gains = (self.config.popularity_weight * added.popularity).astype(np.float32)
        vectorizer = AddedVectorizer(added.ngrams(self.name, self.vectorizer))
        names_by_features, rows = _weighted_names(
            added.kb, vectorizer, np.arange(len(added.kb)), gains, self.config, self.n_threads
        )
        index = CompressedIndex.build(names_by_features, rows, self.config.index, len(added.kb))
        return NameSource(added.kb, vectorizer, index, gains, self.config, self.n_threads, self.max_gain)

    def with_vectorizer(self, vectorizer: AddedVectorizer) -> NameSource:
        """The same index, searched with the n-grams of this vectorizer, which has those of the index."""
        index, gains, config = self.index, self.gains, self.config
        return NameSource(self.kb, vectorizer, index, gains, config, self.n_threads, self.max_gain)

    @property
    def reads_context(self) -> bool:
        """Names alone are compared."""
        return False

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` entities by the cosine of their best name and by popularity, best first.

        Scores are the cosine, plus what popularity gains, divided by the most that can be; `column` takes the gain out
        again. With a mask: all entities that share a word or a run of letters with the mention, up to `k`.
        """
        self.check_search(k, mask)
        batch = MentionBatch.of(mentions)
        queries = batch.once(self.vectorizer, lambda: self.vectorizer.rows_of(batch.table, self.n_threads))
        if not len(self.gains):
            scores = self.index.search(first_columns(queries, self.index.n_columns), k, self.n_threads, None, mask)
            np.minimum(scores.data, 1, out=scores.data)  # weights in a byte may add up to a little more
            return scores
        scores = search_popular(self.index, queries, self.gains, k, self.n_threads, mask)
        np.minimum(scores.data / (1 + self.max_gain), 1, out=scores.data)
        return scores

    def column(self, candidates: FlatRows) -> NDArray[np.float32]:
        """The cosine of the best name of each candidate, in stored order: popularity is another feature."""
        if not len(self.gains):
            return np.asarray(candidates.data)
        scores: NDArray[np.float32] = candidates.data * (1 + self.max_gain) - self.gains[candidates.indices]
        return np.minimum(np.maximum(scores, 0, out=scores), 1, out=scores)

    def weighted_names(self) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """names_by_features of added entities, and the entity that each name is of."""
        if not isinstance(self.index, CompressedIndex):
            raise NotFittedError("Only an index of added names keeps the names themselves.")
        return self.index.all_rows()

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary and index as arrays under names that begin with `prefix`."""
        first, index = self.vectorizer, self.index
        if isinstance(first, AddedVectorizer) or isinstance(index, CompressedIndex):
            raise NotFittedError("An index of added names is not stored; it is made again from the edits.")
        arrays = first.to_arrays(f"{prefix}.words") | index.to_arrays(f"{prefix}.index")
        return arrays | {f"{prefix}.gains": self.gains}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: NameConfig | None = None,
    ) -> NameSource:
        """The source `to_arrays` gave, over as many entities."""
        config, n_entities = config or NameConfig(), len(inputs.kb)
        vectorizer = TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", config.features)
        index = BlockIndex.from_arrays(arrays, f"{prefix}.index", n_entities, config.index)
        gains = require(arrays, f"{prefix}.gains", np.float32)
        check_range(f"{prefix}.gains", gains, 0, 2)
        if len(gains) not in (0, n_entities) or index.n_columns != vectorizer.n_features + bool(len(gains)):
            raise StoreError(
                f"The index '{prefix}.index.*' has {index.n_columns} columns for {vectorizer.n_features} features. "
                "The model is damaged; build it again."
            )
        return cls(inputs.kb, vectorizer, index, gains, config, inputs.n_threads)


def _index(
    kb: KnowledgeBase,
    vectorizer: TfidfVectorizer,
    row_order: NDArray[np.integer],
    gains: Gains,
    config: NameConfig,
    n_threads: int,
) -> BlockIndex:
    """An index of all names in the order of their entities."""
    names_by_features, rows = _weighted_names(kb, vectorizer, row_order, gains, config, n_threads)
    return BlockIndex.build(names_by_features, rows, config.index, n_groups=len(kb))


def _weighted_names(
    kb: KnowledgeBase,
    vectorizer: TfidfVectorizer | AddedVectorizer,
    row_order: NDArray[np.integer],
    gains: Gains,
    config: NameConfig,
    n_threads: int,
) -> tuple[sparse.csr_matrix, NDArray[np.int32]]:
    """All names in the order of their entities, with one column more for what popularity gains, if it counts; rows."""
    names, rows = kb.names()
    order = np.argsort(row_order[rows], kind="stable")
    weights = np.where(np.arange(len(rows)) < len(kb), 1.0, config.alias_weight).astype(np.float32)  # titles first
    builder = SparseRowsBuilder(vectorizer.n_features + bool(len(gains)))
    # The last column has the gains, so that n-grams must not get columns between two chunks.
    n_at_once = ROWS_AT_ONCE if isinstance(vectorizer, TfidfVectorizer) else max(1, len(order))
    for chunk in row_chunks(len(order), n_at_once):
        chosen = order[chunk.start : chunk.stop]
        own = vectorizer.transform(names.take(chosen), n_threads)
        own.data *= np.repeat(weights[chosen], np.diff(own.indptr))
        builder.add(with_column(FlatRows.of(own), gains[rows[chosen]]).matrix() if len(gains) else own)
    return builder.build(), rows[order]
