"""Wikitext to plain text with its links: templates, tables, references, files, comments and markup are left out.

Two passes, each linear in the length of the text whatever it holds: the first cuts out what is shown nowhere in
running text (by brackets that match), the second reads links, emphasis, tags and lines. Templates are not expanded.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass
from urllib.parse import unquote

from deixis.kb.dumps.titles import CATEGORY, FILE, Wiki, is_interwiki

_DROPPED = (
    "ref|references|math|ce|chem|gallery|timeline|syntaxhighlight|source|score|imagemap|graph|hiero|templatedata|"
    "maplink|mapframe|table|style|script|includeonly|inputbox|categorytree|section"
)
_BRACKETS = re.compile(  # begins with a set of characters, which is searched for ten times as fast as alternatives
    r"[{}<|](?:(?P<open>(?<=\{)\{+)|(?P<close>(?<=\})\}+)|(?P<table>(?<=\{)\|)|(?P<end>(?<=\|)\}\}?)|(?P<comment>(?<=<)!--)"
    rf"|(?<=<)(?P<tag>{_DROPPED}|nowiki|pre)\b(?P<attributes>[^<>]*)>)",
    re.IGNORECASE,
)
_TEMPLATE_NAME = re.compile(r"\{\{+[ \t\n]*([^{}|\n<>\[\]]{1,100})")
_MARKUP = re.compile(r"[\[\]{}'<>=*|:_\n!-]")
_TOKENS = re.compile(  # as above
    r"[\[\]|\n'<&_](?:(?P<open>(?<=\[)\[)|(?P<close>(?<=\])\])|(?P<bar>(?<=\|))|(?P<line>(?<=\n))"
    r"|(?P<quotes>(?<=')'+)|(?P<tag>(?<=<)/?[a-zA-Z][^<>]*>)"
    r"|(?P<entity>(?<=&)(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)"
    r"|(?P<url>(?<=\[)(?:https?:|ftp:|mailto:|news:)?//[^\s\]<>\[]*[ \t]*)|(?P<bracket>(?<=\]))"
    r"|(?P<switch>(?<=_)_[A-Z]{3,30}__))"
)
_HEADING = re.compile(r"={1,6}[^\n]*=[ \t]*(?=\n|\Z)")
_LINE_START = re.compile(r"[ \t]*(?:-{4,})?[*#:;]*[ \t]*")
_BREAKS = re.compile(r"</?(?:br|p|div|li|tr|td|th|center|blockquote)\b", re.IGNORECASE)
_UNWANTED = re.compile(  # as above; most spaces have letters around them, and need no second look
    r"[\s(（,;](?=[\s(（,.;:)）/–-]|(?<=[\s(（].)|\Z|(?<!..))"
    r"(?:(?<=[ \t])[ \t]*[(（][ \t,;:/–-]*[)）]|(?<=[(（])[ \t,;:/–-]*[)）]|(?<=[(（][ \t,;])[ \t,;]*"
    r"|(?<=[ \t])[ \t]*(?=[,.;:)）\n])|(?<=[ \t][ \t])[ \t]*|(?<=\n\s)\s*|(?<!..)(?<=\s)\s*|(?<=\s)\s*\Z)",
    re.DOTALL,
)
_SPACES = re.compile("[\u00a0\u2002\u2003\u2009\u202f\t\r]")


@dataclass(frozen=True, slots=True)
class Link:
    """A span of the plain text that links to an article."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class PlainText:
    """A page as plain text, paragraphs separated by a line end; offsets are code points."""

    text: str
    links: tuple[Link, ...]
    n_intro: int
    """Where the text before the first heading ends."""
    templates: tuple[str, ...]

    @property
    def first_paragraph(self) -> str:
        """The first paragraph before any heading that has letters."""
        paragraphs = self.text[: self.n_intro].split("\n")
        return next((each for each in paragraphs if any(map(str.isalpha, each))), "")


def plain_text(wikitext: str, wiki: Wiki | None = None) -> PlainText:
    r"""The plain text of a page, with the links to articles.

    Examples
    --------
    >>> page = plain_text("'''Paris''' ({{lang|el|x}}) fled to [[troy|Troy]]s.<ref>[[Homer]]</ref>\n== History ==\nHe fell.")
    >>> page.text, page.first_paragraph
    ('Paris fled to Troys.\nHe fell.', 'Paris fled to Troys.')
    >>> [(page.text[link.start : link.end], link.target) for link in page.links], page.templates
    ([('Troys', 'Troy')], ('lang',))
    """  # noqa: E501
    text, templates = _without_brackets(wikitext)
    return _Parser(wiki or Wiki()).parse(text, templates)


