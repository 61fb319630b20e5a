"""Which pages of wiki468k name which others in their descriptions: `title_mentions(ids, titles, descriptions)`.

A page is named by its title or its full title (the id), as words: the case of the first letter does not matter, that of
the others does. Names of several words (2 to 8, not only stop words, months and numbers) count; single words only where
nobody writes them in lower case. The longest name wins, from left to right, never across the end of a sentence. A name
that two pages have is nobody's, and no page names itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from deixis.features.stop_words import stop_words

MAX_WORDS = 8
MIN_LETTERS = 4
MAX_LOWER = 0.02  # of a single word's uses in descriptions
WORD = re.compile(r"\w+")
SENTENCE_END = re.compile(r"[.!?]\s|\n")
MONTHS = frozenset("january february march april may june july august september october november december".split())
NOT_ALONE = frozenset(stop_words()) | MONTHS
Form = tuple[str, ...]


def title_mentions(ids: Sequence[str], titles: Sequence[str], descriptions: Sequence[str]) -> sparse.csr_matrix:
    """pages_by_pages: 1 where the row's description names the column's page."""
    words = [list(words_of(text)) for text in descriptions]
    form_to_page = forms(ids, titles, words)
    heads = {form[:2] for form in form_to_page if len(form) > 1}
    rows: list[int] = []
    columns: list[int] = []
    for page, (text_words, text) in enumerate(zip(words, descriptions, strict=True)):
        named = {other for other in mentions(text, text_words, form_to_page, heads) if other != page}
        rows += [page] * len(named)
        columns += sorted(named)
    ones = np.ones(len(rows), dtype=np.float32)
    return sparse.csr_matrix((ones, (rows, columns)), shape=(len(ids), len(ids)))


def words_of(text: str) -> Iterator[tuple[str, int, int]]:
    """Each word with its begin and end."""
    for match in WORD.finditer(text):
        yield match.group(), match.start(), match.end()


def folded_first(words: Sequence[str]) -> Form:
    """The words as a form: the first letter of the first in lower case."""
    return (words[0][:1].lower() + words[0][1:], *words[1:])


def forms(
    ids: Sequence[str], titles: Sequence[str], words: Sequence[Sequence[tuple[str, int, int]]]
) -> dict[Form, int]:
    """The page of each form that only one has and that is safe to look for."""
    capital: Counter[str] = Counter()
    lower: Counter[str] = Counter()
    for text_words in words:
        for word, _, _ in text_words:
            (capital if word[0].isupper() else lower)[word.lower()] += 1
    form_to_page: dict[Form, int] = {}
    ambiguous: set[Form] = set()
    for page, names in enumerate(zip(ids, titles, strict=True)):
        for name in names:
            own = [word for word, _, _ in words_of(name)]
            if not own or len(own) > MAX_WORDS or not _is_safe(own, capital, lower):
                continue
            form = folded_first(own)
            if form_to_page.setdefault(form, page) != page:
                ambiguous.add(form)
    return {form: page for form, page in form_to_page.items() if form not in ambiguous}


def _is_safe(words: Sequence[str], capital: Counter[str], lower: Counter[str]) -> bool:
    if len(words) > 1:
        return not all(word.lower() in NOT_ALONE or word.isdigit() for word in words)
    word = words[0].lower()
    if len(word) < MIN_LETTERS or not word.isalpha() or word in NOT_ALONE:
        return False
    return lower[word] <= MAX_LOWER * capital[word]


def mentions(
    text: str,
    words: Sequence[tuple[str, int, int]],
    form_to_page: dict[Form, int],
    heads: set[Form],
) -> Iterator[int]:
    """The pages that a text names, from left to right, the longest names first."""
    bare = [word for word, _, _ in words]
    at = 0
    while at < len(bare):
        length = _longest(text, words, bare, at, form_to_page, heads)
        if length:
            yield form_to_page[folded_first(bare[at : at + length])]
        at += length or 1


def _longest(
    text: str,
    words: Sequence[tuple[str, int, int]],
    bare: Sequence[str],
    at: int,
    form_to_page: dict[Form, int],
    heads: set[Form],
) -> int:
    """How many words the longest name that begins here has; 0 if none does."""
    first = folded_first(bare[at : at + 2])
    if len(first) == 2 and first in heads:
        for length in range(min(MAX_WORDS, len(bare) - at), 1, -1):
            if (*first, *bare[at + 2 : at + length]) in form_to_page and not SENTENCE_END.search(
                text, words[at][2], words[at + length - 1][1]
            ):
                return length
    return int(bare[at][0].isupper() and first[:1] in form_to_page)
