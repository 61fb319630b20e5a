"""Endings that stand after an apostrophe at the end of a name: Turkish cases (İstanbul'da), the English 's."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from deixis.features.changed_names import Change, changed_by_language
from deixis.store.strings import StringTable

# Plural, person and case, vowels by harmony; not every short ending, so that Kur'an stays whole.
_TURKISH = re.compile(
    r"(?:l[ae]r)?(?:s?[ıiuü])?n?(?:[dt][ae]n?(?:ki)?|n?[ıiuü]n|[yn]?[ae]|[yn]?[ıiuü]|y?l[ae]|l[ıiuü]|l[ae]r)"
    r"(?:[dt][ıiuü]r)?"
)
_ENGLISH = re.compile(r"s?")
_LANG_TO_ENDINGS = {"tr": _TURKISH, "az": _TURKISH, "en": _ENGLISH}
_APOSTROPHES = re.compile(r"['’]")


def without_endings(names: StringTable, codes: NDArray[np.int64], langs: list[str]) -> StringTable:
    """The names without their last ending where `langs[codes]` has such endings; all others unchanged.

    Examples
    --------
    >>> names = StringTable.from_strings(["İstanbul'da", "Kur'an", "l'eau"])
    >>> list(without_endings(names, np.array([0, 0, 1]), ["tr", "fr"]))
    ['İstanbul', "Kur'an", "l'eau"]
    """
    return changed_by_language(names, codes, langs, _ending_dropper)


def _ending_dropper(lang: str) -> Change | None:
    endings = _LANG_TO_ENDINGS.get(lang)
    if endings is None:
        return None

    def without_ending(name: str) -> str:
        stem, *parts = _APOSTROPHES.split(name.strip())
        ending = parts[-1].replace("I", "ı").replace("İ", "i").lower() if parts else ""
        has_ending = bool(stem) and bool(parts) and endings.fullmatch(ending) is not None
        return name.strip()[: -len(parts[-1]) - 1] if has_ending else name

    return without_ending
