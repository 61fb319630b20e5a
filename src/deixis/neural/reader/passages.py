"""Documents cut into passages that overlap, so that no mention is lost at a border (imports no torch).

The reader of BEER² sees a text in pieces of a few tokens. A passage begins and ends between words, and two that follow
each other share about `overlap` tokens: a mention of that many is whole in one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError
from deixis.features.tokens import tokenize
from deixis.neural.windows import TokenWindows


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: the number of the document, where the piece begins in it, and its text."""

    document: int
    start: int
    text: str

    @property
    def end(self) -> int:
        """Where it ends in the document."""
        return self.start + len(self.text)

    def holds(self, start: int, end: int) -> bool:
        """Whether a span of the document lies in it as a whole."""
        return self.start <= start and end <= self.end


def cut_passages(texts: Iterable[str], windows: TokenWindows, n_tokens: int, overlap: int) -> Iterator[Passage]:
    """The passages of each text, of at most `n_tokens` tokens.

    Examples
    --------
    >>> from tokenizers import Tokenizer, models, pre_tokenizers
    >>> words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    >>> words.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> text = "Paris carried Helen off to Troy"
    >>> [passage.text for passage in cut_passages([text], TokenWindows(words), n_tokens=4, overlap=2)]
    ['Paris carried Helen off', 'Helen off to Troy']
    """
    if not 0 <= overlap < n_tokens:
        raise ConfigError(f"The overlap must lie in 0..{n_tokens - 1}, below the tokens of a passage, got {overlap}.")
    for number, text in enumerate(texts):
        tokens = _tokens(text, windows)
        for first, last in _runs(tokens.may_cut, n_tokens, overlap):
            start, end = int(tokens.starts[first]), int(tokens.ends[last - 1])
            yield Passage(number, start, text[start:end])


def passage_around(
    document: int, text: str, start: int, end: int, windows: TokenWindows, n_tokens: int
) -> Passage | None:
    """The passage with a span of a text in its middle, or None if the span has no room in one."""
    tokens = _tokens(text, windows)
    inside = np.flatnonzero((tokens.ends > start) & (tokens.starts < end))
    if not len(inside) or inside[-1] - inside[0] >= n_tokens:
        return None
    n_before = (n_tokens - (int(inside[-1]) - int(inside[0]) + 1)) // 2
    first = max(0, int(inside[0]) - n_before)
    while first < inside[0] and not tokens.may_cut[first]:
        first += 1
    last = min(len(tokens.starts), first + n_tokens)
    while last > inside[-1] + 1 and not tokens.may_cut[last]:
        last -= 1
    begin, until = min(start, int(tokens.starts[first])), max(end, int(tokens.ends[last - 1]))
    return Passage(document, begin, text[begin:until])


@dataclass(frozen=True)
class _Tokens:
    """Where the tokens of a text stand, and before which of them it may be cut (one more than there are tokens)."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    may_cut: NDArray[np.bool_]


def _tokens(text: str, windows: TokenWindows) -> _Tokens:
    offsets = np.array(windows.offsets(text), dtype=np.int64).reshape(-1, 2)
    offsets = offsets[offsets[:, 1] > offsets[:, 0]]  # some tokenizers make tokens of nothing
    starts, ends = offsets[:, 0], offsets[:, 1]
    words = np.array([(word.start, word.end) for word in tokenize(text)], dtype=np.int64).reshape(-1, 2)
    before = np.searchsorted(words[:, 0], starts, side="left") - 1  # the last word that begins before the token
    is_inside = (
        (before >= 0) & (starts < words[np.maximum(before, 0), 1]) if len(words) else np.zeros(len(starts), bool)
    )
    return _Tokens(starts, ends, np.append(~is_inside, True))


def _runs(may_cut: NDArray[np.bool_], n_tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First tokens of passages, and those after their last."""
    n, first = len(may_cut) - 1, 0
    while first < n:
        last = _last_cut(may_cut, first, min(first + n_tokens, n))
        yield first, last
        if last == n:
            return
        after = _last_cut(may_cut, first, max(first + 1, last - overlap))
        first = after if may_cut[after] else last


def _last_cut(may_cut: NDArray[np.bool_], first: int, last: int) -> int:
    """The last place up to `last` where the text may be cut, after `first`; `last` itself if there is none."""
    for position in range(last, first, -1):
        if may_cut[position]:
            return position
    return last
