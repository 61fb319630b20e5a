"""Contexts of one name: whether they speak of one thing or clearly of several.

Contexts are compared by their words, rare words counting more. They are joined, the most similar first, until no two
groups are similar (average linkage). Two things are seen only where several contexts agree among themselves and share
next to nothing with others; all else stays one thing. Looser limits split more names of one thing than of two: in news,
an entity is written about in unlike articles, too.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deixis.features.stop_words import filler_words
from deixis.native import _core

N_WORDS = 1 << 18  # words are numbered by their hashes
MIN_CONTEXTS = 3  # of each thing
MIN_WITHIN = 0.3  # average similarity of the contexts of one thing
MAX_BETWEEN = 0.006  # average similarity of contexts of two things


def word_numbers(text: str) -> list[int]:
    """The numbers of the words of a text, without stop words, in order."""
    return [zlib.crc32(stem.encode()) % N_WORDS for stem in _core.stems(text) if stem not in _filler_words()]


def context_groups(
    contexts: Sequence[Sequence[int]], n_documents_by_word: NDArray[np.int64], n_documents: int
) -> list[list[int]]:
    """The contexts in groups, each by its place, the largest group first; one group unless the evidence is clear.

    Examples
    --------
    >>> counts = np.ones(N_WORDS, dtype=np.int64)
    >>> context_groups([[1, 2, 3], [7, 8, 9], [1, 2, 4], [7, 8, 5], [2, 3, 1], [9, 8, 7]], counts, 100)
    [[0, 2, 4], [1, 3, 5]]
    >>> context_groups([[1, 2], [3, 4], [5, 6]], counts, 100)
    [[0, 1, 2]]
    """
    whole = [list(range(len(contexts)))]
    if len(contexts) < 2 * MIN_CONTEXTS:
        return whole
    similarities = _similarities(contexts, n_documents_by_word, n_documents)
    groups = _joined(similarities)
    clear = [group for group in groups if len(group) >= MIN_CONTEXTS and _within(similarities, group) >= MIN_WITHIN]
    if len(clear) < 2:
        return whole
    clear.sort(key=lambda group: (-len(group), group))
    for group in groups:
        if group not in clear:
            clear[0] = sorted(clear[0] + group)
    return clear


def _joined(similarities: NDArray[np.float64]) -> list[list[int]]:
    """Places in groups, the two most similar groups joined again and again while they are similar at all."""
    groups = [[number] for number in range(len(similarities))]
    sums, sizes = similarities.copy(), np.ones(len(groups))
    while len(groups) > 1:
        averages = np.triu(np.round(sums / np.outer(sizes, sizes), 9), 1)
        first, second = divmod(int(averages.argmax()), len(groups))
        if averages[first, second] <= MAX_BETWEEN:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sizes[first] += sizes[second]
        sums, sizes = np.delete(np.delete(sums, second, 0), second, 1), np.delete(sizes, second)
    return groups


def _similarities(
    contexts: Sequence[Sequence[int]], n_documents_by_word: NDArray[np.int64], n_documents: int
) -> NDArray[np.float64]:
    """The cosine of the words of each two contexts, weighted by how rare they are."""
    columns = {word: column for column, word in enumerate(sorted({word for words in contexts for word in words}))}
    contexts_by_words = np.zeros((len(contexts), max(len(columns), 1)))
    for row, words in enumerate(contexts):
        for word in words:
            contexts_by_words[row, columns[word]] = np.log((1 + n_documents) / (1 + n_documents_by_word[word])) + 0.01
    norms = np.linalg.norm(contexts_by_words, axis=1, keepdims=True)
    unit = contexts_by_words / np.where(norms > 0, norms, 1)
    return np.asarray(np.round(unit @ unit.T, 9))


def _within(similarities: NDArray[np.float64], group: list[int]) -> float:
    n = len(group)
    return float((similarities[np.ix_(group, group)].sum() - n) / (n * (n - 1)))


@cache
def _filler_words() -> frozenset[str]:
    return frozenset(filler_words())
