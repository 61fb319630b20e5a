"""Names added to a list since its detector was built, and names that nothing on it has any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.name_facts import FACTS, NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.spans import Sign, SpanTable
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.row_parts import ColumnParts, column_parts
from deixis.store.strings import StringTable
from deixis.tables import EntityMask

NAME_SIGNS = Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_LOWER | Sign.LISTED_CAPITALS
GONE, ALIAS, TITLE = -1, 0, 1
"""What a name is of: no entity, some entity that has it as an alias, or one that has it as its title."""


@dataclass(frozen=True, eq=False)
class AddedNames:
    """The names of entities that were added together: `rows` are the entities that have them, titles first.

    `kinds` are what each of the matcher's numbers is of. Names of removed entities are not in it: a word of theirs
    would still be known where misspelt ones are looked for.
    """

    names: StringTable
    rows: NDArray[np.int32]
    is_live: EntityMask
    matcher: NameMatcher
    kinds: NDArray[np.int8]

    @classmethod
    def of(cls, kb: KnowledgeBase, config: DictionaryConfig | None = None) -> AddedNames:
        """The names of all entities of `kb`."""
        return cls._of_live(*kb.names(), np.ones(len(kb), dtype=bool), config)

    def of_live(self, is_live: EntityMask, config: DictionaryConfig | None = None) -> AddedNames:
        """The same, where only some of the entities count."""
        if np.array_equal(is_live, self.is_live):
            return self
        return self._of_live(self.names, self.rows, is_live, config)

    @classmethod
    def _of_live(
        cls, names: StringTable, rows: NDArray[np.int32], is_live: EntityMask, config: DictionaryConfig | None
    ) -> AddedNames:
        chosen = np.flatnonzero(is_live[rows])
        live_names = names.take(chosen)
        matcher = NameMatcher.build(live_names, config)
        numbers, is_title = matcher.numbers(live_names, 1), chosen < len(is_live)
        kinds = np.full(matcher.n_numbers, GONE, dtype=np.int8)
        kinds[numbers[numbers >= 0]] = ALIAS
        kinds[numbers[is_title & (numbers >= 0)]] = TITLE
        return cls(names, rows, is_live, matcher, kinds)


@dataclass(frozen=True, eq=False)
class DoubtfulNames:
    """Names of built entities that were removed or edited, by their number, rising; others may have them, too.

    `is_known` says which of some names entities have now, `names_of` gives those of an entity.
    """

    numbers: NDArray[np.int32]
    rows: NDArray[np.int64]
    names_of: Callable[[int], list[str]]
    is_known: Callable[[list[str]], NDArray[np.bool_]]
    number_of: Callable[[list[str]], NDArray[np.int32]]

    @cached_property
    def _answers(self) -> dict[int, bool]:
        return {}

    def gone(self, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these numbers are names that no entity has any more."""
        firsts, ends = (np.searchsorted(self.numbers, numbers, side) for side in ("left", "right"))
        is_gone = np.zeros(len(numbers), dtype=bool)
        for position in np.flatnonzero((ends > firsts) & (numbers >= 0)).tolist():
            number = int(numbers[position])
            if number not in self._answers:
                self._answers[number] = self._is_gone(number, self.rows[firsts[position] : ends[position]])
            is_gone[position] = self._answers[number]
        return is_gone

    def _is_gone(self, number: int, rows: NDArray[np.int64]) -> bool:
        names = list(dict.fromkeys(name for row in rows.tolist() for name in self.names_of(row)))
        own = [name for name, each in zip(names, self.number_of(names).tolist(), strict=True) if each == number]
        return not self.is_known(own).all()


@dataclass(frozen=True, eq=False)
class NameEdits:
    """Names of added entities, in one or several parts, and built names that may be those of removed entities only.

    Added names have two numbers after those of the names before: of aliases, and of titles.

    Examples
    --------
    >>> text = "From Troy to Ilium"
    >>> names = NameMatcher.build(["Troy"])
    >>> added = AddedNames.of(KnowledgeBase.from_records([{"id": "t", "title": "Ilium"}]))
    >>> table = NameEdits((added,)).applied(names.spans([text]), [text], names.n_numbers)
    >>> [(text[start:end], name) for start, end, name in zip(table.starts, table.ends, table.names.tolist())]
    [('Troy', 0), ('Ilium', 2)]
    """

    added: tuple[AddedNames, ...] = ()
    doubtful: DoubtfulNames | None = field(default=None)

    def applied(self, table: SpanTable, texts: Sequence[str], n_numbers: int, n_threads: int = 0) -> SpanTable:
        """The spans of built names, of which there are `n_numbers`, without removed names and with added ones."""
        if self.doubtful is not None and len(self.doubtful.numbers):
            table = _without(table, self.doubtful.gone(table.names))
        added = _spans(self.added, texts, n_numbers, n_threads)
        if not len(added):
            return table
        table = table.merged(added)
        return _within_longer(table, table.take(table.names >= 0))


