"""Which of an entity's descriptions to keep: one language for each entity, chosen by where it is spoken of most.

The rule is that of Botha, Shan and Gillick (2020, "Entity Linking in 100 Languages"): candidate descriptions of an
entity e are ordered by n_e(l), the number of mentions of e in the language l, and ties by n(l), the number of all
mentions in l. We count mentions where they can be had: the counts of aliases that have a language, and annotated
documents that have one. A language chosen by its code goes before all others; the rule orders the rest.

Entities called by their names in one language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError, UnknownNameError
from deixis.kb.columns import EntityColumns
from deixis.store.string_hashes import equal_strings
from deixis.types import base_language

ALL, BY_MENTIONS = "all", "mentions"

C = TypeVar("C", bound=EntityColumns)
Meant = Iterable[tuple[int, str]]
"""The row of the entity and the language of each annotated mention."""


def with_one_description(columns: C, language: str, mentioned: Meant = ()) -> C:
    """The columns with at most one description per entity, or untouched if `language` is `all`.

    An entity keeps what it has of the language, or of any other if it has none; `mentions` prefers no language.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([{
    ...     "id": "Q1741", "title": "Wien", "descriptions": {"en": "capital of Austria", "de": "Hauptstadt"},
    ...     "aliases": [{"text": "Vienna", "lang": "en", "count": 20}, {"text": "Wien", "lang": "de", "count": 90}],
    ... }])
    >>> with_one_description(kb, "mentions").entity("Q1741").descriptions
    {'de': 'Hauptstadt'}
    >>> with_one_description(kb, "en").entity("Q1741").descriptions
    {'en': 'capital of Austria'}
    """
    if language == ALL:
        return columns
    described = _language_names(columns)
    if language != BY_MENTIONS and base_language(language) not in map(base_language, described):
        raise UnknownNameError("description language", language, known=[ALL, BY_MENTIONS, *described])
    rows = _rows(columns.description_indptr)
    counts = _MentionCounts.of(columns, mentioned)
    order = np.lexsort(
        (
            np.arange(len(rows)),  # the last resort: the one that stands first in the record
            -counts.by_language(columns.description_langs),
            -counts.by_entity(rows, columns.description_langs),
            -language_similarity(columns, "" if language == BY_MENTIONS else language)[columns.description_langs],
            rows,
        )
    )
    begins_row = np.append(True, rows[order][1:] != rows[order][:-1])[: len(rows)]
    chosen = order[begins_row]
    n_kept = np.bincount(rows[chosen], minlength=len(columns))
    return replace(
        columns,
        descriptions=columns.descriptions.take(chosen),
        description_langs=columns.description_langs[chosen],
        description_indptr=np.concatenate([[0], np.cumsum(n_kept)]).astype(np.int64),
    )


@dataclass(frozen=True)
class _MentionCounts:
    """How many mentions are known, by entity and language; codes of languages that differ in region count as one.

    `keys` are `row * n_groups + group` in ascending order, `counts` belong to them.
    """

    groups: NDArray[np.int64]
    n_groups: int
    keys: NDArray[np.int64]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, columns: EntityColumns, mentioned: Meant) -> _MentionCounts:
        names = [base_language(lang) for lang in columns.langs]
        name_to_group = {name: group for group, name in enumerate(dict.fromkeys(names))}
        groups = np.array([*(name_to_group[name] for name in names), -1], dtype=np.int64)  # code -1 is the last
        n_groups = max(1, len(name_to_group))
        seen = Counter(
            row * n_groups + name_to_group[base]
            for row, lang in mentioned
            if (base := base_language(lang)) in name_to_group
        )
        is_counted = (columns.alias_counts > 0) & (columns.alias_langs >= 0)
        alias_keys = (_rows(columns.alias_indptr) * n_groups + groups[columns.alias_langs])[is_counted]
        keys = np.concatenate([alias_keys, np.fromiter(seen.keys(), np.int64, len(seen))])
        values = np.concatenate([columns.alias_counts[is_counted], np.fromiter(seen.values(), np.int64, len(seen))])
        distinct, groups_of_keys = np.unique(keys, return_inverse=True)
        counts = np.bincount(groups_of_keys, weights=values, minlength=len(distinct)).astype(np.float64)
        return cls(groups, n_groups, distinct, counts)

    def by_entity(self, rows: NDArray[np.int64], codes: NDArray[np.int16]) -> NDArray[np.float64]:
        """n_e(l) of each pair of a row and a language; nothing is known of no language."""
        groups = self.groups[codes]
        pair_keys = rows * self.n_groups + groups
        positions = np.minimum(np.searchsorted(self.keys, pair_keys), max(0, len(self.keys) - 1))
        if len(self.keys) == 0:
            return np.zeros(len(rows))
        is_known = (self.keys[positions] == pair_keys) & (groups >= 0)
        return np.where(is_known, self.counts[positions], 0.0)

    def by_language(self, codes: NDArray[np.int16]) -> NDArray[np.float64]:
        """n(l) of each language."""
        totals = np.bincount(self.keys % self.n_groups, weights=self.counts, minlength=self.n_groups)
        groups = self.groups[codes]
        return np.where(groups >= 0, totals[groups], 0.0)


def _rows(indptr: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def _language_names(columns: EntityColumns) -> list[str]:
    """The languages of descriptions."""
    return [columns.langs[code] for code in np.unique(columns.description_langs).tolist() if code >= 0]


def language_similarity(columns: EntityColumns, language: str) -> NDArray[np.int64]:
    """How near each language, and last no language, is to the chosen one: 2 the same, 1 of another region."""
    near = [
        (base_language(lang) == base_language(language)) + (lang.casefold() == language.casefold())
        for lang in columns.langs
    ]
    return np.array([*near, 0], dtype=np.int64)


def with_titles_in(columns: EntityColumns, language: str) -> EntityColumns:
    """The same entities; each one's first alias in the language is its title, and its old title an alias instead.

    An entity without an alias in the language keeps its title. A region counts if no alias is in just this language.
    """
    near = language_similarity(columns, language)[columns.alias_langs]
    if not near.any():
        known = ", ".join(columns.langs) or "none"
        raise DataError(f"No alias is in the language {language!r}. Languages: {known}. Choose one of them.")
    rows = np.repeat(np.arange(len(columns)), np.diff(columns.alias_indptr))
    order = np.lexsort((-near, rows))  # stable: of equally near ones the first
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = rows[order[1:]] != rows[order[:-1]]
    chosen = order[is_first & (near[order] > 0)]
    owners, names = rows[chosen], columns.titles.joined(columns.aliases)
    is_other = ~equal_strings(names, owners, chosen + len(columns))
    chosen, owners = chosen[is_other], owners[is_other]
    name_order = np.arange(len(names))
    name_order[owners], name_order[chosen + len(columns)] = chosen + len(columns), owners
    langs, counts = columns.alias_langs.copy(), columns.alias_counts.copy()
    langs[chosen], counts[chosen] = -1, 0
    return replace(
        columns,
        titles=names.take(name_order[: len(columns)]),
        aliases=names.take(name_order[len(columns) :]),
        alias_langs=langs,
        alias_counts=counts,
    )
