"""How many mentions walk through the stations together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from deixis.ranking.feature import document_numbers
from deixis.types import MentionInContext

MENTIONS_AT_ONCE = 1024  # at most; each brings its context, so a book full of names must not walk as one


def portions(mentions: Sequence[MentionInContext]) -> Iterator[slice]:
    """Which mentions walk together: whole documents, and a long one in parts, whatever documents stand around it."""
    places = np.flatnonzero(np.diff(document_numbers(mentions), prepend=-1, append=-2))
    cuts = [cut for begin, end in itertools.pairwise(places.tolist()) for cut in range(begin, end, MENTIONS_AT_ONCE)]
    begin = 0
    for cut, after in itertools.pairwise([*cuts, len(mentions)]):
        if after - begin > MENTIONS_AT_ONCE and cut > begin:
            yield slice(begin, cut)
            begin = cut
    if mentions:
        yield slice(begin, len(mentions))
