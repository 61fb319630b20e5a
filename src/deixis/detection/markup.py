"""Markup in a text: tags, addresses, code, templates. No mentions are detected there."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.detection.spans import SpanTable

MAX_TAG, MAX_COMMENT, MAX_CODE, MAX_TEMPLATE = 2_000, 20_000, 20_000, 20_000  # characters: what is longer is text
_WITHIN_LIMITS = re.compile(
    rf"<(?:/?[A-Za-z]|![A-Za-z\[]|\?)(?:[^<>\n]|\n(?!\s{{0,9}}\n)){{0,{MAX_TAG}}}>"  # tags, declarations
    r"|(?<!`)`(?![`\s])[^`\n]{0,199}(?<!\s)`(?!`)"  # code; a quotation mark of two backticks is none
    r"|\b(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|www\.)[^\s<>\"'）」』]+"  # addresses
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,255}(?:\.[\w-]{1,63})+"
    r"|&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});"  # characters by name
    r"|\]\([^()\s]{1,2000}(?:[ \t]{1,20}\"[^\"\n]{0,500}\")?\)"  # where a link of Markdown leads to
    r"|\[\[[^\[\]\n]{0,500}\|",  # the same in wikis, what is to be read comes after it
)
_CODE_BEGINS = re.compile(r"```[\w+.#-]{0,30}[ \t]{0,20}\n")
_CODE_ENDS = re.compile(r"^[ \t]{0,3}```", re.MULTILINE)
_BRACES = re.compile(r"\{\{|\}\}")
# The first apostrophe that stands in no word closes, where in code it opens: 'a'.
_QUOTED = re.compile(r"`[^']*(?:(?<=\w)'(?=\w)[^']*)*(?<=[\w.,;:!?])'(?!\w)")
# All markup has one of these; most texts have none, which is seen much faster so.
_MARKS = ("`", "@", "://", "www.", "](", "[[", "{{")
_TAG_OR_NAME = re.compile(r"<[A-Za-z/!?]|&[A-Za-z#]")  # of a character


def markup_spans(text: str) -> list[tuple[int, int]]:
    """The code points [start, end) of tags, code, addresses and of what links of wikis and Markdown lead to, in order.

    The time it takes grows with the length of the text and no faster.

    Examples
    --------
    >>> text = "{{Infobox|Troy}} [[Paris (city)|Paris]], [[Troy]] and [Ann](Ann.html)"
    >>> [text[start:end] for start, end in markup_spans(text)]
    ['{{Infobox|Troy}}', '[[Paris (city)|', '](Ann.html)']
    >>> text = "<b>Paris</b>, see https://paris.fr/Troy or `Troy()`"
    >>> [text[start:end] for start, end in markup_spans(text)]
    ['<b>', '</b>', 'https://paris.fr/Troy', '`Troy()`']
    >>> markup_spans("``We saw Paris,'' said `Ann of Troy', ```and left.''")
    []
    """
    if not any(mark in text for mark in _MARKS):
        if ("<" not in text and "&" not in text) or _TAG_OR_NAME.search(text) is None:
            return []
    # Backticks may be marks of quotation, as in `Ann of Troy', said `Ben.
    spans = [match.span() for match in _WITHIN_LIMITS.finditer(text) if _QUOTED.match(match[0]) is None]
    longer = [*_comments(text), *_fenced(text), *_templates(text)]
    return _apart(sorted(spans + longer, key=lambda span: (span[0], -span[1]))) if longer else spans


def _apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that do not overlap one before them."""
    apart: list[tuple[int, int]] = []
    done = 0
    for start, end in spans:
        if start >= done:
            apart.append((start, end))
            done = end
    return apart


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start, end = text.find("<!--"), 0
    while start >= 0:
        if end < start + 4:
            end = text.find("-->", start + 4)
        if end < 0:
            return
        is_comment = end - start <= MAX_COMMENT
        if is_comment:
            yield start, end + 3
        start = text.find("<!--", end + 3 if is_comment else start + 4)


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Code from three backticks that end a line, which may name its language, to three that begin one."""
    fence = _CODE_BEGINS.search(text)
    ends = [each.end() for each in _CODE_ENDS.finditer(text)] if fence is not None else []
    while fence is not None:
        start, begin = fence.span()
        number = bisect.bisect_left(ends, begin + 3)
        if number == len(ends):
            return
        if ends[number] - start <= MAX_CODE:
            begin = ends[number]
            yield start, begin
        fence = _CODE_BEGINS.search(text, begin)


def _templates(text: str) -> Iterator[tuple[int, int]]:
    """Templates of wikis, with those in them."""
    open_at: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace[0] == "{{":
            open_at.append(brace.start())
        elif open_at:
            start = open_at.pop()
            if brace.end() - start <= MAX_TEMPLATE:
                yield start, brace.end()


def outside_markup(spans: SpanTable, texts: Sequence[str]) -> SpanTable:
    """The spans that touch no markup."""
    is_outside = np.ones(len(spans), dtype=bool)
    for number, text in enumerate(texts):
        marked = markup_spans(text)
        if marked:
            begin, end = np.searchsorted(spans.texts, [number, number + 1]).tolist()
            is_outside[begin:end] = ~_touches(spans.starts[begin:end], spans.ends[begin:end], np.array(marked))
    return spans if is_outside.all() else spans.take(is_outside)


def _touches(starts: NDArray[np.int32], ends: NDArray[np.int32], marked: NDArray[np.int64]) -> NDArray[np.bool_]:
    # The marked spans are in order and do not overlap: the first that ends after a start is the one to check.
    positions = np.searchsorted(marked[:, 1], starts, side="right")
    begins = np.append(marked[:, 0], np.iinfo(np.int64).max)
    touched: NDArray[np.bool_] = begins[positions] < ends
    return touched
