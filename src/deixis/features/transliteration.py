"""Names in Latin letters, with the tables of the package `anyascii`.

It reads character by character and knows no language. Cyrillic, Greek, kana and Hangul come out about as people write
them. Han characters get their Mandarin reading, also in Japanese names: 東京 is DongJing, not Tokyo. Syllables of Han
and Hangul begin with capitals, which is of use only where case is ignored. Arabic and Hebrew come out without short
vowels, so القاهرة is lqhrh, not al-Qahira: similar, not equal. String similarity can bridge that, equal keys cannot.
"""

from __future__ import annotations

import numpy as np
from anyascii import anyascii

from deixis.features.changed_names import changed_names
from deixis.store.strings import StringTable


def transliterated(names: StringTable) -> StringTable:
    """The names in ASCII; one that has no reading at all (emoji have, unassigned characters do not) stays as it is.

    Examples
    --------
    >>> list(transliterated(StringTable.from_strings(["Москва", "Αθήνα", "かな", "Paris"])))
    ['Moskva', 'Athina', 'kana', 'Paris']
    """
    return changed_names(names, _not_ascii(names), lambda name: anyascii(name) or name)


def _not_ascii(names: StringTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The rows of names that have a character beyond ASCII."""
    before = np.zeros(len(names.data) + 1, dtype=np.int32)
    np.cumsum(names.data >= 0x80, out=before[1:])
    return np.flatnonzero(before[names.offsets[1:]] > before[names.offsets[:-1]])
