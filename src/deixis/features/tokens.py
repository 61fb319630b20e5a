"""Text to tokens, for people who want to see them; the vectorizers tokenize inside the compiled core.

Boundaries are found on the text as it is, so each token knows its code points there; then each token is folded by
itself: NFKC (invisible characters dropped), full case folding, NFKC again. Maximal runs of letters, marks and numbers
are tokens. Han, kana, Thai, Lao, Khmer and Myanmar are written without spaces: there each base character, with the
marks after it, is a token, and bigrams of tokens do the work of words. Everything else separates.

Case folding knows no language: the Turkish capital dotted İ folds to i and a combining dot (so İstanbul is not
istanbul), and capital I folds to i, never to the dotless ı.
"""

from __future__ import annotations

from dataclasses import dataclass

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
