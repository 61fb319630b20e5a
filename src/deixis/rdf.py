"""RDF in: the statements of Turtle, N-Triples, RDF/XML and JSON-LD, one after the other, with their lines.

pyoxigraph (extra `rdf`) does the reading. No graph is made and nothing is fetched.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import IO, NamedTuple, cast

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from deixis.errors import DataError
from deixis.xml_prolog import without_declarations

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SUFFIX_TO_SYNTAX = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
_XML_OPENINGS = (b"<?xml", b"<rdf:RDF", b"<!DOCTYPE", b"<!--")
_JSON_OPENING = re.compile(rb"\s*[\[{]\s*(\{|\"|\Z)")
_MAX_SINGLE = 1000  # lines without a statement that are given one by one
_BOM = b"\xef\xbb\xbf"
_PLACE = re.compile(r"\AParser error (?:at|between) line [^:]*: ")
_CONVERT = (
    "Protégé writes such files: open it there and save it as Turtle, or convert it with ROBOT "
    "(robot convert --input FILE --output FILE.ttl, or FILE.obo)"
)
_NO_FETCHING = "the '@context' is at another address, and nothing is fetched; write the context into the file"


class Statement(NamedTuple):
    """A triple and the line on which it ends; names of blank nodes begin with `_:`.

    `lang` is the language of a literal, empty if it has none, and None if `value` is the name of a thing.
    """

    subject: str
    predicate: str
    value: str
    lang: str | None
    line: int


def read_statements(lines: Iterable[tuple[int, bytes]], path: str, suffix: str = "") -> Iterator[Statement]:
    """The statements of numbered lines, in the order in which they end.

    `suffix`, the end of the file's name, says which syntax it has; where it says nothing, the first line does. IRIs may
    be relative and may hold characters that the grammar forbids (`"`, `|`), because DBpedia's do. Languages come out in
    the case that RFC 5646 recommends (`en-GB`).

    Examples
    --------
    >>> lines = [b"@prefix x: <http://example.org/> .", b"x:paris a x:City ; x:name 'Paris'@en ."]
    >>> for statement in read_statements(enumerate(lines, start=1), "x.ttl"):
    ...     print(statement.subject, statement.value, statement.lang)
    http://example.org/paris http://example.org/City None
    http://example.org/paris Paris en
    """
    first, lines = _with_first(lines)
    syntax = _SUFFIX_TO_SYNTAX.get(suffix) or _syntax_of(first)
    source = _Lines(without_declarations(lines, path, _CONVERT) if syntax == RdfFormat.RDF_XML else lines)
    names = _Names()
    try:
        for quad in parse(cast(IO[bytes], source), syntax, lenient=True):
            source.n_given = 0
            value = quad.object
            if isinstance(value, Literal):
                text, lang = value.value, _recommended_case(value.language or "")
            else:
                text, lang = names.of(value), None
            yield Statement(names.of(quad.subject), quad.predicate.value, text, lang, source.line)
    except MemoryError as error:  # of the parser's own buffer
        reason = f"a name, string or tag has more than 16 MB ({error}); is a quote or a bracket left open?"
        raise DataError(f"not {syntax.name}: {reason}", path=path, line=source.line) from error
    except SyntaxError as error:
        reason = _NO_FETCHING if "remote context" in error.msg else " ".join(_PLACE.sub("", error.msg).split())
        line = min(source.line, source.first + (error.lineno or source.line) - 1)  # it may be one past the end
        column = f" (column {error.offset})" if error.lineno and error.offset else ""
        raise DataError(f"not {syntax.name}: {reason}{column}", path=path, line=line) from error


class _Lines:
    """Lines as a file that gives one at a time, so that it is known on which line a statement ends."""

    def __init__(self, lines: Iterable[tuple[int, bytes]]) -> None:
        self._lines = iter(lines)
        self.line, raw = next(self._lines, (1, b""))
        self.first = self.line
        self._waiting = raw.removeprefix(_BOM).removesuffix(b"\n") + b"\n"
        self.n_given = 0
        """Lines since the last statement."""

    def read(self, size: int) -> bytes:
        """The next line, or as much of it as `size` allows; nothing at the end.

        Where many lines make no statement, as in a string that is left open, more of them come at a time: the parser
        begins such a string anew each time.
        """
        if not self._waiting:
            self._waiting = self._next() if self.n_given < _MAX_SINGLE else b"".join(self._some())
        if len(self._waiting) <= size:
            part, self._waiting = self._waiting, b""
        else:
            part, self._waiting = self._waiting[:size], self._waiting[size:]
        return part

    def _next(self) -> bytes:
        following = next(self._lines, None)
        if following is None:
            return b""
        self.line, raw = following
        self.n_given += 1
        return raw if raw[-1:] == b"\n" else raw + b"\n"

    def _some(self) -> Iterator[bytes]:
        for _ in range(self.n_given - _MAX_SINGLE + 1):
            if not (line := self._next()):
                return
            yield line


class _Names:
    """Names of things; blank nodes are numbered in the order in which they come: the same names each time."""

    def __init__(self) -> None:
        self._blank: dict[str, str] = {}

    def of(self, node: object) -> str:
        """The name of a subject or an object that is no literal."""
        if isinstance(node, NamedNode):
            return node.value
        if isinstance(node, BlankNode):
            return self._blank.setdefault(node.value, f"_:b{len(self._blank) + 1}")
        raise SyntaxError("a statement about a statement (RDF-star) is not read")


def _with_first(lines: Iterable[tuple[int, bytes]]) -> tuple[bytes, Iterator[tuple[int, bytes]]]:
    """The first line that is not blank, and every line."""
    head: list[tuple[int, bytes]] = []
    rest = iter(lines)
    for numbered in rest:
        head.append(numbered)
        if numbered[1].removeprefix(_BOM).strip():
            break
    return (head[-1][1].removeprefix(_BOM) if head else b""), itertools.chain(head, rest)


def _syntax_of(start: bytes) -> RdfFormat:
    opening = start.lstrip()
    if opening.startswith(_XML_OPENINGS):
        return RdfFormat.RDF_XML
    return RdfFormat.JSON_LD if _JSON_OPENING.match(opening) else RdfFormat.TURTLE  # N-Triples is Turtle


@lru_cache(maxsize=1000)
def _recommended_case(language: str) -> str:
    """A language tag as RFC 5646, section 2.1.1, recommends to write it.

    Examples
    --------
    >>> _recommended_case("zh-hant-tw"), _recommended_case("EN")
    ('zh-Hant-TW', 'en')
    """
    first, *others = language.lower().split("-")
    cased = [part.upper() if len(part) == 2 else part.title() if len(part) == 4 else part for part in others]
    return "-".join([first, *cased])
