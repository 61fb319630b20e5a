"""Languages of a knowledge base: which of its codes mean one language, and which entities it knows in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deixis.kb.columns import EntityColumns
from deixis.types import base_language


def language_codes(columns: EntityColumns, lang: str) -> list[int]:
    """The places in `columns.langs` of this language: `pt` takes in `pt-BR` and is taken in by it."""
    return [code for code, known in enumerate(columns.langs) if base_language(known) == base_language(lang)]


def known_in(columns: EntityColumns, lang: str) -> NDArray[np.bool_]:
    """Per entity, whether it has an alias or a description in this language; titles do not tell theirs.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "aliases": [{"text": "Parigi", "lang": "it"}]},
    ...     {"id": "Q64", "title": "Berlin", "descriptions": {"de": "Hauptstadt von Deutschland"}},
    ... ])
    >>> known_in(kb, "it").tolist(), known_in(kb, "de").tolist()
    ([True, False], [False, True])
    """
    codes = language_codes(columns, lang)
    is_known = np.zeros(len(columns), dtype=bool)
    for langs, indptr in (
        (columns.alias_langs, columns.alias_indptr),
        (columns.description_langs, columns.description_indptr),
    ):
        items = np.flatnonzero(np.isin(langs, codes))
        is_known[np.searchsorted(indptr, items, side="right") - 1] = True
    return is_known


def language_test(columns: EntityColumns, row_of: Callable[[str], int | None]) -> Callable[[str, str], bool]:
    """Whether an entity, by its id, has an alias or a description in a language; each language is looked up once."""
    lang_to_known: dict[str, NDArray[np.bool_]] = {}

    def has_language(identifier: str, lang: str) -> bool:
        if lang not in lang_to_known:
            lang_to_known[lang] = known_in(columns, lang)
        row = row_of(identifier)
        return row is not None and bool(lang_to_known[lang][row])

    return has_language
