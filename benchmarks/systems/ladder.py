"""The thesis's ladder of name matching, rung by rung: what each step beyond the exact name brings.

All rungs are our own candidate generators, alone and zero-shot. Names of the knowledge base that tell no language are
taken to be in its only language, where it has but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.alias import AliasConfig, AliasSource
from deixis.config import config_to_dict
from deixis.features.name_forms import NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document


class CasedNames:
    """An alias table: the name as it is written (3.3).

    Examples
    --------
    >>> from deixis.types import MentionInContext
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q1", "title": "PARIS"}])
    >>> asked = [MentionInContext("PARIS", "PARIS", 0, 5)]
    >>> [candidate.id for candidate in CasedNames.build(kb).generate(asked, k=10)[0]]
    ['Q1']
    >>> len(UncasedNames.build(kb).generate(asked, k=10)[0])
    2
    """

    needs = "nothing"
    forms = NameFormsConfig(ignores_case=False)

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> AliasSource:
        """The table of all names."""
        return AliasSource.build(SourceInputs(kb, annotated, n_threads=n_threads), cls.config(only_language(kb)))

    @classmethod
    def config(cls, lang: str = "") -> AliasConfig:
        """Which names are the same; `lang` is the language of those that tell none."""
        return AliasConfig(forms=replace(cls.forms, lang=lang), acronym_weight=0.0)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """How names are compared."""
        return {"names": {name: value for name, value in config_to_dict(cls.forms).items() if value is True}}


class UncasedNames(CasedNames):
    """The same in lower case, Turkish letters among it (A.2)."""

    forms = NameFormsConfig()


class LemmaNames(CasedNames):
    """The same with a lemma for each word, by the language of the mention and of the name (3.4.1)."""

    forms = NameFormsConfig(drops_endings=True, lemmatizes=True)


class LooseNames(CasedNames):
    """The same in lower case and Latin letters, without diacritics, punctuation and endings after an apostrophe."""

    forms = NameFormsConfig(ignores_punctuation=True, ignores_diacritics=True, drops_endings=True, transliterates=True)


def only_language(kb: KnowledgeBase) -> str:
    """The language of a knowledge base that has but one; empty if it has none or several."""
    return kb.langs[0] if len(kb.langs) == 1 else ""
