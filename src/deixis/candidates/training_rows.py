"""Training instances made from the knowledge base alone (XMRED, section 2.3, "auxiliary data").

The paper makes one instance per entity: its title as the mention, its abstract as the context. We add instances that
look more like mentions do: every name without a context, and rare words of names, each labelled with all the entities
it may mean.

Titles of entities as training instances that also name the entities they are mentioned with (Gandalf, section 4).

Documents that mention entities together give the graph of `xmr/label_graph.py`; an entity's title is its label text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.scipy_sparse import sparse
from deixis.store.sparse_rows_builder import row_chunks
from deixis.store.strings import StringTable
from deixis.types import Document
from deixis.xmr.label_augmentation import AugmentationConfig, label_targets


@dataclass(frozen=True)
class PseudoInstancesConfig(Config):
    """Which instances are made."""

    has_descriptions: bool = setting(True, "Make an instance of each entity's title with its description as context.")
    has_names: bool = setting(True, "Make an instance of each name alone.")
    max_shared: int = setting(
        20, "Make an instance of each word of names that at most so many entities share; 0: none.", low=0
    )


@dataclass(frozen=True)
class Instances:
    """Texts to learn from and, for each, the rows of the entities it may mean."""

    mentions: StringTable
    contexts: StringTable
    docs_by_labels: sparse.csr_matrix

    @staticmethod
    def joined(parts: list[Instances]) -> Instances:
        """All instances of all parts, in order."""
        mentions, contexts = parts[0].mentions, parts[0].contexts
        for part in parts[1:]:
            mentions, contexts = mentions.joined(part.mentions), contexts.joined(part.contexts)
        return Instances(mentions, contexts, sparse.vstack([part.docs_by_labels for part in parts], format="csr"))


def make_instances(kb: KnowledgeBase, config: PseudoInstancesConfig, has_context: bool = True) -> Instances:
    """The instances of a whole knowledge base; labels are its rows. Descriptions are of use only where context is."""
    parts = []
    if config.has_descriptions and has_context:
        parts.append(Instances(kb.titles, kb.description_texts(), sparse.identity(len(kb), np.float32, format="csr")))
    if config.has_names or config.max_shared or not parts:
        names, rows = kb.names()
        vectorizer = TfidfVectorizer(TfidfConfig(ngrams_max=1, max_df=1.0)).fit(names)
        names_by_words = vectorizer.transform(names)
        if config.has_names or not parts:
            parts.append(_from_names(names, rows, names_by_words, len(kb)))
        if config.max_shared:
            parts.append(_from_words(vectorizer, rows, names_by_words, len(kb), config.max_shared))
    return Instances.joined(parts)


def _from_names(
    names: StringTable, rows: NDArray[np.int32], names_by_words: sparse.csr_matrix, n_entities: int
) -> Instances:
    """One instance per different name, whatever its case and punctuation, labelled with all entities of that name."""
    keys = _row_keys(names_by_words)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    ones = np.ones(len(rows), dtype=np.float32)
    labels = sparse.csr_matrix((ones, (group, rows)), shape=(len(first), n_entities))
    labels.data[:] = 1.0  # an entity may have the same name twice
    return Instances(names.take(first), _blank(len(first)), labels)


def _from_words(
    vectorizer: TfidfVectorizer,
    rows: NDArray[np.int32],
    names_by_words: sparse.csr_matrix,
    n_entities: int,
    max_shared: int,
) -> Instances:
    """One instance per word that at most `max_shared` entities have in a name of several words."""
    is_long = np.diff(names_by_words.indptr) > 1
    names_by_entities = sparse.csr_matrix(
        (is_long.astype(np.float32), (np.arange(len(rows)), rows)), shape=(len(rows), n_entities)
    )
    words_by_entities = (names_by_words.T.tocsr() @ names_by_entities).tocsr()
    words_by_entities.eliminate_zeros()
    n_sharing = np.diff(words_by_entities.indptr)
    chosen = np.flatnonzero((n_sharing > 0) & (n_sharing <= max_shared))
    labels = words_by_entities[chosen]
    labels.data[:] = 1.0
    chunks = (vectorizer.feature_names(chosen[chunk.start : chunk.stop]) for chunk in row_chunks(len(chosen)))
    words = StringTable.from_strings(word for chunk in chunks for word in chunk)
    return Instances(words, _blank(len(chosen)), labels)


def _row_keys(rows: sparse.csr_matrix) -> NDArray[np.uint64]:
    """A number per row that tells rows of different words apart (64 bits; equal rows have equal numbers)."""
    columns = np.random.default_rng(0).integers(1, 2**63, size=rows.shape[1], dtype=np.uint64)
    shares = np.rint(rows.data * 1000).astype(np.uint64)
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(columns[rows.indices] * shares, dtype=np.uint64)])
    keys: NDArray[np.uint64] = running[rows.indptr[1:]] - running[rows.indptr[:-1]]
    return keys


def _blank(n: int) -> StringTable:
    return StringTable(np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.uint8))


def related_titles(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    config: AugmentationConfig,
    seed: int = 0,
    n_threads: int = 0,
) -> Instances | None:
    """The titles of the entities that `documents` mention, with targets in (0, 1]; None if there are none to add.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": id, "title": id} for id in ("Paris", "Troy", "Nice")])
    >>> mentions = (Mention(0, 5, "Paris", "Paris"), Mention(7, 11, "Troy", "Troy"))
    >>> made = related_titles(kb, [Document("d", "Paris, Troy", mentions=mentions)], AugmentationConfig("soft"))
    >>> made.mentions[0], made.docs_by_labels[0].indices.tolist()
    ('Paris', [0, 1])
    """
    if config.kind == "none":
        return None
    docs_by_entities = mentioned_entities(kb, documents)
    rows = np.unique(docs_by_entities.indices)
    if not len(rows):
        return None
    targets = label_targets(docs_by_entities, config, seed, n_threads)[rows]
    return Instances(kb.titles.take(rows), StringTable.from_strings([""] * len(rows)), targets)


def mentioned_entities(kb: KnowledgeBase, documents: Sequence[Document]) -> sparse.csr_matrix:
    """docs_by_entities: ones where a document mentions an entity of the knowledge base."""
    pairs = {
        (number, row)
        for number, document in enumerate(documents)
        for mention in document.mentions
        for row in (known_parts(mention.entity, kb.row_of) if mention.entity is not None else ())
    }
    cells = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(cells), dtype=np.float32)
    return sparse.csr_matrix((ones, (cells[:, 0], cells[:, 1])), shape=(len(documents), len(kb)))
