"""One number per entity that changes with anything in its record: lists of a million are compared at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.kb.columns import EntityColumns
from deixis.store.string_hashes import hash_string, hash_strings

Digests = NDArray[np.uint64]
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def entity_digests(columns: EntityColumns) -> Digests:
    """A digest per entity: equal for equal records, and for no others in all likelihood (64 bits).

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> one, other = (KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "aliases": aliases}])
    ...     for aliases in (["City of Light"], ["city of light"]))
    >>> [bool((entity_digests(one) == entity_digests(each)).all()) for each in (one, other)]
    [True, False]
    """
    langs = np.array([hash_string(lang) for lang in (*columns.langs, "")], dtype=np.uint64)  # the last for code -1
    aliases = _mixed(hash_strings(columns.aliases), langs[columns.alias_langs], columns.alias_counts.astype(np.uint64))
    descriptions = _mixed(hash_strings(columns.descriptions), langs[columns.description_langs])
    types = hash_strings(columns.type_names)[columns.type_codes]
    return _mixed(
        hash_strings(columns.ids),
        hash_strings(columns.titles),
        hash_strings(columns.urls),
        columns.counts.astype(np.uint64),
        _by_row(columns.alias_indptr, aliases),
        _by_row(columns.description_indptr, descriptions),
        _by_row(columns.type_indptr, types),
        _by_row(columns.alt_id_indptr, hash_strings(columns.alt_ids)),
    )


def _mixed(*numbers: Digests) -> Digests:
    """One number of several, whose order counts."""
    mixed = np.zeros(len(numbers[0]), dtype=np.uint64)
    for each in numbers:
        mixed = (mixed * _FACTOR + each + np.uint64(1)) * _FACTOR
        mixed ^= mixed >> _SHIFT
    return mixed


def _by_row(indptr: NDArray[np.int64], items: Digests) -> Digests:
    """One number per row of its items, whose order counts."""
    positions = np.arange(len(items)) - np.repeat(indptr[:-1], np.diff(indptr))
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_mixed(items, positions.astype(np.uint64)))])
    by_row: Digests = _mixed(sums[indptr[1:]] - sums[indptr[:-1]], np.diff(indptr).astype(np.uint64))
    return by_row
