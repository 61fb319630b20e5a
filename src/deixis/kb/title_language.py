"""Entities called by their names in one language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deixis.errors import DataError
from deixis.kb.columns import EntityColumns
from deixis.kb.description_language import language_likeness
from deixis.store.string_hashes import equal_strings


def with_titles_in(columns: EntityColumns, language: str) -> EntityColumns:
    """The same entities; each one's first alias in the language is its title, and its old title an alias instead.

    An entity without an alias in the language keeps its title. A region counts if no alias is in just this language.
    """
    near = language_likeness(columns, language)[columns.alias_langs]
    if not near.any():
        known = ", ".join(columns.langs) or "none"
        raise DataError(f"No alias is in the language {language!r}. Languages: {known}. Ask for one of them.")
    rows = np.repeat(np.arange(len(columns)), np.diff(columns.alias_indptr))
    order = np.lexsort((-near, rows))  # stable: of equally near ones the first
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = rows[order[1:]] != rows[order[:-1]]
    chosen = order[is_first & (near[order] > 0)]
    owners, names = rows[chosen], columns.titles.joined(columns.aliases)
    is_other = ~equal_strings(names, owners, chosen + len(columns))
    chosen, owners = chosen[is_other], owners[is_other]
    places = np.arange(len(names))
    places[owners], places[chosen + len(columns)] = chosen + len(columns), owners
    langs, counts = columns.alias_langs.copy(), columns.alias_counts.copy()
    langs[chosen], counts[chosen] = -1, 0
    return replace(
        columns,
        titles=names.take(places[: len(columns)]),
        aliases=names.take(places[len(columns) :]),
        alias_langs=langs,
        alias_counts=counts,
    )
