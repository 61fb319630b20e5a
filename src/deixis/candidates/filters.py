"""Which entities may be linked to: by type, by id, by language; a mask that candidate generators take before they rank.

A language is a rule about what is known of an entity, not about the entity: one that has an alias or a description in
the language passes, and so does one of which nothing is marked with any language (a bare list of names is in all of
them). A region makes no other language: `pt` and `pt-BR` are one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.suggestions import near_ids, unknown_name
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.languages import known_in
from deixis.tables import EntityMask
from deixis.types import base_language

MAX_SHOWN = 5
MAX_CACHED = 8  # filters of one knowledge base whose masks are kept for the next call


@dataclass(frozen=True)
class EntityFilter:
    """What an entity must be to be a candidate: any of the types, and one of the ids, and in any of the languages.

    Ids may be the entities' own or equivalent ones. A part that is empty asks for nothing.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "types": ["city"]},
    ...     {"id": "Q167646", "title": "Paris", "types": ["person", "prince"]},
    ...     {"id": "Q22647", "title": "Troy", "types": ["city"]},
    ... ])
    >>> EntityFilter(types=("city",)).mask(kb).tolist()
    [True, False, True]
    >>> EntityFilter(types=("city",), ids=("Q90", "Q167646")).mask(kb).tolist()
    [True, False, False]
    >>> EntityFilter().mask(kb) is None
    True
    """

    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @staticmethod
    def names(part: str, names: str | Iterable[str]) -> tuple[str, ...]:
        """One name or several, as a filter takes them; an empty list is an error.

        Examples
        --------
        >>> EntityFilter.names("types", "city"), EntityFilter.names("languages", ["de", "fr"])
        (('city',), ('de', 'fr'))
        """
        several = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, Iterable) else (names,)
        for name in several:
            if not isinstance(name, str):
                raise ConfigError(f"The {part} of a filter are texts, got {type(name).__name__}: {name!r:.60}.")
        if not several:
            raise ConfigError(
                f"The filter's list of {part} is empty: nothing could pass. Leave it out to allow everything."
            )
        return several

    def mask(self, kb: KnowledgeBase) -> EntityMask | None:
        """Whether each entity of `kb` passes, read-only; None if the filter asks for nothing. Never all False."""
        mask: EntityMask | None = None
        passed: list[str] = []
        for part, select in _PARTS.items():
            names: tuple[str, ...] = getattr(self, part)
            if not names:
                continue
            selected = select(kb, names)
            selected = selected if kb.live is None else selected & kb.live
            both = selected if mask is None else mask & selected
            if not both.any():
                before = "no entity" if mask is None else f"none of the {mask.sum():,} that pass {', '.join(passed)}"
                raise ConfigError(f"The filter leaves nothing: {before} has {_spoken(part, names)}.")
            mask = both
            passed.append(f"{part} {_joined(names)}")
        if mask is not None:
            mask.setflags(write=False)
        return mask

    def cached_mask(self, kb: KnowledgeBase) -> EntityMask | None:
        """The same; the masks of the last filters of a knowledge base are kept, so that engines know them again."""
        if not self:
            return None
        masks = _MASKS.setdefault(kb, {})
        mask = masks.get(self)
        if mask is None:
            mask = self.mask(kb)
            for oldest in list(masks)[: max(0, len(masks) - MAX_CACHED + 1)]:
                masks.pop(oldest, None)
            masks[self] = mask
        return mask

    def __bool__(self) -> bool:
        return bool(self.types or self.ids or self.languages)


_MASKS: WeakKeyDictionary[KnowledgeBase, dict[EntityFilter, EntityMask | None]] = WeakKeyDictionary()


def _of_types(kb: KnowledgeBase, names: tuple[str, ...]) -> EntityMask:
    known = list(kb.type_names)
    if not len(kb.type_codes):
        raise ConfigError(
            f"No entity of the knowledge base has a type, so it cannot be filtered by types {_joined(names)}. Give its "
            "entities 'types' and build again, or filter by ids."
        )
    composed = {unicodedata.normalize("NFC", name): code for code, name in enumerate(known)}
    name_to_code = composed | {name: code for code, name in enumerate(known)}
    is_selected = np.zeros(len(known), dtype=bool)
    for name in names:
        code = name_to_code.get(name, composed.get(unicodedata.normalize("NFC", name)))
        if code is None:
            raise unknown_name("type", name, known)
        is_selected[code] = True
    return _owning(kb.type_indptr, is_selected[kb.type_codes])


def _of_ids(kb: KnowledgeBase, ids: tuple[str, ...]) -> EntityMask:
    rows = kb.rows_of(ids)
    if len(rows) and rows.min() < 0:
        unknown = [ids[position] for position in np.flatnonzero(rows < 0).tolist()]
        raise ConfigError(unknown_ids(kb, unknown, len(ids)))
    mask = np.zeros(len(kb), dtype=bool)
    mask[rows] = True
    return mask


def unknown_ids(kb: KnowledgeBase, unknown: list[str], n_ids: int) -> str:
    """The message for those of the `n_ids` ids of a filter that no entity has."""
    shape = f"Its ids look like {_joined(kb.ids.strings(range(min(3, len(kb)))))}."
    near = near_ids(kb, unknown[0])
    hint = f" Did you mean {_joined(near, ' or ')}?" if near else ""
    if n_ids == 1:
        return f"No entity of the knowledge base has the id {unknown[0]!r}.{hint} {shape}"
    hint = hint.replace("Did you mean", f"For {unknown[0]!r}, did you mean")
    return (
        f"The knowledge base has no entity for {len(unknown):,} of the {n_ids:,} ids: {_joined(unknown)}.{hint} {shape}"
    )


def _in_languages(kb: KnowledgeBase, languages: tuple[str, ...]) -> EntityMask:
    if not kb.langs:
        raise ConfigError(
            "No name and no description of the knowledge base is marked with a language, so it cannot be filtered by "
            f"languages {_joined(languages)}. Leave them out, or mark descriptions: {{'descriptions': {{'de': ...}}}}."
        )
    known = {base_language(language) for language in kb.langs}
    mask = ~(_owning(kb.alias_indptr, kb.alias_langs >= 0) | _owning(kb.description_indptr, kb.description_langs >= 0))
    for language in languages:
        if base_language(language) not in known:
            raise unknown_name("language", language, known)
        mask |= known_in(kb, language)
    return mask


_PARTS: dict[str, Callable[[KnowledgeBase, tuple[str, ...]], EntityMask]] = {
    "types": _of_types,
    "ids": _of_ids,
    "languages": _in_languages,
}


def _owning(indptr: NDArray[np.int64], is_item: NDArray[np.bool_]) -> EntityMask:
    """For each row of a ragged column, whether one of its items is meant."""
    n_before = np.zeros(len(is_item) + 1, dtype=np.int64)
    np.cumsum(is_item, out=n_before[1:])
    owning: EntityMask = n_before[indptr[1:]] > n_before[indptr[:-1]]
    return owning


def _spoken(part: str, names: tuple[str, ...]) -> str:
    words = {"types": "the type", "ids": "the id", "languages": "anything in the language"}
    return f"{words[part]} {_joined(names, ' or ')}"


def _joined(names: Sequence[str], joint: str = ", ") -> str:
    """The first few names, quoted, and how many more there are."""
    first = [repr(name)[:60] for name in names[:MAX_SHOWN]]
    n_more = len(names) - len(first)
    return joint.join(first) + (f" and {n_more:,} more" if n_more else "")
