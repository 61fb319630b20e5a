"""The ladder's rungs that compare vectors of names (3.4.3, OLPEAT) or of titles alone (6.6.1, the label baseline)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.encoders.config import EncoderConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document


class EmbeddedNames:
    """All names as vectors, by the library's default encoder, searched exactly.

    Examples
    --------
    >>> from deixis.types import MentionInContext
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q4666", "title": "Sean Connery"}])
    >>> asked = [MentionInContext("Conery", "Conery", 0, 6)]
    >>> [candidate.id for candidate in EmbeddedNames.build(kb).generate(asked, k=1)[0]]
    ['Q4666']
    """

    needs = "nothing"
    config = NameVectorConfig()

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> NameVectorSource:
        """The index of the vectors."""
        return NameVectorSource.build(SourceInputs(kb, annotated, n_threads=n_threads), cls.config)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Whose vectors they are, and of what."""
        config = cls.config
        return {"encoder": config.encoder.name, "titles_only": config.titles_only, "index": config.index}


class EmbeddedTitles(EmbeddedNames):
    """Titles alone."""

    config = NameVectorConfig(titles_only=True)


class EmbeddedByMiniLm(EmbeddedNames):
    """All names, by a sentence encoder that was trained elsewhere (extra `minilm`)."""

    config = NameVectorConfig(encoder=EncoderConfig(name="minilm"))
