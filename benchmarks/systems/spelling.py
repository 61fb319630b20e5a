"""The ladder's rungs that compare spellings: names most like the mention by normalised Indel distance (3.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.systems.ladder import LooseNames, only_language
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.spelling import SpellingConfig, SpellingSource
from deixis.config import config_to_dict
from deixis.features.name_forms import NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document


class SimilarNames:
    """Names spelled like the mention, with the library's default settings.

    Examples
    --------
    >>> from deixis.types import MentionInContext
    >>> kb = KnowledgeBase.from_records([{"id": "Q649", "title": "Moskva"}, {"id": "Q2280", "title": "Minsk"}])
    >>> asked = [MentionInContext("Moskve", "Moskve", 0, 6)]
    >>> [candidate.id for candidate in SimilarNames.build(kb).generate(asked, k=10)[0]]
    ['Q649']
    """

    needs = "nothing"
    forms: NameFormsConfig = NameFormsConfig.loose()

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> SpellingSource:
        """The index of all names."""
        config = SpellingConfig(forms=replace(cls.forms, lang=only_language(kb)))
        return SpellingSource.build(SourceInputs(kb, annotated, n_threads=n_threads), config)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """How names are compared, and from what similarity up."""
        config = config_to_dict(SpellingConfig())
        names = {name: value for name, value in config_to_dict(cls.forms).items() if value is True}
        return {"names": names} | {name: value for name, value in config.items() if name not in ("forms", "k")}


class SimilarLooseNames(SimilarNames):
    """The same in Latin letters."""

    forms = LooseNames.forms
