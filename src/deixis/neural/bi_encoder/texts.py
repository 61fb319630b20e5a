"""What a bi-encoder reads: a window around a mention, and an entity's title and text, both with the name marked.

Needs no torch. After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import MARKER
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.windows import TokenWindows
from deixis.types import MentionInContext


@dataclass(frozen=True)
class BiTexts:
    """Makes texts of at most `n_tokens` tokens, those that a model puts around a text not counted.

    Examples
    --------
    >>> from tokenizers import Tokenizer, models, pre_tokenizers
    >>> words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    >>> words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    >>> kb = KnowledgeBase.from_records([{"id": "Q1", "title": "Paris", "description": "son of Priam, king of Troy"}])
    >>> BiTexts(TokenWindows(words), n_tokens=6).of_entities(kb)[0]
    ['[M] Paris [M] son of Priam,']
    """

    windows: TokenWindows
    n_tokens: int = 64
    marker: str = MARKER

    def of_mentions(self, mentions: Sequence[MentionInContext]) -> list[str]:
        """The text around each mention; one that has no room in a window is an error."""
        return self.windows.around(mentions, self.n_tokens, self.marker)

    def of_mentions_alone(self, mentions: Sequence[MentionInContext]) -> list[str]:
        """Each mention without its context."""
        alone = [MentionInContext(m.text, m.text, 0, len(m.text), document_id=m.document_id) for m in mentions]
        return self.of_mentions(alone)

    def of_entities(
        self, kb: KnowledgeBase, rows: NDArray[np.integer] | None = None
    ) -> tuple[list[str], NDArray[np.int32]]:
        """Title and text of each entity, or of those in `rows`, and the row each text belongs to.

        An entity has one text for each of its descriptions (one in each language, say); without any, its title alone.
        """
        chosen = range(len(kb)) if rows is None else rows.tolist()
        described = [(row, text) for row in chosen for text in _descriptions(kb, row)]
        texts = self.of_titled([(kb.titles[row], text) for row, text in described])
        return texts, np.array([row for row, _ in described], dtype=np.int32)

    def of_titled(self, parts: list[tuple[str, str]]) -> list[str]:
        """Titles, marked, each with the text that follows it, as far as there is room."""
        return self.of_mentions(self._titled(parts))

    def _titled(self, parts: list[tuple[str, str]]) -> list[MentionInContext]:
        """Titles as mentions in the text `title text`; a title that has no room is cut."""
        names = self.windows.fitting([title for title, _ in parts], self.n_tokens, self.marker)
        return [
            MentionInContext(name, f"{name} {text}", 0, len(name)) for name, (_, text) in zip(names, parts, strict=True)
        ]


def _descriptions(kb: KnowledgeBase, row: int) -> list[str]:
    """The descriptions of an entity, or an empty one."""
    begin, end = kb.description_indptr[row : row + 2].tolist()
    return [kb.descriptions[item] for item in range(begin, end)] or [""]
