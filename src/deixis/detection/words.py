"""The common words of English: how frequent they are, and how often they stand in lower case."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

from deixis.features.stop_words import filler_words
from deixis.native import _core
from deixis.store.strings import StringTable

STOP_WORD_FREQUENCY = 6.0  # of stop words that the table does not have: those of other languages
N_COMMON = 3_000  # words that say how many common words are names of a list


@cache
def word_table() -> _core.WordTable:
    """The table, with the stop words of all languages; made once."""
    stop_words = set(filler_words())
    words = {word: values for word, *values in _rows()} | {
        word: [STOP_WORD_FREQUENCY, 1.0] for word in stop_words - {word for word, *_ in _rows()}
    }
    table = StringTable.from_strings(list(words))
    log_counts, lower_fractions = np.array(list(words.values()), dtype=np.float32).T.copy()
    is_stop = np.array([word in stop_words for word in words], dtype=np.uint8)
    return _core.WordTable(table.data, table.offsets, log_counts, lower_fractions, is_stop)


@cache
def common_words() -> StringTable:
    """The commonest words that texts write in lower case and that are no stop words."""
    stop_words = set(filler_words())
    words = [word for word, _, fraction in _rows() if fraction > 0.5 and word not in stop_words and len(word) > 1]
    return StringTable.from_strings(words[:N_COMMON])


@cache
def lower_case_words() -> frozenset[str]:
    """The stems of common words that texts mostly write in lower case, stop words included."""
    return frozenset(word for word, _, fraction in _rows() if fraction > 0.5) | frozenset(filler_words())


@cache
def common_stems() -> frozenset[str]:
    """The stems of all common words, however texts write them."""
    return frozenset(word for word, *_ in _rows())


@cache
def _rows() -> tuple[tuple[str, float, float], ...]:
    lines = files("deixis.detection").joinpath("words.tsv").read_text("utf-8").splitlines()
    cells = (line.split("\t") for line in lines if not line.startswith("#"))
    return tuple((stem, float(log_count), float(fraction)) for stem, log_count, fraction in cells)
