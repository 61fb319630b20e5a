"""How many candidates of a decided mention are shown: some of those it was decided by, or others behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deixis.types import Candidate, Mention


def cut(mention: Mention, top_k: int) -> Mention:
    """The mention as it was decided, with its first `top_k` candidates.

    Examples
    --------
    >>> paris = Mention(0, 5, "Paris", "Q90", 0.6, candidates=(Candidate("Q90", 0.6), Candidate("Q167646", 0.3)))
    >>> [candidate.id for candidate in cut(paris, 1).candidates]
    ['Q90']
    """
    return mention if len(mention.candidates) <= top_k else replace(mention, candidates=mention.candidates[:top_k])


def extended(mention: Mention, ranked: Sequence[Candidate], top_k: int) -> Mention:
    """The mention as it was decided, with `top_k` candidates: behind its own come others, in the ranker's order.

    Their scores go on from that of the last of its own, in the ranker's proportions.

    Examples
    --------
    >>> paris = Mention(0, 5, "Paris", "Q90", 0.6, candidates=(Candidate("Q90", 0.6),))
    >>> extended(paris, [Candidate("Q90", 0.4), Candidate("Q167646", 0.2)], 2).candidates[1].score
    0.3
    """
    own = {candidate.id for candidate in mention.candidates}
    if not own or len(own) >= top_k:
        return cut(mention, top_k)
    last = mention.candidates[-1]
    raw = next((candidate.score for candidate in ranked if candidate.id == last.id), 0.0)
    scale = last.score / raw if raw > 0 else 1.0
    others = [
        replace(candidate, score=min(last.score, candidate.score * scale))
        for candidate in ranked
        if candidate.id not in own
    ]
    return replace(mention, candidates=(*mention.candidates, *others[: top_k - len(own)]))
