"""Exact match: the entities of which the mention is a title or an alias, whatever its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.systems.candidate_lists import candidates_of
from deixis.features.name_set import folded
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext


class ExactNames:
    """Proposes entities by title first, then by alias; among equals the more popular, then the earlier one.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris"}, {"id": "Q1", "title": "Alexandros", "aliases": ["PARIS"]},
    ... ])
    >>> found = ExactNames.build(kb).generate([MentionInContext("paris", "paris", 0, 5)], k=10)
    >>> [candidate.id for candidate in found[0]]
    ['Q90', 'Q1']
    """

    needs = "nothing"

    def __init__(self, kb: KnowledgeBase, name_to_rows: dict[str, list[int]]) -> None:
        self.kb = kb
        self.name_to_rows = name_to_rows

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> ExactNames:
        """A dictionary of all names."""
        del annotated, n_threads
        names, rows = kb.names()
        name_to_rows: dict[str, list[int]] = {}
        # Titles come before aliases in `names`; a stable sort by count keeps that order among the equally popular.
        n_titles, counts = len(kb), kb.counts
        order = [*sorted(range(n_titles), key=lambda item: -counts[item]), *range(n_titles, len(rows))]
        for item in order:
            listed = name_to_rows.setdefault(folded(names[item]), [])
            if (row := int(rows[item])) not in listed:
                listed.append(row)
        return cls(kb, name_to_rows)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """What is done to names before they are compared."""
        return {"names": "NFKC, case-folded"}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The entities of that name; scores fall with the place."""
        return [self._candidates(self.name_to_rows.get(folded(mention.text), [])[:k]) for mention in mentions]

    def _candidates(self, rows: list[int]) -> list[Candidate]:
        return candidates_of(self.kb, ((row, 1 / place) for place, row in enumerate(rows, start=1)))
