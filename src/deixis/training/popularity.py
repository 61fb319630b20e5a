"""Popularity from the knowledge base itself: names of entities in the descriptions of other entities.

An entity that many descriptions speak of is well known, which no annotation is needed to count. Guards against junk:
the detector's rules for names (capitals, common words, one letter), a name counts once in a description, not in one of
an entity that bears it itself, and not if more than `MAX_NAMESAKES` entities bear it; namesakes share a count evenly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.detection.dictionary import DictionaryDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import OwnTextConfig
from deixis.progress import stage
from deixis.store.strings import StringTable

N_SAMPLED = 2000

MAX_NAMESAKES = 20  # a name of more entities says too little about each of them


def popularity_of(
    kb: KnowledgeBase, detector: DictionaryDetector, n_threads: int = 0, config: OwnTextConfig | None = None
) -> NDArray[np.float64]:
    """How many other entities' descriptions mention each entity; namesakes share a count. Zeros if it is switched off.

    Also zeros for a knowledge base with mostly lower-case names: a common word in a description is weak evidence.
    """
    config = config or OwnTextConfig()
    if not config.popularity or not has_proper_names(kb):
        return np.zeros(len(kb))
    together = mentioned_entities(kb, detector, n_threads, config)
    return np.bincount(together.indices, weights=together.data, minlength=len(kb)).astype(np.float64)


def has_proper_names(kb: KnowledgeBase) -> bool:
    """Whether at least half of the titles, or of a sample of them, do not begin with a small letter.

    Examples
    --------
    >>> has_proper_names(KnowledgeBase.from_records([{"id": "n1", "title": "bank"}, {"id": "n2", "title": "light"}]))
    False
    """
    step = max(1, len(kb) // N_SAMPLED)
    first_letters = [title[:1] for title in kb.titles.strings(range(0, len(kb), step))]
    return 2 * sum(letter.islower() for letter in first_letters) <= len(first_letters)


def mentioned_entities(
    kb: KnowledgeBase, detector: DictionaryDetector, n_threads: int = 0, config: OwnTextConfig | None = None
) -> sparse.csr_matrix:
    """entities_by_entities: how probably the description of the row's entity mentions the column's, 0 to 1.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "description": "capital of France"},
    ...     {"id": "Q142", "title": "France", "description": "country in Europe, around Paris"},
    ... ])
    >>> mentioned_entities(kb, DictionaryDetector.build(kb.names())).toarray()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    config = config or OwnTextConfig()
    with stage("counting mentions in descriptions"):
        entities_by_names = detector.names_in(kb.description_texts(), n_threads)
        names, rows = kb.names()
        if config.names:
            inner = detector.names_in(names, n_threads, is_inner=True)
            entities_by_names = (
                entities_by_names + _ones(rows, np.arange(len(rows)), (len(kb), len(rows))) @ inner
            ).tocsr()
            entities_by_names.data = np.ones_like(entities_by_names.data)
        names_by_entities = _names_by_entities(
            detector.numbers(names, n_threads), names, rows, (entities_by_names.shape[1], len(kb))
        )
        others = (entities_by_names - entities_by_names.multiply(names_by_entities.T)).tocsr()
        others.eliminate_zeros()
        together: sparse.csr_matrix = (others @ _shared(names_by_entities)).tocsr()
        together.sort_indices()
        together.data = np.minimum(together.data, 1)
    return together


def _ones(rows: NDArray[np.integer], columns: NDArray[np.integer], shape: tuple[int, int]) -> sparse.csr_matrix:
    return sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


def _names_by_entities(
    numbers: NDArray[np.int32], names: StringTable, rows: NDArray[np.integer], shape: tuple[int, int]
) -> sparse.csr_matrix:
    """names_by_entities: the entities with each name, exactly, or else without brackets and punctuation at its ends.

    So Canada is not shared with the band CANADA!, nor France with Metropolitan France, also called France (Europe).
    """
    is_plain = _is_plain(names)
    has_plain = np.zeros(shape[0], dtype=bool)
    has_plain[numbers[is_plain & (numbers >= 0)]] = True
    is_borne = (numbers >= 0) & (is_plain | ~has_plain[numbers])
    names_by_entities = _ones(numbers[is_borne], rows[is_borne], shape)
    names_by_entities.data = np.ones_like(names_by_entities.data)  # one entity may have a name twice
    return names_by_entities


def _is_plain(names: StringTable) -> NDArray[np.bool_]:
    """Whether names begin with a letter or number and end with one or with a dot."""
    is_word = np.array([byte >= 128 or chr(byte).isalnum() for byte in range(256)])
    firsts, lasts = names.offsets[:-1], names.offsets[1:] - 1
    is_plain = np.zeros(len(names), dtype=bool)
    is_filled = lasts >= firsts
    first, last = names.data[firsts[is_filled]], names.data[lasts[is_filled]]
    is_plain[is_filled] = is_word[first] & (is_word[last] | (last == ord(".")))
    return is_plain


def _shared(names_by_entities: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each name divided evenly among its entities; names of too many entities are dropped."""
    n_namesakes = np.diff(names_by_entities.indptr)
    weights = np.where(n_namesakes <= MAX_NAMESAKES, 1 / np.maximum(n_namesakes, 1), 0).astype(np.float32)
    shared = names_by_entities.copy()
    shared.data = np.repeat(weights, n_namesakes)
    shared.eliminate_zeros()
    return shared
