"""What counts as right: gold ids, alternatives and composites, seen through the knowledge base's own ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
Resolve = Callable[[str], str | None]
"""A gold id -> the knowledge base's id for the same thing, or None if it has none."""


def acceptable_ids(gold: str, resolve: Resolve | None) -> frozenset[str]:
    """The knowledge base's ids that answer a mention annotated with `gold`; empty if it has none of them.

    `|` joins alternatives and `+` the parts of a composite: any of them is right. An id that the knowledge base holds
    as it stands is never taken apart (`C++`, `Google+`). Without a knowledge base to ask, the whole and each part count
    as known; an id with nothing before or after its `+` is left whole.

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
    yield gold.strip()
    for alternative in filter(None, map(str.strip, gold.split("|"))):
        yield alternative
        parts = [part.strip() for part in alternative.split("+")]
        if all(parts):
            yield from parts


def known_parts(gold: str, resolve: Callable[[str], T | None], joints: str = "|+") -> Iterator[T]:
    """What `resolve` knows of a gold id: the whole of it, or else its parts, in order."""
    whole = resolve(gold.strip())
    if whole is not None:
        yield whole
    elif joints:
        for part in gold.split(joints[0]):
            yield from known_parts(part, resolve, joints[1:])
