"""Names word by word as lemmas, with the word lists of the package `simplemma` (extra `lemmas`; 50 languages).

The thesis (3.4.1) proposes a table of lemmas and does not measure it. A word list of a language is read when its first
name comes: up to one and a half CPU seconds and 140 MB each.
"""

from __future__ import annotations

import functools
import importlib
import re

import numpy as np
from numpy.typing import NDArray

from deixis.errors import MissingExtraError
from deixis.features.changed_names import Change, changed_by_language
from deixis.store.strings import StringTable

# An apostrophe inside a word stays with it: simplemma knows Turkish endings after one.
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FAMILY = {"sr": "hbs", "hr": "hbs", "bs": "hbs", "sh": "hbs", "no": "nb"}  # names that simplemma does not use


def lemmatized(
    names: StringTable, codes: NDArray[np.int64], langs: list[str], ignores_case: bool = True
) -> StringTable:
    """The names with each word's lemma in its place; names of other languages or none (`langs[codes]`) unchanged.

    The case of a word can change its lemma. So where case does not count, words are looked up in lower case, whatever
    they are written in, and German ones with a capital too. The shorter lemma is taken: a noun in lower case may be
    read as a verb (haus as hausen), and an adjective with a capital as a noun (alte as Alter).

    Examples
    --------
    >>> names = StringTable.from_strings(["STÄDTE 2", "STÄDTE 2"])
    >>> list(lemmatized(names, np.array([0, 1]), ["de", ""]))
    ['Stadt 2', 'STÄDTE 2']
    """
    try:
        simplemma = importlib.import_module("simplemma")
        known = importlib.import_module("simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    except ModuleNotFoundError as error:
        raise MissingExtraError("Lemmas of names", "simplemma", "lemmas") from error

    def lemmatizer(lang: str) -> Change | None:
        own = _FAMILY.get(lang, lang)
        if own not in known:
            return None

        @functools.lru_cache(maxsize=1 << 16)
        def lemma(word: str) -> str:
            cases = _cases(word, own) if ignores_case else (word,)
            return min((str(simplemma.lemmatize(case, own)) or case for case in cases), key=len)

        return lambda name: _WORD.sub(lambda match: lemma(match[0]), name)

    return changed_by_language(names, codes, langs, lemmatizer)


def _cases(word: str, lang: str) -> tuple[str, ...]:
    """The word as it is looked up, the same for every case it is written in."""
    if lang == "tr":
        word = word.replace("I", "ı")
    lower = word.replace("İ", "i").lower()
    return (lower.capitalize(), lower) if lang == "de" else (lower,)
