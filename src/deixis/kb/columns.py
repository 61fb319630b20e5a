"""The columns of a knowledge base: flat arrays that save, load and memory-map as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.store.part import Part, array, nested
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class EntityColumns(Part):
    """Entities by column; what an entity may have several of is ragged: row `r` owns items `indptr[r]:indptr[r + 1]`.

    `alias_langs` and `description_langs` index `langs` (-1: none); a count of 0 is unknown.

    Examples
    --------
    >>> from deixis.kb.builder import ColumnsBuilder
    >>> columns = ColumnsBuilder().build()
    >>> len(columns), columns.alias_indptr.tolist()
    (0, [0])
    """

    ids: StringTable
    titles: Annotated[StringTable, nested(like="ids")]
    urls: Annotated[StringTable, nested(like="ids")]
    counts: Annotated[NDArray[np.int64], array(low=0, like="ids")]
    aliases: StringTable
    alias_indptr: Annotated[NDArray[np.int64], array(indptr_of="aliases", like="ids")]
    alias_langs: Annotated[NDArray[np.int16], array(low=-1, high="langs", like="aliases")]
    alias_counts: Annotated[NDArray[np.int64], array(low=0, like="aliases")]
    descriptions: StringTable
    description_indptr: Annotated[NDArray[np.int64], array(indptr_of="descriptions", like="ids")]
    description_langs: Annotated[NDArray[np.int16], array(low=-1, high="langs", like="descriptions")]
    type_names: StringTable
    type_indptr: Annotated[NDArray[np.int64], array(indptr_of="type_codes", like="ids")]
    type_codes: Annotated[NDArray[np.int32], array(low=0, high="type_names")]
    alt_ids: StringTable
    alt_id_indptr: Annotated[NDArray[np.int64], array(indptr_of="alt_ids", like="ids")]
    langs: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.counts)

    def take_rows(self, rows: NDArray[np.integer]) -> EntityColumns:
        """The columns of only these entities, in this order."""
        alias_indptr, aliases = _take_ragged(self.alias_indptr, rows)
        description_indptr, descriptions = _take_ragged(self.description_indptr, rows)
        type_indptr, types = _take_ragged(self.type_indptr, rows)
        alt_id_indptr, alt_ids = _take_ragged(self.alt_id_indptr, rows)
        return EntityColumns(
            ids=self.ids.take(rows),
            titles=self.titles.take(rows),
            urls=self.urls.take(rows),
            counts=self.counts[rows],
            aliases=self.aliases.take(aliases),
            alias_indptr=alias_indptr,
            alias_langs=self.alias_langs[aliases],
            alias_counts=self.alias_counts[aliases],
            descriptions=self.descriptions.take(descriptions),
            description_indptr=description_indptr,
            description_langs=self.description_langs[descriptions],
            type_names=self.type_names,
            type_indptr=type_indptr,
            type_codes=self.type_codes[types],
            alt_ids=self.alt_ids.take(alt_ids),
            alt_id_indptr=alt_id_indptr,
            langs=self.langs,
        )


def _take_ragged(indptr: NDArray[np.int64], rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The `indptr` of the chosen rows, and the positions of their items."""
    lengths = indptr[rows + 1] - indptr[rows]
    taken = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=taken[1:])
    return taken, np.repeat(indptr[rows] - taken[:-1], lengths) + np.arange(taken[-1])
