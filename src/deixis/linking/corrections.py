"""The corrections of a model, one verdict per span, stored whole so that more can be added later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.suggestions import near_ids
from deixis.documents.corrections import VERDICTS, Correction, Verdict
from deixis.errors import DataError, StoreError, ToolkitError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.checks import check_length, check_range, require
from deixis.store.strings import StringTable

Key = tuple[str, int, int]


@dataclass(frozen=True)
class Merged:
    """Corrections after others were added, with the numbers of new, changed and duplicate ones."""

    corrections: Corrections
    n_new: int
    n_changed: int
    n_known: int


@dataclass(frozen=True)
class Corrections:
    """Corrections without contradictions, sorted by text, span and entity: their order of arrival does not matter.

    A span has one `gold`, or is `not_an_entity`, or has any number of `wrong` ones.

    Examples
    --------
    >>> wrong = Correction("Paris fled", 0, 5, "wrong", "Q90")
    >>> gold = Correction("Paris fled", 0, 5, "gold", "Q167646")
    >>> merged = Corrections().merged([wrong, gold])
    >>> [(each.verdict, each.entity) for each in merged.corrections.each], merged.n_new, merged.n_changed
    ([('gold', 'Q167646')], 1, 1)
    >>> merged.corrections.merged([gold]).n_known
    1
    """

    each: tuple[Correction, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.each)

    def merged(self, others: Iterable[Correction]) -> Merged:
        """These and others; of two that contradict each other the later one counts. `wrong` ones of a span add up.

        A `wrong` entity besides a `gold` one or `not_an_entity` is no contradiction and adds nothing.
        """
        key_to_verdicts = dict(self.by_key)
        counts = {"new": 0, "changed": 0, "known": 0}
        for other in others:
            before = key_to_verdicts.get(other.key, ())
            after = _combined(before, replace(other, place=None))
            counts["new" if not before else "known" if after == before else "changed"] += 1
            key_to_verdicts[other.key] = after
        corrections = [one for _, verdicts in sorted(key_to_verdicts.items()) for one in verdicts]
        return Merged(Corrections(tuple(corrections)), counts["new"], counts["changed"], counts["known"])

    @cached_property
    def by_key(self) -> Mapping[Key, tuple[Correction, ...]]:
        """The corrections of each span."""
        key_to_corrections: dict[Key, list[Correction]] = {}
        for one in self.each:
            key_to_corrections.setdefault(one.key, []).append(one)
        return {key: tuple(own) for key, own in key_to_corrections.items()}

    @cached_property
    def by_text(self) -> Mapping[str, tuple[Correction, ...]]:
        """The corrections of each text, sorted by text."""
        text_to_corrections: dict[str, list[Correction]] = {}
        for one in self.each:
            text_to_corrections.setdefault(one.text, []).append(one)
        return {text: tuple(own) for text, own in text_to_corrections.items()}

    def saying(self, verdict: Verdict) -> list[Correction]:
        """The corrections with this verdict."""
        return [one for one in self.each if one.verdict == verdict]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All of them as arrays under names that begin with `prefix`; nothing if there are none."""
        if not self.each:
            return {}
        number_of = {text: number for number, text in enumerate(self.by_text)}
        columns = [
            (number_of[one.text], one.start, one.end, VERDICTS.index(one.verdict), one.lang is not None)
            for one in self.each
        ]
        strings: dict[str, Iterable[str]] = {
            "texts": self.by_text,
            "entities": (one.entity or "" for one in self.each),
            "langs": (one.lang or "" for one in self.each),
        }
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.spans": np.array(columns, dtype=np.int64).ravel()}
        for name, values in strings.items():
            arrays |= StringTable.from_strings(values).to_arrays(f"{prefix}.{name}")
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Corrections:
        """The corrections `to_arrays` gave, checked; none if the model has none."""
        if f"{prefix}.spans" not in arrays:
            return cls()
        flat = require(arrays, f"{prefix}.spans", np.int64)
        tables = [StringTable.from_arrays(arrays, f"{prefix}.{name}") for name in ("texts", "entities", "langs")]
        n = len(tables[1])
        check_length(f"{prefix}.spans", flat, 5 * n)
        columns = flat.reshape(-1, 5)
        check_range(f"{prefix}.spans", columns[:, 0], 0, max(1, len(tables[0])))
        check_range(f"{prefix}.spans", columns[:, 3], 0, len(VERDICTS))
        texts, entities, langs = (list(table) for table in tables)
        if len(langs) != n:
            raise StoreError(f"The arrays '{prefix}.*' do not fit each other. The model is damaged; build it again.")
        rows = zip(columns.tolist(), entities, langs, strict=True)
        try:
            read = [
                Correction(texts[text], start, end, VERDICTS[verdict], entity or None, lang if has_lang else None)
                for (text, start, end, verdict, has_lang), entity, lang in rows
            ]
        except ToolkitError as error:
            raise StoreError(f"A correction in '{prefix}.*' cannot be: {error}. The model is damaged.") from None
        return cls(tuple(read))


def resolved(kb: KnowledgeBase, corrections: Iterable[Correction]) -> list[Correction]:
    """The corrections with the knowledge base's own ids; an id that it lacks is an error with those that are near."""
    with_own_ids = []
    for one in corrections:
        if not isinstance(one, Correction):
            raise DataError(f"Expected Corrections, got {type(one).__name__}: {one!r:.60}.")
        own = None if one.entity is None else kb.own_id(one.entity)
        if one.entity is not None and own is None:
            near = near_ids(kb, one.entity)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise one.error(
                f"the knowledge base has no entity {one.entity!r}, which is {one.verdict!r} for {one.surface!r}.{hint} "
                'If it means nothing in the knowledge base, say "not_an_entity": true'
            )
        with_own_ids.append(one if own == one.entity else replace(one, entity=own))
    return with_own_ids


def known_to(kb: KnowledgeBase, corrections: Iterable[Correction]) -> list[Correction]:
    """Those corrections whose entity the knowledge base has, or that name none."""
    return [one for one in corrections if one.entity is None or kb.own_id(one.entity) is not None]


def rows_named(kb: KnowledgeBase, corrections: Sequence[Correction]) -> list[int]:
    """The row of the entity that each correction names."""
    rows: list[int] = kb.rows_of([one.entity or "" for one in corrections]).tolist()
    if rows and min(rows) < 0:
        raise StoreError("A stored correction names an entity that there is not. The model is damaged; build it again.")
    return rows


def _combined(before: tuple[Correction, ...], correction: Correction) -> tuple[Correction, ...]:
    """The corrections of a span after one more."""
    if correction.verdict != "wrong":
        return (
            before
            if [(one.verdict, one.entity) for one in before] == [(correction.verdict, correction.entity)]
            else (correction,)
        )
    if any(one.verdict == "not_an_entity" for one in before):
        return before
    if any(one.verdict == "gold" for one in before):
        return (correction,) if before[0].entity == correction.entity else before
    if any(one.entity == correction.entity for one in before):
        return before
    return tuple(sorted((*before, correction), key=lambda one: one.entity or ""))
