"""Days and dates: many knowledge bases contain them, but annotators hardly ever link them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from deixis.detection.names import NameMatcher


@cache
def calendar_keys() -> NDArray[np.uint64]:
    """Days of the week, months and dates in a dozen languages, as numbers of `SpanTable.keys`, rising.

    Examples
    --------
    >>> spans = NameMatcher.build(["Thursday", "August 22", "Ann May"]).spans(["On Thursday, August 22, Ann May came"])
    >>> np.isin(spans.keys, calendar_keys()).tolist()
    [True, True, False]
    """
    names = _names()
    spans = NameMatcher.build(names).spans(names, 1)
    is_whole = (spans.starts == 0) & (spans.ends == np.array([len(name) for name in names])[spans.texts])
    return np.sort(spans.keys[is_whole])


@cache
def calendar_words() -> frozenset[str]:
    """The days of the week and the months, in lower case."""
    return frozenset(word for words in _word_lists() for word in words)


def _word_lists() -> list[list[str]]:
    lines = files("deixis.detection").joinpath("calendar_words.txt").read_text("utf-8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def _names() -> list[str]:
    word_lists = _word_lists()
    names = {word for words in word_lists for word in words}
    for months in word_lists[1::2]:
        names |= {f"{day} {month}" for day in range(1, 32) for month in months}
        names |= {f"{month} {day}" for day in range(1, 32) for month in months}
    return sorted(names)
