"""Spans that may be mentions, as columns; they may overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.native import _core

Sign = _core.Sign
UNKNOWN_COUNT = 3.85  # log10 per billion of a word that is not in the table: half the least there


@dataclass(frozen=True, eq=False)
class SpanTable:
    """Spans in the order of their text, start and end, none twice.

    `texts` are numbers of texts; `starts` and `ends` code points; `names` the matcher's number of the name, -1 for
    none; `n_content` of its `n_words` are no stop words; `keys` identify the span's words, `before` and `after` those
    next to it (0: none), as numbers that are the same for every list; `signs` are those of `Sign`. By the table of
    common words, `log_counts` says how frequent its rarest word is (log10 per billion), `lower_shares` how often the
    one that is least often in lower case is.

    Examples
    --------
    >>> from deixis.detection.names import NameMatcher
    >>> text = "In New York City."
    >>> spans = NameMatcher.build(["New York", "New York City", "York"]).spans([text])
    >>> [text[start:end] for start, end in zip(spans.starts, spans.ends)]
    ['New York', 'New York City', 'York']
    """

    texts: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    names: NDArray[np.int32]
    n_words: NDArray[np.int32]
    n_content: NDArray[np.int32]
    keys: NDArray[np.uint64]
    signs: NDArray[np.uint32]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]
    log_counts: NDArray[np.float32]
    lower_shares: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.starts)

    def has(self, sign: Sign) -> NDArray[np.bool_]:
        """Which spans have the sign, or one of several."""
        has_sign: NDArray[np.bool_] = (self.signs & np.uint32(sign)) != 0
        return has_sign

    def positions(self) -> Iterator[tuple[int, int, int]]:
        """Number of the text, start and end of each span."""
        return zip(self.texts.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> SpanTable:
        """The spans in these rows, in their order."""
        return SpanTable(*(column[rows] for column in self._columns))

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return (
            self.texts, self.starts, self.ends, self.names, self.n_words, self.n_content, self.keys, self.signs,
            self.before, self.after, self.log_counts, self.lower_shares,
        )  # fmt: skip

    def merged(self, other: SpanTable) -> SpanTable:
        """The spans of both tables; one that both have is this table's, with the signs of both and a name of either."""
        if len(other) == 0:
            return self
        pairs = zip(self._columns, other._columns, strict=True)
        both = SpanTable(*(np.concatenate(pair) for pair in pairs))
        order = np.lexsort((np.arange(len(both)), both.ends, both.starts, both.texts))
        both = both.take(order)
        is_first = np.ones(len(both), dtype=bool)
        is_first[1:] = (
            (np.diff(both.texts) != 0) | (np.diff(both.starts) != 0) | (np.diff(both.ends) != 0)
        )  # fmt: skip
        both.names[is_first] = _first_names(both.names, np.flatnonzero(is_first))
        both.signs[:] = np.bitwise_or.reduceat(both.signs, np.flatnonzero(is_first))[np.cumsum(is_first) - 1]
        return both.take(is_first)

    @classmethod
    def of_spans(cls, spans: Sequence[Sequence[tuple[int, int]]], texts: Sequence[str], sign: Sign) -> SpanTable:
        """The given spans of each text with this sign; their other columns are empty."""
        rows = sorted({(n, int(s), int(e)) for n, own in enumerate(spans) for s, e in own if s < e})
        signs = [int(sign | _written(texts[number][start:end])) for number, start, end in rows]
        lengths = [len(texts[number][start:end].split()) for number, start, end in rows]
        columns = np.array(rows, dtype=np.int32).reshape(-1, 3)
        nothing, words = np.zeros(len(rows), dtype=np.uint32), np.array(lengths, dtype=np.int32)
        return cls(
            columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy(), np.full(len(rows), -1, dtype=np.int32),
            words, words, nothing.astype(np.uint64), np.array(signs, dtype=np.uint32), nothing, nothing,
            np.full(len(rows), UNKNOWN_COUNT, dtype=np.float32), np.full(len(rows), 0.5, dtype=np.float32),
        )  # fmt: skip


def _first_names(names: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The name of each group of spans: that of its first, or for want of it of another."""
    others = np.maximum.reduceat(names, starts)
    return np.where(names[starts] >= 0, names[starts], others).astype(np.int32)


def _written(text: str) -> Sign:
    if text.isupper() and len(text) > 1:
        return Sign.CAPITALS
    if text[:1].isupper():
        return Sign.TITLE_CASE
    return Sign.LOWER_CASE if text.islower() else Sign.MIXED_CASE
