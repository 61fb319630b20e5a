"""Rows of a knowledge base with scores -> lists of candidates."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate


def candidates_of(kb: KnowledgeBase, scored: Iterable[tuple[int, float]]) -> list[Candidate]:
    """The entities of these rows as candidates, in the same order."""
    pairs = list(scored)
    rows = [row for row, _ in pairs]
    named = zip(kb.ids.strings(rows), kb.titles.strings(rows), pairs, strict=True)
    return [Candidate(name, score, title) for name, title, (_, score) in named]


def folded(name: str) -> str:
    """A name without what spelling may vary in: NFKC, case folding, runs of white space.

    Examples
    --------
    >>> folded("  Straße\u00a0 42 ") == folded("STRASSE 42")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())
