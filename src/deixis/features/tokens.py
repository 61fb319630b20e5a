"""Text to tokens, for people who want to see them; the vectorizers tokenize inside the compiled core.

Boundaries are found on the text as it is, so each token knows its code points there; then each token is folded by
itself: NFKC (invisible characters dropped), full case folding, NFKC again. Maximal runs of letters, marks and numbers
are tokens. Han, kana, Thai, Lao, Khmer and Myanmar are written without spaces: there each base character, with the
marks after it, is a token, and bigrams of tokens do the work of words. Everything else separates.

Case folding knows no language: the Turkish capital dotted İ folds to i and a combining dot (so İstanbul is not
istanbul), and capital I folds to i, never to the dotless ı.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.native import _core


@dataclass(frozen=True, slots=True)
class Token:
    """A folded token and the code points [start, end) of the original text it comes from.

    Examples
    --------
    >>> [token.text for token in tokenize("Mozart's Große Messe, 東京")]
    ['mozart', 's', 'grosse', 'messe', '東', '京']
    >>> tokenize("in Zürich")[1]
    Token(text='zürich', start=3, end=9)
    """

    text: str
    start: int
    end: int


def tokenize(text: str, *, casefold: bool = True, nfkc: bool = True) -> list[Token]:
    """The tokens of the text, in order."""
    return [Token(*token) for token in _core.tokenize(text, nfkc, casefold)]


def unicode_version() -> str:
    """Version of the Unicode tables in the compiled core; characters assigned later count as separators."""
    return _core.unicode_version()


def with_narrow_tokens(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Mapping[str, NDArray[Any]]:
    """The arrays with tables of tokens as they are today: up to format 3 offsets and slots had eight bytes each."""
    narrow: dict[str, NDArray[Any]] = {}
    for table in (f"{prefix}.tokens", f"{prefix}.grams"):
        offsets, slots = (arrays.get(f"{table}.{each}", np.zeros(0, np.uint32)) for each in ("offsets", "slots"))
        if offsets.dtype == np.int64 and not (offsets >> 32).any():
            narrow[f"{table}.offsets"] = offsets.astype(np.uint32)
        if slots.dtype == np.uint64:
            # A number below as many bits of the hash as there is room for; empty slots stay what they are, all ones.
            last = np.uint32(max(len(slots), 1) - 1)
            hashes, numbers = (slots >> np.uint64(32)).astype(np.uint32), slots.astype(np.uint32)
            is_empty = slots == np.iinfo(np.uint64).max
            narrow[f"{table}.slots"] = np.where(is_empty | (numbers > last), ~np.uint32(0), (hashes & ~last) | numbers)
    return {**arrays, **narrow} if narrow else arrays
