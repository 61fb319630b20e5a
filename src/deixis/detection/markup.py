"""What stands in a text and is not written to be read: tags, addresses, code, templates. No mention is sought there."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.detection.spans import SpanTable

_MARKUP = re.compile(
    r"<(?:!--.*?-->|/?[A-Za-z][^<>]*>|![A-Za-z\[][^<>]*>|\?[^<>]*>)"  # tags, comments, declarations
    r"|```.*?```|`[^`\n]+`"  # code
    r"|\b(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|www\.)[^\s<>\"'）」』]+"  # addresses
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});"  # characters by name
    r"|\]\([^()\s]{1,2000}(?:[ \t]+\"[^\"\n]*\")?\)"  # where a link of Markdown leads to
    r"|\[\[[^\[\]\n]{0,500}\|"  # the same in wikis, what is to be read comes after it
    r"|\{\{(?:[^{}]|\{\{[^{}]{0,2000}\}\}){0,2000}\}\}",  # templates of wikis, and those in them
    re.DOTALL,
)
_MAY_HAVE = re.compile(r"[<`@]|://|www\.|&[A-Za-z#]|\]\(|\[\[|\{\{")


def markup_spans(text: str) -> list[tuple[int, int]]:
    """The code points [start, end) of tags, code, addresses and of what links of wikis and Markdown lead to, in order.

    Examples
    --------
    >>> text = "{{Infobox|Troy}} [[Paris (city)|Paris]], [[Troy]] and [Ann](Ann.html)"
    >>> [text[start:end] for start, end in markup_spans(text)]
    ['{{Infobox|Troy}}', '[[Paris (city)|', '](Ann.html)']
    >>> text = "<b>Paris</b>, see https://paris.fr/Troy or `Troy()`"
    >>> [text[start:end] for start, end in markup_spans(text)]
    ['<b>', '</b>', 'https://paris.fr/Troy', '`Troy()`']
    """
    if _MAY_HAVE.search(text) is None:
        return []
    return [match.span() for match in _MARKUP.finditer(text)]


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
    # The marked spans are in order and do not overlap: the first that ends after a start is the one to look at.
    places = np.searchsorted(marked[:, 1], starts, side="right")
    begins = np.append(marked[:, 0], np.iinfo(np.int64).max)
    touched: NDArray[np.bool_] = begins[places] < ends
    return touched
