"""Text as the rest of the toolkit can hold it, with every offset where it was."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    r"""The text with each lone surrogate, which UTF-8 cannot hold, replaced by one U+FFFD: offsets stay right.

    Examples
    --------
    >>> without_surrogates("a\ud83db")
    'a�b'
    """
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() else text
