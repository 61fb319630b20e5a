"""Corrections held to the letter: in the very text that was corrected, the spans that were corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrections import Corrections
from deixis.nearest.mask_cache import Mask
from deixis.types import Candidate, Document, Mention, MentionInContext


@dataclass(frozen=True, eq=False)
class Remembered:
    """What was said about spans of texts, for when the same texts come again; `allowed` entities only, if given.

    Examples
    --------
    >>> from deixis.documents.corrections import Correction
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q167646", "title": "Paris"}])
    >>> told = Corrections().merged([Correction("Paris fled", 0, 5, "wrong", "Q90")]).corrections
    >>> paris = MentionInContext("Paris", "Paris fled", 0, 5)
    >>> listed = [Candidate("Q90", 0.7), Candidate("Q167646", 0.3)]
    >>> [candidate.id for candidate in Remembered(kb, told).candidates(paris, listed)]
    ['Q167646']
    """

    kb: KnowledgeBase
    corrections: Corrections
    allowed: Mask | None = None

    def revised(self, mentions: Sequence[MentionInContext], ranked: list[list[Candidate]]) -> list[list[Candidate]]:
        """The lists with what is right alone, or without what is wrong, where the mentions were corrected."""
        if not self.corrections.each:
            return ranked
        return [self.candidates(*each) for each in zip(mentions, ranked, strict=True)]

    def candidates(self, mention: MentionInContext, listed: list[Candidate]) -> list[Candidate]:
        """The candidates of one mention: only the right one, or none that is wrong, or none at all."""
        told = self.corrections.by_key.get((mention.document_text, mention.start, mention.end), ())
        if not told:
            return listed
        if told[0].verdict == "wrong":
            wrong = {one.entity for one in told}
            return [candidate for candidate in listed if candidate.id not in wrong]
        row = None if told[0].entity is None else self.kb.row_of(told[0].entity)
        if row is None or (self.allowed is not None and not self.allowed[row]):
            return []
        return [Candidate(self.kb.ids[row], 1.0, self.kb.title(row))]

    def held_to(self, document: Document, may_overlap: bool = False) -> Document:
        """The document with mentions found in it, those that were corrected added, and no others in their place."""
        told = self.corrections.by_text.get(document.text, ())
        if not told:
            return document
        right, settled = [], set()
        for one in told:
            if one.verdict == "wrong":
                continue
            settled.add((one.start, one.end))
            span = MentionInContext(one.surface, document.text, one.start, one.end)
            listed = self.candidates(span, [])
            if listed:
                link = Mention(one.start, one.end, one.surface, listed[0].id, listed[0].score, False, tuple(listed))
                right.append(link)
        kept = [mention for mention in document.mentions if (mention.start, mention.end) not in settled]
        if not may_overlap:
            kept = [each for each in kept if not any(each.start < one.end and one.start < each.end for one in right)]
        mentions = sorted([*kept, *right], key=lambda mention: (mention.start, mention.end))
        return replace(document, mentions=tuple(mentions))
