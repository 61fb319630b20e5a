"""What counts as right: gold ids, alternatives and composites, seen through the knowledge base's own ids."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Resolve = Callable[[str], str | None]
"""A gold id -> the knowledge base's id for the same thing, or None if it has none."""

_MESH_PREFIX = "MESH:"
# No other vocabulary has ids of this shape; UMLS' (C0027051) have seven digits.
_MESH = re.compile(rf"(?:{_MESH_PREFIX})?([CD][0-9]{{6}}(?:[0-9]{{3}})?)", re.IGNORECASE)


def acceptable_ids(gold: str, resolve: Resolve | None) -> frozenset[str]:
    """The knowledge base's ids that answer a mention annotated with `gold`; empty if it has none of them.

    `|` joins alternatives and `+` the parts of a composite: any of them is right. An id that the knowledge base holds
    as it stands is never taken apart (`C++`, `Google+`). Without a knowledge base to ask, the whole and each part count
    as known; an id with nothing before or after its `+` is left whole. An id of MeSH is the same with and without
    `MESH:` before it: knowledge bases and corpora do not agree on that.

    Examples
    --------
    >>> known = {"D003907", "C467567", "C++"}
    >>> resolve = lambda name: name if name in known else None
    >>> sorted(acceptable_ids("C467567|D003907", resolve)), sorted(acceptable_ids("C++", resolve))
    (['C467567', 'D003907'], ['C++'])
    >>> acceptable_ids("D000001", resolve)
    frozenset()
    >>> sorted(acceptable_ids("D1|D2", None)), sorted(acceptable_ids("C++", None))
    (['D1', 'D1|D2', 'D2'], ['C++'])
    """
    if resolve is None:
        return frozenset(_every_part(gold))
    return frozenset(known_parts(gold, resolve))


def _every_part(gold: str) -> Iterator[str]:
    yield from _spellings(gold)
    for alternative in filter(None, map(str.strip, gold.split("|"))):
        yield from _spellings(alternative)
        parts = [part.strip() for part in alternative.split("+")]
        if all(parts):
            yield from itertools.chain.from_iterable(map(_spellings, parts))


def known_parts(gold: str, resolve: Callable[[str], T | None]) -> list[T]:
    """What `resolve` knows of a gold id: the whole of it, or else its parts, in order, each once.

    Examples
    --------
    >>> known_parts("B|A|Z+B", {"A": 0, "B": 1}.get)
    [1, 0]
    """
    return list(dict.fromkeys(_known(gold, resolve, "|+")))


def _known(gold: str, resolve: Callable[[str], T | None], joints: str) -> Iterator[T]:
    whole = next((known for name in _spellings(gold) if (known := resolve(name)) is not None), None)
    if whole is not None:
        yield whole
    elif joints:
        for part in gold.split(joints[0]):
            yield from _known(part, resolve, joints[1:])


def is_gold(
    numbers: NDArray[np.integer], rows: NDArray[np.integer], gold: Sequence[Sequence[int]]
) -> NDArray[np.bool_]:
    """Whether the entity `rows[i]` answers the mention `numbers[i]`: it is one of its gold rows, whichever.

    Examples
    --------
    >>> is_gold(np.array([0, 0, 0, 1]), np.array([5, 3, 4, 5]), [[3, 5], [4]]).tolist()
    [True, True, False, False]
    """
    pairs = [(number, row) for number, right in enumerate(gold) for row in right]
    of_gold = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    width = 1 + max(rows.max(initial=0), of_gold[:, 1].max(initial=0))
    return np.isin(numbers.astype(np.int64) * width + rows, of_gold[:, 0] * width + of_gold[:, 1])


def _spellings(name: str) -> Iterator[str]:
    """The id as it stands, then how else the same id is written."""
    yield name.strip()
    found = _MESH.fullmatch(name.strip())
    if found is not None:
        yield from (found[1], _MESH_PREFIX + found[1])
