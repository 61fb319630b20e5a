"""Acronyms of names (United Nations: UN), and which mentions look like one (U.N.)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from deixis.features.stop_words import stop_words
from deixis.store.sparse_rows_builder import row_chunks
from deixis.store.strings import StringTable

MIN_LETTERS, MAX_LETTERS = 2, 8
_WORD = re.compile(r"[^\W_]+")
_DOTTED = re.compile(r"(?<!\w)(\w)\.\s?(?=\w\b|\W|$)")


def acronyms(names: Iterable[str]) -> StringTable:
    """The acronym of each name, as `acronym` has it."""
    table = StringTable.from_strings(names)
    chunks = (table.strings(chunk) for chunk in row_chunks(len(table)))
    return StringTable.from_strings(_acronym(name) for chunk in chunks for name in chunk)


@lru_cache(maxsize=1 << 14)
def acronym(name: str) -> str:
    """The acronym of a name, in capitals; empty if it has none.

    It is made of the initials of the words that begin with a capital, if there are several, or else of all words that
    are not mere links.

    Examples
    --------
    >>> [acronym(name) for name in ("United States of America", "multiple sclerosis", "Asia-Pacific Forum", "Rome")]
    ['USA', 'MS', 'APF', '']
    """
    return _acronym(name)


@cache
def _links() -> frozenset[str]:
    return frozenset(stop_words())


def acronym_of_mention(mention: str) -> str:
    """The mention without dots if it is written like an acronym, two to eight capitals; else nothing.

    Examples
    --------
    >>> acronym_of_mention("U.N."), acronym_of_mention("NATO"), acronym_of_mention("Un"), acronym_of_mention("U. S.")
    ('UN', 'NATO', '', 'US')
    """
    if not mention.isupper():
        return ""
    letters = _DOTTED.sub(r"\1", mention.strip())
    is_acronym = letters.isalpha() and MIN_LETTERS <= len(letters) <= MAX_LETTERS
    return letters if is_acronym else ""


def _acronym(name: str) -> str:
    words = _WORD.findall(name)
    capitals = [word[0] for word in words if word[0].isupper()]
    if len(capitals) < MIN_LETTERS:
        capitals = [word[0] for word in words if word.lower() not in _links()]
    letters = "".join(capitals).upper()
    return letters if MIN_LETTERS <= len(letters) <= MAX_LETTERS and letters.isalpha() and letters.isupper() else ""
