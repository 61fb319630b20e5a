"""How many spans go through the pipeline together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from deixis.ranking.feature import document_numbers
from deixis.tables import Spans
from deixis.types import MentionInContext

T = TypeVar("T")
SPANS_AT_ONCE = 1024  # at most; each brings its context, so a book full of names must not go through as one


def batches(spans: Spans, is_given: bool) -> Iterator[Spans]:
    """The spans of whole documents together; a long document in parts, cut where no detected span is cut.

    What goes together does not depend on the documents around it. Given mentions may overlap all over a text, so that
    one of them may be cut off from another that it overlaps.
    """
    begin = 0
    while begin < len(spans):
        end = min(begin + SPANS_AT_ONCE, len(spans))
        if end < len(spans):
            first = int(np.searchsorted(spans.documents, spans.documents[end]))
            if first > begin:
                end = first
            elif not is_given:
                end = _cut(spans, begin, end, int(np.searchsorted(spans.documents, spans.documents[end] + 1)))
        yield spans.take(slice(begin, end))
        begin = end


def _cut(spans: Spans, begin: int, wished: int, last: int) -> int:
    """The last position up to the one wished where no span is cut, or else the first one after it."""
    reached = np.maximum.accumulate(spans.ends[begin:last])
    positions = begin + 1 + np.flatnonzero(spans.starts[begin + 1 : last] >= reached[:-1])
    earlier = positions[positions <= wished]
    if len(earlier):
        return int(earlier[-1])
    return int(positions[0]) if len(positions) else last


def mention_batches(mentions: Sequence[MentionInContext]) -> Iterator[slice]:
    """Which mentions are ranked together where only their order is known: as `batches` has given mentions."""
    borders = np.flatnonzero(np.diff(document_numbers(mentions), prepend=-1, append=-2))
    cuts = [cut for begin, end in itertools.pairwise(borders.tolist()) for cut in range(begin, end, SPANS_AT_ONCE)]
    begin = 0
    for cut, after in itertools.pairwise([*cuts, len(mentions)]):
        if after - begin > SPANS_AT_ONCE and cut > begin:
            yield slice(begin, cut)
            begin = cut
    if mentions:
        yield slice(begin, len(mentions))


def in_lists(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last one shorter.

    Examples
    --------
    >>> [len(each) for each in in_lists(range(5), size=2)]
    [2, 2, 1]
    """
    iterator = iter(items)
    while some := list(itertools.islice(iterator, size)):
        yield some
