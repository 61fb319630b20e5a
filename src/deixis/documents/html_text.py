"""The text of an HTML page, and where each piece of it stands in the source.

Not by `html.parser`, whose time grows with the square of some broken pages, and which stops at others (Python 3.11).
"""

from __future__ import annotations

import bisect
import html
import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from deixis.types import Document, Mention

_SKIPPED = frozenset({"script", "style", "code", "template", "svg"})
_PREFORMATTED = frozenset({"pre", "textarea"})
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
_MARK = re.compile(
    r"<!--|<(?P<slash>/?)(?P<tag>[A-Za-z][^\s/>]*)|<[!?]|&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{0,40});?"
)
_ATTRIBUTES = re.compile(r"(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
_BLANKS = {ord(blank): " " for blank in "\n\r\t\f"}


class Piece(NamedTuple):
    """A piece of the text: where it begins there and in the source, and how long it is in each of them."""

    start: int
    source_start: int
    length: int
    source_length: int


@dataclass(frozen=True, slots=True)
class HtmlDocument(Document):
    """A document that is read from HTML: its text is without the markup, and `in_source` has its mentions in that.

    Examples
    --------
    >>> document = html_document("d1", "<p>So <b>AT&amp;T</b> left.</p>")
    >>> document = document.with_mentions([Mention(3, 7, "AT&T", "Q35476")])
    >>> document.in_source().mentions[0].text
    'AT&amp;T'
    """

    source: str = ""
    pieces: tuple[Piece, ...] = ()

    def in_source(self) -> Document:
        """The source as a document, with the same mentions: offsets count its code points."""
        starts = [piece.start for piece in self.pieces]
        return Document(self.id, self.source, self.lang, tuple(self._in_source(each, starts) for each in self.mentions))

    def _in_source(self, mention: Mention, starts: list[int]) -> Mention:
        first, last = (self.pieces[bisect.bisect_right(starts, at) - 1] for at in (mention.start, mention.end - 1))
        start, end = first.source_start, last.source_start + last.source_length
        if first.length == first.source_length:
            start += mention.start - first.start
        if last.length == last.source_length:
            end = last.source_start + mention.end - last.start
        return replace(mention, start=start, end=end, text=self.source[start:end])


def in_source(document: Document) -> Document:
    """The document with offsets into the file that it was read from: the same document, unless that is HTML."""
    return document.in_source() if isinstance(document, HtmlDocument) else document


def html_document(name: str, source: str) -> HtmlDocument:
    """The page as a document: its text outside script, style, code and tags, blocks apart, character names resolved."""
    page = _Page(source)
    return HtmlDocument(name, "".join(page.texts), source=source, pieces=tuple(page.pieces))


class _Page:
    """Collects the texts of a page from its beginning to its end, in time that grows with its length and no faster."""

    def __init__(self, source: str) -> None:
        self.texts: list[str] = []
        self.pieces: list[Piece] = []
        self._source = source
        self._last_close = source.rfind(">")
        self._length = 0
        self._is_preformatted = False
        self._has_quoted_tags = True
        self._has_comment_ends = True
        self._ends: dict[str, list[int]] = {}
        done = 0
        while mark := _MARK.search(source, done):
            self._add_words(done, mark.start())
            done = self._after(mark)
        self._add_words(done, len(source))

    def _after(self, mark: re.Match[str]) -> int:
        """Where the text goes on after a mark; what only looks like one is text."""
        start, end = mark.span()
        if mark[0][0] == "&":
            self._add(html.unescape(mark[0]), start, end)
            return end
        if mark["tag"] is None:
            closed = self._comment_end(end) if mark[0] == "<!--" else self._next_close(end)
        else:
            closed = self._tag_end(end)
        if not closed:
            self._add_words(start, start + 1)
            return start + 1
        return closed if mark["tag"] is None else self._after_tag(mark, closed)

    def _after_tag(self, mark: re.Match[str], closed: int) -> int:
        """Where the text goes on after a tag, or after the element that it begins, if that holds no text."""
        tag, is_start = mark["tag"].lower(), mark["slash"] == ""
        if tag not in _INLINE and self.texts and not self.texts[-1].endswith("\n"):
            self._add("\n", mark.start(), mark.start())
        if tag in _PREFORMATTED:
            self._is_preformatted = is_start
        if tag in _SKIPPED and is_start and self._source[closed - 2] != "/":
            if tag not in self._ends:
                pattern = re.compile(rf"</{tag}\b", re.IGNORECASE)
                self._ends[tag] = [match.start() for match in pattern.finditer(self._source)]
            ends = self._ends[tag]
            number = bisect.bisect_left(ends, closed)
            return ends[number] if number < len(ends) else closed
        return closed

    def _tag_end(self, position: int) -> int:
        """The end of a tag whose name ends here, 0 if it has none; where quotes do not match, they do not count."""
        if self._has_quoted_tags and position <= self._last_close:
            match = _ATTRIBUTES.match(self._source, position)
            if match is not None:
                return match.end()
            self._has_quoted_tags = False
        return self._next_close(position)

    def _comment_end(self, position: int) -> int:
        end = self._source.find("-->", position) if self._has_comment_ends else -1
        self._has_comment_ends = end >= 0
        return end + 3 if end >= 0 else self._next_close(position)

    def _next_close(self, position: int) -> int:
        """Where the next `>` ends, 0 if there is none."""
        return self._source.find(">", position) + 1 if position <= self._last_close else 0

    def _add_words(self, start: int, end: int) -> None:
        words = self._source[start:end]
        if not self._is_preformatted:
            words = words.translate(_BLANKS)
            if not self.texts or self.texts[-1].endswith("\n"):
                words = words.lstrip()
        self._add(words, end - len(words), end)

    def _add(self, text: str, start: int, end: int) -> None:
        if text:
            self.texts.append(text)
            self.pieces.append(Piece(self._length, start, len(text), end - start))
            self._length += len(text)
