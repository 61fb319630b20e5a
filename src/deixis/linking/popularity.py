"""Popularity from the knowledge base itself: names of entities in the descriptions of other entities.

An entity that many descriptions mention is popular; no annotation is needed to count that. To avoid noise, the
detector's rules for names apply (capitals, common words, one letter), a name counts once per description, not in a
description of an entity with that name, and not if more than `MAX_NAMESAKES` entities have it; namesakes share a count.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.entity_facts import TYPICAL_COUNT
from deixis.detection.dictionary import DictionaryDetector
from deixis.kb.edited_list import RecordPart
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import OwnTextConfig
from deixis.linking.model import LinkerModel
from deixis.native import _core
from deixis.progress import stage
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable

N_SAMPLED = 2000
MAX_READ = 200  # descriptions in which a name that is added is looked for
MANY_ENTITIES = 500  # entities that are looked for in all descriptions at once, which takes a second or two

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


def added_popularity(built: LinkerModel, part: RecordPart) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """How often each of some added entities is spoken of, and the same from 0 to 1, as if they had been built in.

    Their names are looked for in those descriptions that have all of their words, or in a sample of these. An entity
    that was edited without a new count keeps what it had.
    """
    added, largest_log = part.kb, _largest_log(built)
    counts = added.counts + _added_counts(built, part)
    popularity = np.minimum(np.log1p(counts) / largest_log, 1).astype(np.float32)
    rows = built.kb.rows_of(added.ids)
    is_same = rows >= 0
    is_same[is_same] = built.kb.counts[rows[is_same]] == added.counts[is_same]
    popularity[is_same] = built.ranker.facts.popularity[rows[is_same]]
    counts[is_same] = np.expm1(popularity[is_same].astype(np.float64) * largest_log)
    return counts, popularity


def _added_counts(built: LinkerModel, part: RecordPart) -> NDArray[np.float64]:
    """How many descriptions mention each entity: many are counted together, a few one by one, and each of them once.

    What is counted of an entity by itself does not depend on which others were added.
    """
    if not _has_proper_names(built.kb):
        return np.zeros(len(part.kb))
    counts = _COUNTS.setdefault(built.sources, {})
    new = [row for row, record in enumerate(part.records) if record not in counts]
    together = [new] if len(new) > MANY_ENTITIES else [[row] for row in new]
    for rows in together:
        counted = _counted(built, part.kb.take(rows), MAX_READ).tolist()
        counts.update(zip((part.records[row] for row in rows), counted, strict=True))
    return np.array([counts[record] for record in part.records])


_COUNTS: WeakKeyDictionary[CandidateSources, dict[str, float]] = WeakKeyDictionary()
_PROPER: WeakKeyDictionary[KnowledgeBase, bool] = WeakKeyDictionary()


def _has_proper_names(kb: KnowledgeBase) -> bool:
    """The same as `has_proper_names`, read once for each list."""
    if kb not in _PROPER:
        _PROPER[kb] = has_proper_names(kb)
    return _PROPER[kb]


def _largest_log(built: LinkerModel) -> float:
    """The logarithm of the count of the most popular built entity, against which popularity is measured."""
    if built.sources not in _LARGEST:
        popularity, largest = built.ranker.facts.popularity, float(np.log1p(TYPICAL_COUNT))
        if (
            len(popularity) and popularity.max() > 0.999 and _has_proper_names(built.kb)
        ):  # it has a larger count than the typical one
            best = built.kb.take([int(popularity.argmax())])
            largest = max(largest, float(np.log1p(best.counts + _counted(built, best, N_SAMPLED))[0]))
        _LARGEST[built.sources] = largest
    return _LARGEST[built.sources]


_LARGEST: WeakKeyDictionary[CandidateSources, float] = WeakKeyDictionary()


def _counted(built: LinkerModel, added: KnowledgeBase, max_read: int) -> NDArray[np.float64]:
    """How many descriptions of built entities mention each of these entities, by at most `max_read` for each name."""
    source, alias = built.sources.get("descriptions"), built.sources.get("alias")
    if source is None or alias is None or not built.config.own_text.popularity:
        return np.zeros(len(added))
    names, rows = added.names()
    own_rows = built.kb.rows_of(added.ids)[rows]
    namesakes = [
        np.unique(np.append(each, own)) for each, own in zip(alias.namesakes(list(names)), own_rows, strict=True)
    ]
    detector = DictionaryDetector.build(names, None, built.config.detection)
    if len(added) > MANY_ENTITIES:
        n_found = _found_in_all(built, detector, names, namesakes)
    else:
        n_found = _found_in_sample(built, detector, names, namesakes, max_read)
    n_others = np.array([len(np.setdiff1d(each, [own])) for each, own in zip(namesakes, own_rows, strict=True)])
    fractions = np.where(n_others < MAX_NAMESAKES, 1 / (1 + n_others), 0)
    return np.bincount(rows, weights=n_found * fractions, minlength=len(added)).astype(np.float64)


def _found_in_all(
    built: LinkerModel, detector: DictionaryDetector, names: StringTable, namesakes: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """In how many descriptions each name is, those of its `namesakes` left out; all descriptions are read."""
    texts_by_names = detector.names_in(built.kb.description_texts(), built.n_threads)
    numbers = detector.numbers(names, 1)
    totals = np.bincount(texts_by_names.indices, minlength=texts_by_names.shape[1])[np.maximum(numbers, 0)]
    own = _read(texts_by_names, numbers, [each[each >= 0] for each in namesakes])
    return np.where(numbers >= 0, totals - own, 0.0)


def _found_in_sample(
    built: LinkerModel,
    detector: DictionaryDetector,
    names: StringTable,
    namesakes: list[NDArray[np.int64]],
    max_read: int,
) -> NDArray[np.float64]:
    """The same, estimated from descriptions that have all words of a name, or from `max_read` of these."""
    source = built.sources.get("descriptions")
    words, n_words = source.words.vectorizer.transform(names, 1), [len(set(_core.stems(name))) for name in names]
    n_texts, read = np.zeros(len(names)), []
    for number in range(len(names)):
        columns = words.indices[words.indptr[number] : words.indptr[number + 1]]
        # A name with a word that no description has is in none.
        texts = source.rows_with(columns) if len(columns) >= n_words[number] else np.zeros(0, dtype=np.int64)
        texts = np.setdiff1d(texts, namesakes[number])
        n_texts[number] = len(texts)
        is_whole = len(texts) <= max_read
        read.append(texts if is_whole else texts[np.linspace(0, len(texts) - 1, max_read).astype(np.int64)])
    read_rows = np.unique(np.concatenate([*read, np.zeros(0, dtype=np.int64)]))
    texts_by_names = detector.names_in(built.kb.description_texts(read_rows), built.n_threads)
    n_read = _read(texts_by_names, detector.numbers(names, 1), [np.searchsorted(read_rows, each) for each in read])
    return n_read * n_texts / np.maximum([len(each) for each in read], 1)


def _read(
    texts_by_names: sparse.csr_matrix, numbers: NDArray[np.int32], texts: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """In how many of its `texts` each name is."""
    of_name = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    rows = np.concatenate([*texts, np.zeros(0, dtype=np.int64)])
    is_sought = numbers[of_name] >= 0
    of_name, rows = of_name[is_sought], rows[is_sought]
    if not len(rows):
        return np.zeros(len(texts))
    is_found = np.asarray(texts_by_names[rows, numbers[of_name]]).ravel()
    return np.bincount(of_name, weights=is_found, minlength=len(texts)).astype(np.float64)
