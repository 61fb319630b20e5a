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
LONGEST_CHAIN = 4  # times as many, of spans that overlap one another: only one name, repeated, makes such a chain


def batches(spans: Spans, is_given: bool) -> Iterator[Spans]:
    """The spans of whole documents together; a long document in parts, cut where no detected span is cut.

    What goes together does not depend on the documents around it. Given mentions may overlap all over a text, so that
    one of them may be cut off from another that it overlaps. Where a very long chain of detected spans has to be cut,
    those across the cut are left out.
    """
    if 0 < len(spans) <= SPANS_AT_ONCE:
        yield spans
        return
    begin = 0
    while begin < len(spans):
        end = min(begin + SPANS_AT_ONCE, len(spans))
        is_cut = False
        if end < len(spans):
            first = int(np.searchsorted(spans.documents, spans.documents[end]))
            if first > begin:
                end = first
            elif not is_given:
                end, is_cut = _cut(spans, begin, end, int(np.searchsorted(spans.documents, spans.documents[end] + 1)))
        part = spans.take(slice(begin, end))
        yield part.take(part.ends <= spans.starts[end]) if is_cut else part
        begin = end


def _cut(spans: Spans, begin: int, wished: int, last: int) -> tuple[int, bool]:
    """The last position up to the one wished where no span is cut, or else the first one after it, if it is near.

    If it is not, where spans are cut, and True.
    """
    longest = begin + LONGEST_CHAIN * SPANS_AT_ONCE
    for stop in (wished + 1, min(longest + 1, last)):
        reached = np.maximum.accumulate(spans.ends[begin:stop])
        positions = begin + 1 + np.flatnonzero(spans.starts[begin + 1 : stop] >= reached[:-1])
        if len(positions):
            return int(positions[-1] if stop == wished + 1 else positions[0]), False
    if last <= longest:
        return last, False
    return max(begin + 1, int(np.searchsorted(spans.starts[begin:last], spans.starts[longest])) + begin), True


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
