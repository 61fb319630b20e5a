"""Turtle in: triples, statement by statement, without a graph. Lists in round brackets are refused: NIF has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin

from deixis.documents.places import Place
from deixis.documents.spans import without_surrogates
from deixis.documents.turtle_tokens import Token, read_tokens
from deixis.errors import DataError

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
MAX_DEPTH = 50
"""Blank nodes in blank nodes; more are refused."""

_LOCAL_ESCAPE = re.compile(r"\\(.)")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_END = Token("end", "", 0)


@dataclass(frozen=True, slots=True)
class Iri:
    """The name of a thing; blank nodes begin with `_:`."""

    value: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A text or a number, as it was written."""

    value: str
    lang: str | None = None


class Triple(NamedTuple):
    """A statement, and the line on which its object stands."""

    subject: str
    predicate: str
    object: Iri | Literal
    line: int


def read_triples(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Triple]:
    """The triples of numbered lines, in the order they are written.

    Examples
    --------
    >>> lines = ["@prefix x: <http://example.org/> .", "x:paris a x:City ; x:name 'Paris'@en ."]
    >>> for triple in read_triples(enumerate(lines, start=1), "x.ttl"):
    ...     print(triple.subject, triple.object)
    http://example.org/paris Iri(value='http://example.org/City')
    http://example.org/paris Literal(value='Paris', lang='en')
    """
    return _Reader(lines, path).triples()


class _Reader:
    """Turtle's grammar, by recursive descent."""

    def __init__(self, lines: Iterable[tuple[int, str]], path: str) -> None:
        self._tokens = read_tokens(lines, path)
        self._path = path
        self._next = next(self._tokens, _END)
        self._line = 1
        self._prefixes: dict[str, str] = {}
        self._base = ""
        self._n_blank = 0
        self._depth = 0

    def triples(self) -> Iterator[Triple]:
        while self._next is not _END:
            if self._next.text in ("@prefix", "@base") or self._next.kind == "word":
                self._directive()
            else:
                yield from self._statement()

    def _directive(self) -> None:
        name = self._take().text
        word = name.lstrip("@").lower()
        if word == "prefix":
            prefix = self._take("name").text
            if not prefix.endswith(":") or prefix.count(":") > 1:
                raise self._error(f"a prefix ends in a colon, got {prefix!r}")
            self._prefixes[prefix[:-1]] = self._resolved(self._take("iri").text)
        elif word == "base":
            self._base = self._resolved(self._take("iri").text)
        else:
            raise self._error(f"expected a statement, got {name!r}")
        if name.startswith("@"):
            self._take_mark(".")

    def _statement(self) -> Iterator[Triple]:
        if self._next.text == "[" and self._next.kind == "mark":
            subject = self._new_blank()
            yield from self._property_list(subject)
            if self._is_mark("."):
                self._take()
                return
        else:
            subject = self._name()
        yield from self._predicates(subject)
        self._take_mark(".")

    def _predicates(self, subject: str) -> Iterator[Triple]:
        while True:
            if self._next.kind == "word" and self._next.text == "a":
                self._take()
                predicate = RDF_TYPE
            else:
                predicate = self._name()
            yield from self._object(subject, predicate)
            while self._is_mark(","):
                self._take()
                yield from self._object(subject, predicate)
            if not self._is_mark(";"):
                return
            while self._is_mark(";"):
                self._take()
            if self._next.kind == "mark":
                return

    def _object(self, subject: str, predicate: str) -> Iterator[Triple]:
        token = self._next
        if token.kind == "string":
            yield Triple(subject, predicate, self._literal(), token.line)
        elif token.kind == "number" or (token.kind == "word" and token.text in ("true", "false")):
            yield Triple(subject, predicate, Literal(self._take().text), token.line)
        elif token.kind == "mark" and token.text == "[":
            blank = self._new_blank()
            yield Triple(subject, predicate, Iri(blank), token.line)
            yield from self._property_list(blank)
        else:
            yield Triple(subject, predicate, Iri(self._name()), token.line)

    def _property_list(self, blank: str) -> Iterator[Triple]:
        self._take_mark("[")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"square brackets are nested more than {MAX_DEPTH} deep")
        if not self._is_mark("]"):
            yield from self._predicates(blank)
        self._take_mark("]")
        self._depth -= 1

    def _literal(self) -> Literal:
        value = without_surrogates(self._take("string").text)
        if self._next.kind == "at":
            return Literal(value, self._take().text[1:])
        if self._next.kind == "typed":
            self._take()
            self._name()
        return Literal(value)

    def _name(self) -> str:
        """The IRI that comes next, in brackets, with a prefix, or that of a blank node."""
        token = self._take()
        if token.kind == "iri":
            return self._resolved(token.text)
        if token.kind == "blank":
            return token.text
        if token.kind != "name":
            raise self._error(f"expected an IRI or a name with a prefix, got {_shown(token)}")
        prefix, _, local = token.text.partition(":")
        if prefix not in self._prefixes:
            known = ", ".join(sorted(f"{name}:" for name in self._prefixes)) or "none"
            raise self._error(f"the prefix '{prefix}:' is not declared. Declared: {known}")
        return self._prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local)

    def _resolved(self, iri: str) -> str:
        iri = without_surrogates(iri)
        if not self._base or _ABSOLUTE.match(iri):
            return iri
        try:
            joined = urljoin(self._base, iri)
            return f"{joined}#" if iri.endswith("#") else joined  # urljoin drops an empty fragment
        except ValueError as error:
            raise self._error(f"{iri!r} is no IRI: {error}") from None

    def _new_blank(self) -> str:
        self._n_blank += 1
        return f"_: {self._n_blank}"  # with a space, so that no label in the file can be the same

    def _is_mark(self, text: str) -> bool:
        return self._next.kind == "mark" and self._next.text == text

    def _take_mark(self, text: str) -> None:
        if not self._is_mark(text):
            self._line = self._next.line or self._line
            raise self._error(f"expected {text!r}, got {_shown(self._next)}")
        self._take()

    def _take(self, kind: str | None = None) -> Token:
        token = self._next
        self._line = token.line or self._line
        if token is _END or (kind is not None and token.kind != kind):
            raise self._error(f"expected {kind or 'more'}, got {_shown(token)}")
        self._next = next(self._tokens, _END)
        return token

    def _error(self, problem: str) -> DataError:
        return Place(self._path, self._line).error(f"not Turtle as NIF uses it: {problem}")


def _shown(token: Token) -> str:
    if token is _END:
        return "the end of the file"
    return repr(token.text) if len(token.text) <= 60 else f"{token.text[:57]!r}..."
