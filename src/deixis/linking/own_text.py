"""What a knowledge base says of itself: names of entities inside other entities' descriptions.

An entity that many descriptions speak of is well known, which no annotation is needed to count. Guards against junk:
the detector's rules for names (capitals, common words, one letter), a name counts once in a description, not in its
own entity's, and not if more than `MAX_NAMESAKES` entities bear it; namesakes share a count evenly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.detection.dictionary import DictionaryDetector
from deixis.features.name_forms import NameForms
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.key_table import KeyEntries, KeyTable
from deixis.progress import track
from deixis.store.strings import StringTable

MAX_NAMESAKES = 20
BATCH = 20_000  # descriptions read together


def popularity_of(kb: KnowledgeBase, detector: DictionaryDetector, n_threads: int = 0) -> NDArray[np.float64]:
    """How many descriptions of other entities speak of each entity; namesakes share."""
    together = mentioned_entities(kb, detector, n_threads)
    return np.bincount(together.indices, weights=together.data, minlength=len(kb)).astype(np.float64)


def mentioned_entities(kb: KnowledgeBase, detector: DictionaryDetector, n_threads: int = 0) -> sparse.csr_matrix:
    """entities_by_entities: how surely the description of the row's entity speaks of the column's, 0 to 1.

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
    texts = kb.description_texts()
    surface_to_number: dict[str, int] = {}
    sources, surfaces = [], []
    for begin in track(range(0, len(texts), BATCH), "reading descriptions"):
        batch = texts.strings(range(begin, min(begin + BATCH, len(texts))))
        for row, (text, spans) in enumerate(zip(batch, detector.detect(batch, n_threads), strict=True), start=begin):
            for surface in {text[start:end] for start, end in spans}:
                sources.append(row)
                surfaces.append(surface_to_number.setdefault(surface, len(surface_to_number)))
    found = _meanings(kb, StringTable.from_strings(surface_to_number), n_threads)
    return _pairs(np.array(sources, np.int64), np.array(surfaces, np.int64), found, len(kb))


def _meanings(kb: KnowledgeBase, surfaces: StringTable, n_threads: int) -> KeyEntries:
    """The rows that bear each of the names, in the order of the names."""
    names, rows = kb.names()
    ones, zeros = np.ones(len(rows), np.float32), np.zeros(len(rows), np.uint32)
    entries = KeyEntries(np.arange(len(rows)), rows, zeros.astype(np.int16), zeros, ones, ones)
    table = KeyTable.build(NameForms().keys(names, n_threads=n_threads), entries, len(kb))
    return table.find(NameForms().keys(surfaces, n_threads=n_threads))


def _pairs(
    sources: NDArray[np.int64], surfaces: NDArray[np.int64], found: KeyEntries, n_entities: int
) -> sparse.csr_matrix:
    starts = np.searchsorted(found.keys, np.arange(surfaces.max(initial=-1) + 2))
    lengths = np.diff(starts)
    is_used = (lengths[surfaces] > 0) & (lengths[surfaces] <= MAX_NAMESAKES)
    sources, surfaces = sources[is_used], surfaces[is_used]
    n_each = lengths[surfaces]
    ends = np.cumsum(n_each)
    targets = found.rows[np.repeat(starts[surfaces] - ends + n_each, n_each) + np.arange(ends[-1] if len(ends) else 0)]
    occurrences = np.repeat(np.arange(len(sources)), n_each)
    is_own = np.zeros(len(sources), dtype=bool)
    is_own[occurrences[targets == sources[occurrences]]] = True
    kept = ~is_own[occurrences]
    shares = (1 / np.maximum(n_each, 1))[occurrences][kept].astype(np.float32)
    shape = (n_entities, n_entities)
    together = sparse.coo_matrix((shares, (sources[occurrences[kept]], targets[kept])), shape=shape).tocsr()
    together.data = np.minimum(together.data, 1)
    return together
