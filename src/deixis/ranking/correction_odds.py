"""What corrections say of a name in other texts: evidence in proportion to how similar the texts around it are.

For another mention of the same name a correction counts 1 in the same text, or in one whose similarity is at least
`FULL_SIMILARITY`, 0 in one that shares no word with it, and in between in proportion. If those that say that an entity
is meant count `r` in all, and those that say it is not `w`, it gets `STRENGTH * log2((1 + r) / (1 + w))` log odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.features.entity_words import EntityWords
from deixis.features.name_set import folded
from deixis.features.similar_texts import SimilarTexts
from deixis.ranking.feature import surroundings
from deixis.tables import CandidateTable
from deixis.types import MentionInContext

STRENGTH = 8.0  # log odds of one correction that counts 1, and of every doubling after it
FULL_SIMILARITY = 0.1  # similarity from which on it counts 1
WINDOW = 1000  # characters of text around a mention


@dataclass(frozen=True, eq=False)
class CorrectedPairs:
    """Corrected mentions, and the row of the entity that each was said to mean or not to mean.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "city on the river Seine"}])
    >>> words = EntityWords.build(*kb.names(), kb.description_texts())
    >>> text = "Paris lies on the river."
    >>> pairs = CorrectedPairs(words, [MentionInContext("Paris", text, 0, 5)], np.array([0]), np.array([True]))
    >>> others = [MentionInContext("PARIS", each, 0, 5) for each in (text, "PARIS: the river", "PARIS: a prince")]
    >>> pairs.log_odds(others, CandidateTable(np.array([0, 1, 2, 3]), np.array([0, 0, 0]), {})).round(1).tolist()
    [8.0, 8.0, 0.0]
    """

    words: EntityWords | None = None
    mentions: Sequence[MentionInContext] = ()
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    is_right: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def log_odds(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float64]:
        """What to add to the log odds of each candidate."""
        log_odds = np.zeros(len(table.rows))
        if self.words is None:
            return log_odds
        names = [folded(mention.text) for mention in mentions]
        corrected = [number for number, name in enumerate(names) if name in self._numbers_of]
        texts = [surroundings(mentions[number], WINDOW) for number in corrected]
        own_numbers = [self._numbers_of[names[number]] for number in corrected]
        similarities = self._contexts.similarities(texts, own_numbers)
        for number, own, similarity in zip(corrected, own_numbers, similarities, strict=True):
            text = mentions[number].document_text
            is_same_text = np.array([self.mentions[each].document_text == text for each in own])
            counts = np.where(is_same_text, 1.0, np.minimum(similarity / FULL_SIMILARITY, 1.0))
            candidates = slice(int(table.starts[number]), int(table.starts[number + 1]))
            counts_by_candidate = (table.rows[candidates, None] == self.rows[own]) * counts
            right, wrong = (
                counts_by_candidate[:, kind].sum(axis=1) for kind in (self.is_right[own], ~self.is_right[own])
            )
            log_odds[candidates] = STRENGTH * np.log2((1 + right) / (1 + wrong))
        return log_odds

    @cached_property
    def _numbers_of(self) -> dict[str, list[int]]:
        """The numbers of the corrected mentions of each name."""
        numbers: dict[str, list[int]] = {}
        for number, mention in enumerate(self.mentions):
            numbers.setdefault(folded(mention.text), []).append(number)
        return numbers

    @cached_property
    def _contexts(self) -> SimilarTexts:
        """The texts around the corrected mentions."""
        assert self.words is not None  # only used where there are corrections
        return SimilarTexts(self.words, [surroundings(mention, WINDOW) for mention in self.mentions])
