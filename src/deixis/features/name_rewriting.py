"""Names rewritten one by one, in Python: without endings, as lemmas, in Latin letters.

Endings stand after an apostrophe at the end of a name: Turkish cases (İstanbul'da), the English 's.

Lemmas are those of the word lists of `simplemma` (extra `lemmas`; 50 languages). The thesis (3.4.1) proposes a table of
lemmas and does not measure it. A word list of a language is read when its first name comes: up to one and a half CPU
seconds and 140 MB each.

Latin letters are those of the package `anyascii`, which reads character by character and knows no language. Cyrillic,
Greek, kana and Hangul come out about as people write them. Han characters get their Mandarin reading, also in Japanese
names: 東京 is DongJing, not Tokyo. Syllables of Han and Hangul begin with capitals, which is of use only where case is
ignored. Arabic and Hebrew come out without short vowels, so القاهرة is lqhrh, not al-Qahira: similar, not equal.
String similarity can bridge that, equal keys cannot.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable

import numpy as np
from anyascii import anyascii
from numpy.typing import NDArray

from deixis.errors import MissingExtraError
from deixis.store.strings import StringTable

Change = Callable[[str], str]

# Plural, person and case, vowels by harmony; not every short ending, so that Kur'an stays whole.
_TURKISH = re.compile(
    r"(?:l[ae]r)?(?:s?[ıiuü])?n?(?:[dt][ae]n?(?:ki)?|n?[ıiuü]n|[yn]?[ae]|[yn]?[ıiuü]|y?l[ae]|l[ıiuü]|l[ae]r)"
    r"(?:[dt][ıiuü]r)?"
)
_ENGLISH = re.compile(r"s?")
_LANG_TO_ENDINGS = {"tr": _TURKISH, "az": _TURKISH, "en": _ENGLISH}
_APOSTROPHES = re.compile(r"['’]")
# An apostrophe inside a word stays with it: simplemma knows Turkish endings after one.
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FAMILY = {"sr": "hbs", "hr": "hbs", "bs": "hbs", "sh": "hbs", "no": "nb"}  # names that simplemma does not use


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


def transliterated(names: StringTable) -> StringTable:
    """The names in ASCII; one that has no reading at all (emoji have, unassigned characters do not) stays as it is.

    Examples
    --------
    >>> list(transliterated(StringTable.from_strings(["Москва", "Αθήνα", "かな", "Paris"])))
    ['Moskva', 'Athina', 'kana', 'Paris']
    """
    return changed_names(names, _not_ascii(names), lambda name: anyascii(name) or name)


def _not_ascii(names: StringTable) -> NDArray[np.int64]:
    """The rows of names that have a character beyond ASCII."""
    if names.data.max(initial=0) < 0x80:
        return np.zeros(0, dtype=np.int64)
    before = np.zeros(len(names.data) + 1, dtype=np.int32)
    np.cumsum(names.data >= 0x80, out=before[1:])
    return np.flatnonzero(before[names.offsets[1:]] > before[names.offsets[:-1]])


def changed_names(names: StringTable, rows: NDArray[np.int64], change: Change) -> StringTable:
    """The same names, those in `rows` (which rise) changed.

    Examples
    --------
    >>> list(changed_names(StringTable.from_strings(["a", "b", "c"]), np.array([1]), str.upper))
    ['a', 'B', 'c']
    """
    if not len(rows):
        return names
    changed = StringTable.from_strings(map(change, names.strings(rows)))
    order = np.arange(len(names))
    order[rows] = len(names) + np.arange(len(rows))
    return names.joined(changed).take(order)


def changed_by_language(
    names: StringTable, codes: NDArray[np.int64], langs: list[str], change_of: Callable[[str], Change | None]
) -> StringTable:
    """The same names, each changed as `change_of` its language `langs[code]` says; None leaves them as they are.

    Examples
    --------
    >>> names = StringTable.from_strings(["a", "b"])
    >>> list(changed_by_language(names, np.array([0, 1]), ["en", "de"], {"de": str.upper}.get))
    ['a', 'B']
    """
    for code, lang in enumerate(langs):
        change = change_of(lang)
        if change is not None:
            names = changed_names(names, np.flatnonzero(codes == code), change)
    return names
