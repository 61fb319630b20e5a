"""The columns of a knowledge base: flat arrays that save, load and memory-map as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.store.checks import check_indptr, check_length, check_range, require
from deixis.store.strings import StringTable

_TABLES = ("ids", "titles", "urls", "aliases", "descriptions", "type_names", "alt_ids")
_ARRAYS = {
    "counts": np.int64,
    "alias_indptr": np.int64,
    "alias_langs": np.int16,
    "alias_counts": np.int64,
    "description_indptr": np.int64,
    "description_langs": np.int16,
    "type_indptr": np.int64,
    "type_codes": np.int32,
    "alt_id_indptr": np.int64,
}


@dataclass(frozen=True, slots=True, eq=False)
class EntityColumns:
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
    titles: StringTable
    urls: StringTable
    counts: NDArray[np.int64]
    aliases: StringTable
    alias_indptr: NDArray[np.int64]
    alias_langs: NDArray[np.int16]
    alias_counts: NDArray[np.int64]
    descriptions: StringTable
    description_indptr: NDArray[np.int64]
    description_langs: NDArray[np.int16]
    type_names: StringTable
    type_indptr: NDArray[np.int64]
    type_codes: NDArray[np.int32]
    alt_ids: StringTable
    alt_id_indptr: NDArray[np.int64]
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

    def column_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All columns as named arrays, for a model folder."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.{name}": getattr(self, name) for name in _ARRAYS}
        for name in _TABLES:
            arrays |= getattr(self, name).to_arrays(f"{prefix}.{name}")
        return arrays | StringTable.from_strings(self.langs).to_arrays(f"{prefix}.langs")

    @staticmethod
    def columns_from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str) -> EntityColumns:
        """The columns that `column_arrays` gave, checked against each other."""
        tables: dict[str, Any] = {name: StringTable.from_arrays(arrays, f"{prefix}.{name}") for name in _TABLES}
        plain: dict[str, Any] = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        langs = tuple(StringTable.from_arrays(arrays, f"{prefix}.langs"))
        columns = EntityColumns(**tables, **plain, langs=langs)
        _check(columns, prefix)
        return columns


def _check(columns: EntityColumns, prefix: str) -> None:
    n_entities = len(columns.ids)
    for name, items in (
        ("alias", columns.aliases),
        ("description", columns.descriptions),
        ("type", columns.type_codes),
        ("alt_id", columns.alt_ids),
    ):
        indptr = getattr(columns, f"{name}_indptr")
        check_length(f"{prefix}.{name}_indptr", indptr, n_entities + 1)
        check_indptr(f"{prefix}.{name}_indptr", indptr, len(items))
    check_length(f"{prefix}.titles", columns.titles.offsets, n_entities + 1)
    check_length(f"{prefix}.urls", columns.urls.offsets, n_entities + 1)
    check_length(f"{prefix}.counts", columns.counts, n_entities)
    check_length(f"{prefix}.alias_langs", columns.alias_langs, len(columns.aliases))
    check_length(f"{prefix}.alias_counts", columns.alias_counts, len(columns.aliases))
    check_length(f"{prefix}.description_langs", columns.description_langs, len(columns.descriptions))
    check_range(f"{prefix}.alias_langs", columns.alias_langs, -1, len(columns.langs))
    check_range(f"{prefix}.description_langs", columns.description_langs, -1, len(columns.langs))
    check_range(f"{prefix}.type_codes", columns.type_codes, 0, len(columns.type_names))
    check_range(f"{prefix}.counts", columns.counts, 0, 2**63)
    check_range(f"{prefix}.alias_counts", columns.alias_counts, 0, 2**63)


def _take_ragged(indptr: NDArray[np.int64], rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The `indptr` of the chosen rows, and the positions of their items."""
    lengths = indptr[rows + 1] - indptr[rows]
    taken = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=taken[1:])
    return taken, np.repeat(indptr[rows] - taken[:-1], lengths) + np.arange(taken[-1])
