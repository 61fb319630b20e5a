"""Comparable keys of names: two names with equal keys count as the same name. What is ignored can be switched.

A key always has compatible characters made one (NFKC), invisible ones dropped and single spaces. Then, as asked: word
endings and lemmas go by the name's language, other scripts are written in Latin letters, and the compiled core ignores
case, punctuation and diacritics. Alias tables and string similarity both take their keys from here.

The letters i: Turkish and Azeri have a dotted and a dotless one, each with its capital, so lower-casing without the
language tears İstanbul from istanbul or joins I to the wrong letter (the thesis loses nine points on Turkish by it).
Names in a knowledge base often have no language, so by default all four letters are one, whatever the language. With
`keeps_dotless_i` the language decides: I is the capital of ı in Turkish and Azeri, and of i elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import DataError
from deixis.features.name_rewriting import lemmatized, transliterated, without_endings
from deixis.native import _core
from deixis.store.strings import StringTable
from deixis.types import base_language

TURKIC = frozenset({"tr", "az", "crh", "gag"})  # written with a dotted and a dotless i

Langs = str | None | Sequence[str | None]
_NONE_TURKIC = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True)
class NameFormsConfig(Config):
    """Which differences between two names do not count."""

    ignores_case: bool = setting(True, "Upper and lower case are the same.")
    keeps_dotless_i: bool = setting(
        False, "Tell the Turkish and Azeri ı from i; I is then read by the name's language."
    )
    ignores_punctuation: bool = setting(False, "Punctuation does not count: U.N. is UN, Jean-Paul is Jean Paul.")
    ignores_diacritics: bool = setting(
        False, "Accents and strokes do not count: Łódź is Lodz. Marks that are letters stay."
    )
    drops_endings: bool = setting(False, "Drop endings after an apostrophe by language: İstanbul'da is İstanbul.")
    lemmatizes: bool = setting(False, "Take every word's lemma by its language (extra 'lemmas').")
    transliterates: bool = setting(False, "Write every script in Latin letters.")
    lang: str = setting("", "Language of names that come without one; empty: unknown.")

    @classmethod
    def loose(cls) -> NameFormsConfig:
        """Case, punctuation and diacritics do not count."""
        return cls(ignores_punctuation=True, ignores_diacritics=True)


class NameForms:
    """Makes keys of names.

    Examples
    --------
    >>> list(NameForms().keys(["New  York", "NEW YORK", "İstanbul", "ISPARTA"]))
    ['new york', 'new york', 'istanbul', 'isparta']
    >>> loose = NameForms(NameFormsConfig(ignores_punctuation=True, ignores_diacritics=True))
    >>> list(loose.keys(["U.N.", "Łódź", "Jean-Paul", "йод", "が"]))
    ['un', 'lodz', 'jean paul', 'йод', 'が']
    >>> strict = NameForms(NameFormsConfig(keeps_dotless_i=True))
    >>> list(strict.keys(["ISPARTA", "ISPARTA"], langs=["tr", "it"]))
    ['ısparta', 'isparta']
    """

    def __init__(self, config: NameFormsConfig | None = None) -> None:
        self.config = config or NameFormsConfig()

    def keys(self, names: Iterable[str], langs: Langs = None, n_threads: int = 0) -> StringTable:
        """One key per name; `langs` is the language of all or of each ("en" or "en-GB"), None or "" if unknown."""
        config, is_turkic = self.config, _NONE_TURKIC
        table = StringTable.from_strings(names)
        _check_languages(langs, table)
        if config.drops_endings or config.lemmatizes or config.keeps_dotless_i:
            codes, known = self._languages(langs, len(table))
            if config.drops_endings:
                table = without_endings(table, codes, known)
            if config.lemmatizes:
                table = lemmatized(table, codes, known, config.ignores_case)
            is_turkic = np.array([lang in TURKIC for lang in known], dtype=np.uint8)[codes]
        if config.transliterates:
            table = transliterated(table)
        offsets, data = _core.name_keys(
            table.data, table.offsets, is_turkic, config.ignores_case, config.keeps_dotless_i,
            config.ignores_punctuation, config.ignores_diacritics, n_threads,
        )  # fmt: skip
        return StringTable(offsets, data)

    def key(self, name: str, lang: str | None = None) -> str:
        """The key of one name."""
        return self.keys([name], lang, n_threads=1)[0]

    def _languages(self, langs: Langs, n_names: int) -> tuple[NDArray[np.int64], list[str]]:
        """For each name the place of its language in a list of languages without regions."""
        if langs is None or isinstance(langs, str):
            return np.zeros(n_names, dtype=np.int64), [base_language(langs or self.config.lang)]
        lang_to_code: dict[str | None, int] = {}
        codes = np.fromiter((lang_to_code.setdefault(lang, len(lang_to_code)) for lang in langs), np.int64, n_names)
        return codes, [base_language(lang or self.config.lang) for lang in lang_to_code] or [""]


def _check_languages(langs: Langs, names: StringTable) -> None:
    if langs is not None and not isinstance(langs, str) and len(langs) != len(names):
        raise DataError(f"{len(names)} names have {len(langs)} languages; give one for each, or one for all.")
