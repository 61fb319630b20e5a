"""The stop words that come with Deixis: a short list for some languages."""

from __future__ import annotations

from importlib import resources


def stop_words() -> list[str]:
    """Words that hold sentences together and say little, several to a line.

    Examples
    --------
    >>> words = " ".join(stop_words()).split()
    >>> "the" in words, "und" in words, "jaguar" in words
    (True, True, False)
    """
    lines = resources.files("deixis.features").joinpath("stop_words.txt").read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]
