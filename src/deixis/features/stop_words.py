"""The stop words that come with Deixis: a short list for some languages."""

from __future__ import annotations

from functools import cache
from importlib import resources

# Stop words of one language that are names or telling words in another: the river Seine, an era, a son, a war.
TELLING_ELSEWHERE = frozenset("den era hat hun man men mine pod seine sin son war".split())


@cache
def stop_words() -> tuple[str, ...]:
    """Words that hold sentences together and say little.

    Examples
    --------
    >>> words = stop_words()
    >>> "the" in words, "und" in words, "seine" in words, "jaguar" in words
    (True, True, True, False)
    """
    lines = resources.files("deixis.features").joinpath("stop_words.txt").read_text("utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


def filler_words() -> list[str]:
    """The stop words that say little in whichever language they stand.

    Examples
    --------
    >>> "the" in filler_words(), "seine" in filler_words()
    (True, False)
    """
    return [word for word in stop_words() if word not in TELLING_ELSEWHERE]