def _without_brackets(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without templates, tables, comments and tags with their content; names of the templates."""
    cuts, names = _cuts(text)
    pieces, at = [], 0
    for start, end, shown in cuts:
        pieces += [text[at:start], shown]
        at = end
    pieces.append(text[at:])
    return "".join(pieces), names


def _cuts(text: str) -> tuple[list[tuple[int, int, str]], tuple[str, ...]]:  # noqa: C901 - one branch a kind of bracket
    """Spans that are cut out, in order and apart, with what stands there instead."""
    cuts: list[tuple[int, int, str]] = []
    names: dict[str, None] = {}
    open_brackets: list[tuple[str, int]] = []
    n_open = {"{{": 0, "{|": 0}
    unclosed: set[str] = set()
    at = 0

    def close(kind: str, end: int) -> None:
        while n_open[kind]:
            opened, start = open_brackets.pop()
            n_open[opened] -= 1
            if opened == kind:
                while cuts and cuts[-1][0] >= start:
                    cuts.pop()
                cuts.append((start, end, ""))
                return

    while match := _BRACKETS.search(text, at):
        first, at, start, kind = at, match.end(), match.start(), match.lastgroup
        if kind in ("table", "end"):  # only at the start of a line
            line = text.rfind("\n", max(first - 1, 0), start) + 1
            if line < first or text[line:start].strip(" \t:" if kind == "table" else " \t"):
                at = start + 1
                continue
            start = line
        if kind == "open":
            named = _TEMPLATE_NAME.match(text, start)
            if named is not None:
                names[named[1].strip()] = None
            for number in range((match.end() - start) // 2):
                open_brackets.append(("{{", start + 2 * number if number else start))
                n_open["{{"] += 1
        elif kind == "close" or (
            kind == "end" and match[0].endswith("}}") and open_brackets[-1:] and open_brackets[-1][0] == "{{"
        ):
            for _ in range((len(match[0].lstrip(" \t|"))) // 2):
                close("{{", match.end())
        elif kind == "table":
            open_brackets.append(("{|", start))
            n_open["{|"] += 1
        elif kind == "end":
            if match[0].endswith("}}"):
                at -= 1
            close("{|", at)
        elif kind == "comment":
            end = text.find("-->", at)
            at = len(text) if end < 0 else end + 3
            cuts.append((start, at, ""))
        else:
            at = _cut_tag(text, match, cuts, unclosed)
    return cuts, tuple(names)


def _cut_tag(text: str, match: re.Match[str], cuts: list[tuple[int, int, str]], unclosed: set[str]) -> int:
    """Cuts an element out, or of `nowiki` its tags; where to go on."""
    name = match["tag"].lower()
    if match["attributes"].rstrip().endswith("/") or name in unclosed:
        cuts.append((match.start(), match.end(), ""))
        return match.end()
    end = re.compile(rf"</{name}[ \t]*>", re.IGNORECASE).search(text, match.end())
    if end is None:
        unclosed.add(name)
        cuts.append((match.start(), match.end(), ""))
        return match.end()
    shown = ""
    if name in ("nowiki", "pre"):  # marks in it are no markup
        shown = _MARKUP.sub(lambda mark: f"&#{ord(mark[0])};", text[match.end() : end.start()])
    cuts.append((match.start(), end.end(), shown))
    return end.end()


class _Parser:
    """The second pass: pieces of plain text, and the links that are open."""

    def __init__(self, wiki: Wiki) -> None:
        self._wiki = wiki
        self._pieces: list[str] = []
        self._length = 0
        self._links: list[Link] = []
        self._open: list[_OpenLink] = []
        self._n_urls = 0
        self._n_intro: int | None = None

    def parse(self, text: str, templates: tuple[str, ...]) -> PlainText:
        text = _SPACES.sub(" ", text)
        at = self._line(text, 0)
        while match := _TOKENS.search(text, at):
            self._add(text[at : match.start()])
            at = match.end()
            kind = match.lastgroup
            if kind == "open":
                self._open.append(_OpenLink(len(self._pieces), self._length, len(self._links)))
            elif kind == "close":
                at = self._close(text, at)
            elif kind == "line":
                self._leave_line()
                self._add("\n")
                at = self._line(text, at)
            else:
                self._mark(kind, match[0])
        self._add(text[at:])
        joined = "".join(self._pieces)
        return _cleaned(joined, self._links, len(joined) if self._n_intro is None else self._n_intro, templates)

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def _mark(self, kind: str | None, mark: str) -> None:
        if kind == "bar":
            if self._open and self._open[-1].target is None:
                self._open[-1].target = self._cut(self._open[-1])
            else:
                self._add(mark)
        elif kind == "quotes":
            self._add("'" * (1 if len(mark) == 4 else max(len(mark) - 5, 0)))
        elif kind == "tag":
            self._add(" " if _BREAKS.match(mark) else "")
        elif kind == "entity":
            character = html.unescape(mark)
            self._add(" " if character.isspace() else character)
        elif kind == "url":
            self._n_urls += 1
        elif kind == "bracket":
            if self._n_urls:
                self._n_urls -= 1
            else:
                self._add(mark)

    def _leave_line(self) -> None:
        """What a line leaves open, and may not: addresses, and links whose target would have a line end."""
        self._n_urls = 0
        while self._open and self._open[-1].target is None:
            self._open.pop()

    def _line(self, text: str, at: int) -> int:
        """Leaves out what stands at the start of a line for its looks; headings as a whole."""
        if self._open:
            return at
        while heading := _HEADING.match(text, at):
            if self._n_intro is None:
                self._n_intro = self._length
            at = min(heading.end() + 1, len(text))
        return _LINE_START.match(text, at).end()  # type: ignore[union-attr]

    def _cut(self, link: _OpenLink) -> str:
        """The text since a link began, taken back."""
        taken = "".join(self._pieces[link.n_pieces :])
        del self._pieces[link.n_pieces :]
        del self._links[link.n_links :]
        self._length = link.start
        return taken

    def _close(self, text: str, at: int) -> int:
        if not self._open:
            self._add("]]")
            return at
        link = self._open.pop()
        is_bare = link.target is None
        target = (self._cut(link) if link.target is None else link.target).strip()
        shown_here = target.startswith(":")
        name = target[1:].strip() if shown_here else target
        hidden = self._wiki.namespace(name) in (FILE, CATEGORY) or (is_interwiki(name) and is_bare)
        if hidden and not shown_here:
            self._cut(link)
            return at
        if is_bare or self._length == link.start:
            self._add(unquote(name) if "%" in name else name)
        end = at
        while end < len(text) and text[end].islower():
            end += 1
        self._add(text[at:end])
        article = None if shown_here else self._wiki.target(target)
        if article is not None and self._length > link.start:
            del self._links[link.n_links :]  # links do not nest
            self._links.append(Link(link.start, self._length, article))
        return end


@dataclass(slots=True)
class _OpenLink:
    """Where an open link began; its target, once a bar has ended it."""

    n_pieces: int
    start: int
    n_links: int
    target: str | None = None


def _cleaned(text: str, links: list[Link], n_intro: int, templates: tuple[str, ...]) -> PlainText:
    """The text without empty brackets and superfluous white space, links moved along."""
    starts, ends, n_before = [], [], [0]
    for match in _UNWANTED.finditer(text):
        starts.append(match.start())
        ends.append(match.end())
        n_before.append(n_before[-1] + match.end() - match.start())
    pieces = [text[begin:stop] for begin, stop in zip([0, *ends], [*starts, len(text)], strict=True)]

    def moved(offset: int) -> int:
        number = bisect_right(starts, offset - 1) if offset else 0
        inside = max(ends[number - 1] - offset, 0) if number else 0
        return offset - n_before[number] + inside

    result = "".join(pieces)
    shown = []
    for link in links:
        start, end = moved(link.start), moved(link.end)
        while start < end and result[start].isspace():
            start += 1
        while end > start and result[end - 1].isspace():
            end -= 1
        if start < end:
            shown.append(Link(start, end, link.target))
    return PlainText(result, tuple(shown), moved(n_intro), templates)
