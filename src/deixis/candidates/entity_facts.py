"""Facts about all entities that sources and the ranker share: how popular each is, and which words it has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.features.added_ngrams import AddedNgrams
from deixis.features.entity_words import EntityWords
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.scipy_sparse import sparse

WORDS = "words"
"""The name under which new words of added entities are, beside those of sources."""
TYPICAL_COUNT = 1000  # in a short list nobody is spoken of often: one mention more must not seem much


def popularity_from(counts: NDArray[Any]) -> NDArray[np.float32]:
    """Counts as numbers from 0 to 1: their logarithm against that of the largest, or of `TYPICAL_COUNT` if larger.

    Examples
    --------
    >>> popularity_from(np.array([0, 99, 9999])).round(1).tolist()
    [0.0, 0.5, 1.0]
    """
    logs = np.log1p(counts)
    popularity: NDArray[np.float32] = (logs / max(logs.max(initial=0.0), np.log1p(TYPICAL_COUNT))).astype(np.float32)
    return popularity


def entity_words(kb: KnowledgeBase, n_threads: int = 0) -> EntityWords:
    """The words of the names and descriptions of a knowledge base; names of types count as description."""
    types = [(_entities_by_types(kb), kb.type_names)]
    return EntityWords.build(*kb.names(), kb.description_texts(), types, n_threads)


def extended_words(words: EntityWords, ngrams: AddedNgrams, added: KnowledgeBase, n_threads: int = 0) -> EntityWords:
    """The words of the names and descriptions of further entities, as `entity_words` counts them."""
    types = [(_entities_by_types(added), added.type_names)]
    return words.extend(ngrams, *added.names(), added.description_texts(), types, n_threads)


def _entities_by_types(kb: KnowledgeBase) -> sparse.csr_matrix:
    ones = np.ones(len(kb.type_codes), dtype=np.float32)
    return sparse.csr_matrix((ones, kb.type_codes, kb.type_indptr), shape=(len(kb), len(kb.type_names)))
