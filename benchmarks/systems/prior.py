"""Prior and alias: what a name meant most often, where somebody has counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.systems.candidate_lists import candidates_of
from deixis.errors import DataError
from deixis.features.name_set import folded
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext


class PriorNames:
    """Proposes the entities a name has meant in annotated documents, the most frequent first, then its namesakes.

    Counts of aliases in the knowledge base are added to those of the documents. Entities that nobody counted under that
    name follow, by how often they were meant by any name, the knowledge base's counts of entities among them.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q1", "title": "Paris"}])
    >>> seen = Document("d", "Paris fled.", mentions=(Mention(0, 5, "Paris", entity="Q1"),))
    >>> found = PriorNames.build(kb, [seen]).generate([MentionInContext("PARIS", "PARIS", 0, 5)], k=10)
    >>> [candidate.id for candidate in found[0]]
    ['Q1', 'Q90']
    """

    needs = "counts"

    def __init__(self, kb: KnowledgeBase, name_to_rows: dict[str, list[tuple[int, float]]]) -> None:
        self.kb = kb
        self.name_to_rows = name_to_rows

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> PriorNames:
        """Counts of the documents and of the knowledge base, by name."""
        del n_threads
        counts = _counts(kb, annotated)
        if not counts and not kb.counts.any():
            raise DataError("Neither the knowledge base nor the annotated documents count anything: there is no prior.")
        meant: Counter[int] = Counter(dict(enumerate(kb.counts.tolist())))
        for counted in counts.values():
            meant.update(counted)
        names, rows = kb.names()
        for name, row in zip(names, rows.tolist(), strict=True):
            counts.setdefault(folded(name), Counter())[row] += 0
        ranked = {}
        for name, counted in counts.items():
            used = counted if counted.total() else Counter({row: meant[row] for row in counted})
            order = sorted(counted, key=lambda row: (-used[row], -meant[row], row))  # noqa: B023 - used at once
            ranked[name] = [(row, used[row] / max(1, used.total())) for row in order]
        return cls(kb, ranked)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Where counts come from."""
        return {"names": "NFKC, case-folded", "counts": "annotated documents, or the knowledge base's"}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The entities of that name, with their share of its uses."""
        return [candidates_of(self.kb, self.name_to_rows.get(folded(mention.text), [])[:k]) for mention in mentions]


def _counts(kb: KnowledgeBase, annotated: Sequence[Document]) -> dict[str, Counter[int]]:
    """Folded name -> how often each row was meant by it."""
    counts: dict[str, Counter[int]] = {}
    for document in annotated:
        for mention in document.mentions:
            for row in known_parts(mention.entity or "", kb.row_of)[:1]:
                counts.setdefault(folded(mention.text), Counter())[row] += 1
    if kb.alias_counts.any():
        for row in range(len(kb)):
            for item in range(int(kb.alias_indptr[row]), int(kb.alias_indptr[row + 1])):
                if n := int(kb.alias_counts[item]):
                    counts.setdefault(folded(kb.aliases[item]), Counter())[row] += n
    return counts
