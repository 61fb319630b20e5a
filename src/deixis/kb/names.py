"""All names and all descriptions of a knowledge base at once, without a Python string in between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.kb.columns import EntityColumns
from deixis.store.string_hashes import equal_strings, hash_strings
from deixis.store.strings import StringTable


def entity_names(columns: EntityColumns) -> tuple[StringTable, NDArray[np.int32]]:
    """All titles, then all aliases, no name twice for one entity; and the row each belongs to."""
    n_entities = len(columns)
    own_row = np.arange(n_entities, dtype=np.int32)
    names = columns.titles.joined(columns.aliases)
    rows = np.concatenate([own_row, np.repeat(own_row, np.diff(columns.alias_indptr))])
    repeated = _repeated_in_row(names, rows)
    if len(repeated) == 0:
        return names, rows
    is_kept = np.ones(len(rows), dtype=bool)
    is_kept[repeated] = False
    numbers = np.flatnonzero(is_kept)
    return names.take(numbers), rows[numbers]


def entity_descriptions(columns: EntityColumns, rows: NDArray[np.integer] | None = None) -> StringTable:
    """One text per entity, or per entity in `rows`: its descriptions, joined by a space."""
    texts, indptr = columns.descriptions, columns.description_indptr
    if rows is not None:
        starts, lengths = indptr[rows], indptr[np.asarray(rows) + 1] - indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        texts = texts.take(np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1]))
    begins_entity = np.zeros(len(texts) + 1, dtype=bool)
    begins_entity[indptr] = True
    n_spaces = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(~begins_entity[:-1], out=n_spaces[1:])  # spaces before the end of each description
    offsets = texts.offsets[indptr] + n_spaces[indptr]
    if n_spaces[-1] == 0:
        return StringTable(offsets, texts.data)
    is_text = np.ones(int(offsets[-1]), dtype=bool)
    follows = np.flatnonzero(~begins_entity[:-1])
    is_text[texts.offsets[follows] + n_spaces[follows]] = False
    data = np.full(len(is_text), ord(" "), dtype=np.uint8)
    data[is_text] = texts.data
    return StringTable(offsets, data)


def _repeated_in_row(names: StringTable, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """Positions of names that their entity has already, further to the front."""
    hashes = hash_strings(names)
    order = np.lexsort((hashes, rows))
    is_candidate = (rows[order[1:]] == rows[order[:-1]]) & (hashes[order[1:]] == hashes[order[:-1]])
    later, earlier = order[1:][is_candidate], order[:-1][is_candidate]
    repeated: NDArray[np.int64] = later[equal_strings(names, later, earlier)]
    return repeated
