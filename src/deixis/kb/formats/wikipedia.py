"""Wikipedia's pages in XML (`pages-articles`) to records, by way of the plain text of their wikitext.

The id is the title; redirects are aliases and other ids; the first paragraph is the description; texts of links to a
page are its aliases with counts, and their number is its count. A page's redirects and links stand anywhere in the
dump, so it is read to its end before the first entity. Disambiguation pages are left out.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from deixis.errors import DataError
from deixis.kb.dumps.join import joined_records
from deixis.kb.dumps.page import DumpPage, DumpPages, Lines, apart
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.titles import Wiki, is_disambiguation, page_url
from deixis.kb.dumps.wikitext import plain_text
from deixis.kb.formats.dump_json import Records, query_of
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.types import Document, Mention
from deixis.xml_prolog import without_declarations

logger = logging.getLogger(__name__)
ROOT = "mediawiki"
_BEGIN, _END = b"<page>", b"</page>"
_ARTICLE = re.compile(rb"<ns>\s*0\s*</ns>")
_LANGUAGE = re.compile(rb"""<mediawiki\b[^>]*\sxml:lang=["']([A-Za-z-]{1,20})["']""")
_DATABASE = re.compile(rb"<dbname>([a-z_]{1,30}?)wiki(?:[a-z]+)?</dbname>")
_NAMESPACE = re.compile(rb"""<namespace key="(-?\d{1,6})"[^>]*>([^<]{1,200})</namespace>""")
_CASE_SENSITIVE = b"<case>case-sensitive</case>"
_MAX_HEADER = 1 << 20
_MAX_DEPTH = 50
_MAX_PAGE = ReadOptions().max_line
_WIKITEXT = ("", "wikitext")


def read_wikipedia(lines: Lines, path: object, options: ReadOptions | None = None, n_bytes: int = 0) -> Records:
    r"""The record of each article.

    Examples
    --------
    >>> page = b"<page><title>Troy</title><ns>0</ns><id>1</id><revision><text>'''Troy''' fell.</text></revision></page>"
    >>> dump = [b'<mediawiki xml:lang="en">', page, b"</mediawiki>"]
    >>> [(record["id"], record["descriptions"]) for _, record in read_wikipedia(enumerate(dump, 1), "enwiki.xml")]
    [('Troy', {'en': 'Troy fell.'})]
    """
    options = options or ReadOptions()
    query = query_of("wikipedia", options)
    return joined_records(wikipedia_pages(lines, path, query, max_page=options.max_line), query, n_bytes)


@dataclass(frozen=True, slots=True)
class _Site:
    """What the head of a dump says about its wiki."""

    language: str = ""
    wiki: Wiki = field(default_factory=Wiki)

    @classmethod
    def of(cls, head: bytes) -> _Site:
        language = _LANGUAGE.search(head) or _DATABASE.search(head)
        namespaces = {
            name.decode("utf-8", "replace").replace("_", " ").lower(): int(key)
            for key, name in _NAMESPACE.findall(head)
        }
        wiki = Wiki(namespaces, _CASE_SENSITIVE not in head)
        return cls("" if language is None else language[1].decode("ascii").replace("_", "-"), wiki)


def wikipedia_pages(
    lines: Lines,
    path: object,
    query: DumpQuery,
    *,
    has_texts: bool = False,
    head: bytes = b"",
    max_page: int = _MAX_PAGE,
) -> DumpPages:
    """Each article and each redirect; `head` is that of the dump where the lines come from its middle."""
    if not head:
        head, lines = _with_head(without_declarations(lines, path), path)
    site = _Site.of(head)
    if not query.has_language(site.language):
        logger.warning("%s: the dump is in the language %r, which the query leaves out", path, site.language)
        return
    for number, blob in _blobs(lines, max_page):
        if isinstance(blob, BadRecord):
            yield number, blob
        elif _ARTICLE.search(blob, 0, 4096):
            try:
                page = _Fields().read(blob, number)
            except BadRecord as problem:
                yield number, problem.with_traceback(None)
            else:
                yield number, _page(page, site, has_texts)


def _with_head(lines: Lines, path: object) -> tuple[bytes, Lines]:
    """What stands before the first page, and the lines from that on."""
    head, number = bytearray(), 1
    for number, raw in lines:
        at = raw.find(_BEGIN)
        head += (raw if at < 0 else raw[:at]) + b"\n"
        if at >= 0:
            return bytes(head), itertools.chain([(number, raw[at:])], lines)
        if len(head) > _MAX_HEADER:
            raise DataError(f"not a dump of MediaWiki: no page in the first {_MAX_HEADER >> 20} MB", path=path)
    if f"<{ROOT}".encode() not in head:
        raise DataError(f"not a dump of MediaWiki: no element {ROOT!r} and no page", path=path, line=number)
    return bytes(head), iter(())


def _blobs(lines: Lines, max_page: int) -> Iterator[tuple[int, bytes | BadRecord]]:
    """Each page from `<page>` to `</page>`, with the line it begins in."""
    page: _OpenPage | None = None
    for number, raw in lines:
        at = 0
        while at < len(raw) or page is not None:
            if page is None:
                at = raw.find(_BEGIN, at)
                if at < 0:
                    break
                page, at = _OpenPage(number, max_page), at + len(_BEGIN)
            end = raw.find(_END, at)
            next_begin = raw.find(_BEGIN, at, len(raw) if end < 0 else end)
            if next_begin >= 0:
                yield page.line, BadRecord("bad_xml", "not XML: a page begins before the one before it has ended")
                page, at = None, next_begin
            elif end < 0:
                page.add(raw[at:] + b"\n")
                break
            else:
                page.add(raw[at : end + len(_END)])
                yield page.line, page.whole()
                page, at = None, end + len(_END)
    if page is not None:
        yield page.line, BadRecord("bad_xml", "not XML: the file ends within a page; fetch it again")


class _OpenPage:
    """A page as far as it was read; of one that is too long nothing is kept."""

    def __init__(self, line: int, max_bytes: int) -> None:
        self.line = line
        self._max_bytes = max_bytes
        self._parts, self._size = [_BEGIN], len(_BEGIN)

    def add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._max_bytes:
            self._parts.append(part)
        else:
            self._parts.clear()

    def whole(self) -> bytes | BadRecord:
        if self._size <= self._max_bytes:
            return b"".join(self._parts)
        limit = f"--limits line={2 * self._max_bytes}"
        return BadRecord("too_long", f"the page has more than {self._max_bytes:,} bytes. A higher limit: {limit}")


class _Fields:
    """The fields of a page that an entity needs, by an XML parser; of several revisions the last."""

    _KNOWN = {
        ("title",): "title", ("revision", "text"): "text", ("revision", "model"): "model", ("ns",): "ns",
    }  # fmt: skip

    def __init__(self) -> None:
        self._parser = expat.ParserCreate(encoding="utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._open: list[str] = []
        self._text: list[str] = []
        self._fields: dict[str, str] = {}

    def read(self, blob: bytes, line: int) -> dict[str, str]:
        try:
            self._parser.Parse(blob, True)
        except expat.ExpatError as error:
            where = f"line {line + error.lineno - 1}, column {error.offset + 1}"
            raise BadRecord("bad_xml", f"not XML: {expat.ErrorString(error.code)} ({where})") from None
        if not self._fields.get("title", "").strip():
            raise BadRecord("empty_title", "a page without a title")
        return self._fields

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise BadRecord("bad_xml", f"not MediaWiki: elements within elements, more than {_MAX_DEPTH} deep")
        if self._open == ["page", "redirect"]:
            self._fields["redirect"] = attributes.get("title", "")
        self._text.clear()

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _end(self, name: str) -> None:
        known = self._KNOWN.get(tuple(self._open[1:]))
        if known is not None:
            self._fields[known] = "".join(self._text)
        self._open.pop()
        self._text.clear()


def _page(page: dict[str, str], site: _Site, has_texts: bool) -> DumpPage:
    title = " ".join(page["title"].split())
    if page.get("redirect"):
        target = site.wiki.target(page["redirect"])
        return DumpPage() if target is None or target == title else DumpPage(redirect=(title, target))
    if page.get("model", "") not in _WIKITEXT:
        return DumpPage()
    plain = plain_text(page.get("text", ""), site.wiki)
    links = tuple((link.target, plain.text[link.start : link.end]) for link in plain.links)
    language = site.language
    if is_disambiguation(list(plain.templates), []) or "__DISAMBIG__" in page.get("text", ""):
        return DumpPage(links=links, language=language)
    record: dict[str, Any] = {"id": title, "title": title}
    if language:
        record |= {"aliases": [{"text": title, "lang": language}], "url": page_url(language, title)}
    if plain.first_paragraph:
        described = plain.first_paragraph
        record |= {"descriptions": {language: described}} if language else {"description": described}
    document = None
    if has_texts:
        mentions = (
            Mention(each.start, each.end, plain.text[each.start : each.end], each.target) for each in plain.links
        )
        document = Document(title, plain.text, lang=language or None, mentions=apart(mentions))
    return DumpPage(record, None, links, language, document)
