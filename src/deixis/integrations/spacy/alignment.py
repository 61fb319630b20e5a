"""Linked mentions on a spaCy document's tokens: those that end inside a token, and those that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from deixis.decision.overlaps import best_apart
from deixis.types import Mention

Alignment = Literal["expand", "contract", "strict"]
Tokens = tuple[int, int]
"""The number of the first token and of the one after the last."""


def aligned(doc: Any, mentions: Iterable[Mention], alignment: Alignment) -> dict[Tokens, Mention]:  # noqa: ANN401
    """The mentions by their tokens, in the order of the text; `doc` is spaCy's.

    A mention that begins or ends inside a token grows to whole tokens ("expand"), shrinks to them ("contract"), and is
    left out where no token remains, or is left out at once ("strict"). Of several mentions that come to have the same
    tokens, a linked one stays, and of these the one with the best score.
    """
    tokens_to_mention: dict[Tokens, Mention] = {}
    for mention in mentions:
        span = doc.char_span(mention.start, mention.end, alignment_mode=alignment)
        if span is None or span.start == span.end:
            continue
        other = tokens_to_mention.get((span.start, span.end))
        if other is None or _priority(mention) > _priority(other):
            tokens_to_mention[span.start, span.end] = mention
    return dict(sorted(tokens_to_mention.items()))


def is_overlapping(mentions: Sequence[Mention]) -> bool:
    """Whether any two of these mentions, sorted by their starts, overlap."""
    return any(one.end > other.start for one, other in pairwise(mentions))


def apart(
    mentions: Mapping[Tokens, Mention], threshold: float, earlier: Iterable[Tokens] = ()
) -> dict[Tokens, Mention | None]:
    """The mentions, and the `earlier` entities of the document (None), of which no two share a token.

    Links come first, selected as by the linker: so that the sum of their scores above the `threshold` is largest. Then
    come earlier entities, then mentions that are not linked, longer ones first.

    Examples
    --------
    >>> new_york, york = Mention(0, 8, "New York", "Q60", 0.9), Mention(4, 8, "York", "Q42462", 0.4)
    >>> chosen = apart({(0, 2): new_york, (1, 2): york}, threshold=0.2, earlier=[(1, 3), (3, 4)])
    >>> {tokens: mention and mention.text for tokens, mention in chosen.items()}
    {(0, 2): 'New York', (3, 4): None}
    """
    links = {tokens: mention for tokens, mention in mentions.items() if mention.entity is not None}
    starts, ends = np.array(list(links), dtype=np.int64).reshape(-1, 2).T
    gains = np.array([max((mention.score or 0.0) - threshold, 0.0) + 1e-6 for mention in links.values()])
    is_best = best_apart(starts, ends, gains).tolist()
    chosen: dict[Tokens, Mention | None] = {
        tokens: links[tokens] for tokens, best in zip(links, is_best, strict=True) if best
    }
    taken = {token for start, end in chosen for token in range(start, end)}
    unlinked = sorted(mentions.keys() - links.keys(), key=lambda tokens: (tokens[0] - tokens[1], tokens))
    for start, end in [*earlier, *unlinked]:
        if taken.isdisjoint(range(start, end)):
            chosen[start, end] = mentions.get((start, end))
            taken.update(range(start, end))
    return dict(sorted(chosen.items()))


def _priority(mention: Mention) -> tuple[bool, float]:
    return mention.entity is not None, mention.score or 0.0
