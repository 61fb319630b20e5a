"""Names added to a list since its detector was built, and names that nothing on it has any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from deixis.detection.name_facts import FACTS, NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.spans import Sign, SpanTable
from deixis.store.row_parts import ColumnParts, column_parts
from deixis.store.strings import StringTable

NAME_SIGNS = Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_LOWER | Sign.LISTED_CAPITALS


@dataclass(frozen=True, eq=False)
class NameEdits:
    """Matchers of added names, and the numbers of built names that only removed entities had.

    The numbers of added names come after those of the names before.

    Examples
    --------
    >>> text = "From Troy to Ilium"
    >>> names = NameMatcher.build(["Troy"])
    >>> gone = names.numbers(StringTable.from_strings(["Troy"]))
    >>> table = NameEdits((NameMatcher.build(["Ilium"]),), gone).applied(names.spans([text]), [text], names.n_numbers)
    >>> [text[start:end] for start, end, name in zip(table.starts, table.ends, table.names) if name >= 0]
    ['Ilium']
    """

    added: tuple[NameMatcher, ...] = ()
    removed: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def applied(self, table: SpanTable, texts: Sequence[str], n_numbers: int, n_threads: int = 0) -> SpanTable:
        """The spans of built names, of which there are `n_numbers`, without removed names and with added ones."""
        if len(self.removed):
            table = _without(table, np.isin(table.names, self.removed))
        for matcher in self.added:
            spans = matcher.spans(texts, n_threads)
            if len(spans):
                shifted = replace(spans, names=(spans.names + np.int32(n_numbers)).astype(np.int32))
                table = _within_longer(table.merged(shifted), shifted)
            n_numbers += matcher.n_numbers
        return table


def extended_facts(facts: NameFacts, matcher: NameMatcher, titles: StringTable) -> NameFacts:
    """The facts of names, those of a further matcher after them: nothing but which of them are titles is known."""
    table = np.zeros((matcher.n_numbers, len(FACTS)), dtype=np.float16)
    numbers = matcher.numbers(titles, 1)
    table[numbers[numbers >= 0], FACTS.index("is_title")] = 1
    return replace(facts, table=ColumnParts([*column_parts(facts.table), table]))  # type: ignore[arg-type]


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