def extended_facts(facts: NameFacts) -> NameFacts:
    """The facts of names, and after them of added aliases and titles: nothing but which are titles is known of them."""
    table = np.zeros((2, len(FACTS)), dtype=np.float16)
    table[TITLE, FACTS.index("is_title")] = 1
    return replace(facts, table=ColumnParts([*column_parts(facts.table), table]))  # type: ignore[arg-type]


def _spans(added: Sequence[AddedNames], texts: Sequence[str], n_numbers: int, n_threads: int) -> SpanTable:
    """The spans of added names: those that are written as the names are, and where there is none those misspelt."""
    tables = []
    for each in added:
        spans = each.matcher.spans(texts, n_threads)
        kinds = each.kinds[spans.names]
        signs = spans.signs & ~np.uint32(Sign.IN_LONGER_NAME)  # the longer one may be gone; what covers is seen later
        spans = replace(spans, names=n_numbers + kinds.astype(np.int32), signs=signs).take(kinds != GONE)
        if len(spans):
            tables.append(spans)
    if not tables:
        return SpanTable.of_spans([[] for _ in texts], texts, Sign.NAME)
    is_misspelt = [spans.has(Sign.MISSPELT) for spans in tables]
    exact = _merged([spans.take(~each) for spans, each in zip(tables, is_misspelt, strict=True)], n_numbers)
    misspelt = _merged([spans.take(each) for spans, each in zip(tables, is_misspelt, strict=True)], n_numbers)
    positions = set(exact.positions())
    is_new = np.array([position not in positions for position in misspelt.positions()], dtype=bool)
    return exact.merged(misspelt.take(is_new))


def _merged(tables: Sequence[SpanTable], n_numbers: int) -> SpanTable:
    """The spans of all tables; of the same spans that of a title comes first."""
    titles = [each.take(each.names == n_numbers + TITLE) for each in tables]
    aliases = [each.take(each.names == n_numbers + ALIAS) for each in tables]
    first, *others = (*titles, *aliases)
    for each in others:
        first = first.merged(each)
    return first


def _without(table: SpanTable, is_removed: NDArray[np.bool_]) -> SpanTable:
    """The spans, those of removed names only where capitals alone make them worth considering."""
    if not is_removed.any():
        return table
    signs = np.where(is_removed, table.signs & ~np.uint32(NAME_SIGNS), table.signs)
    table = replace(table, names=np.where(is_removed, -1, table.names).astype(np.int32), signs=signs)
    return table.take(~is_removed | table.has(Sign.TITLE_CASE | Sign.CAPITALS))


def _within_longer(table: SpanTable, longer: SpanTable) -> SpanTable:
    """The spans, with a sign on those that one of the `longer` names covers."""
    bases = np.int64(1 << 32)
    begins, ends = longer.texts * bases + longer.starts, longer.texts * bases + longer.ends
    order = np.argsort(begins, kind="stable")
    reached = np.maximum.accumulate(ends[order])  # the furthest end of any name that begins so far
    starts = table.texts * bases + table.starts
    positions = np.searchsorted(begins[order], starts, side="right") - 1
    own_ends = table.texts * bases + table.ends
    is_covered = (positions >= 0) & (reached[np.maximum(positions, 0)] >= own_ends)
    # A span is not covered by itself: one that begins where it does must end later.
    begins_earlier = np.searchsorted(begins[order], starts, side="left") - 1
    is_earlier = (begins_earlier >= 0) & (reached[np.maximum(begins_earlier, 0)] >= own_ends)
    is_covered &= is_earlier | (reached[np.maximum(positions, 0)] > own_ends)
    return replace(table, signs=np.where(is_covered, table.signs | np.uint32(Sign.IN_LONGER_NAME), table.signs))
