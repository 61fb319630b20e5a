"""Turtle's tokens (RDF 1.1 Turtle, section 6.5), line by line; only long strings reach over a line's end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deixis.documents.places import Place

_NAME_CHARACTER = r"[\w\u00b7\u0300-\u036f\u203f\u2040-]"
_LOCAL_CHARACTER = rf"(?:{_NAME_CHARACTER}|:|%[0-9A-Fa-f]{{2}}|\\[-_~.!$&'()*+,;=/?#@%])"
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r\n]+|\#.*)
    | (?P<long>\"\"\"|''')
    | (?P<string>"[^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*+"|'[^'\\\r\n]*+(?:\\.[^'\\\r\n]*+)*+')
    | (?P<iri><[^<>\x00-\x20]*>)
    | (?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    | (?P<typed>\^\^)
    | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+|\.[0-9]+[eE][+-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+))
    | (?P<blank>_:{_NAME_CHARACTER}+(?:\.+{_NAME_CHARACTER}+)*)
    | (?P<name>(?:[^\W\d_]{_NAME_CHARACTER}*(?:\.+{_NAME_CHARACTER}+)*)?:
        (?:{_LOCAL_CHARACTER}(?:\.*{_LOCAL_CHARACTER})*)?)
    | (?P<word>[A-Za-z]+)
    | (?P<mark>[.;,\[\]()])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.)|$)", re.DOTALL)
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


class Token(NamedTuple):
    """A word of Turtle: its kind, what it says (escapes undone), and its line."""

    kind: str
    text: str
    line: int


def read_tokens(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Token]:
    r"""The tokens of numbered lines; strings without their quotes, IRIs without their brackets.

    Examples
    --------
    >>> [(token.kind, token.text) for token in read_tokens([(1, 'nif:isString "a\\u00e9" . # so')], "x.ttl")]
    [('name', 'nif:isString'), ('string', 'aé'), ('mark', '.')]
    """
    numbered = iter(lines)
    for number, line in numbered:
        at = 0
        while at < len(line):
            found = _TOKEN.match(line, at)
            if found is None or found.lastgroup is None:
                raise Place(path, number).error(f"not Turtle: {line[at : at + 40]!r}")
            kind, text, begun = found.lastgroup, found.group(), number
            at = found.end()
            if kind == "long":
                text, number, line, at = _long_string(text, numbered, number, line, at, path)
                kind = "string"
            elif kind in ("string", "iri"):
                text = text[1:-1]
            if kind in ("string", "iri"):
                text = _unescaped(text, kind, Place(path, begun))
            if kind != "space":
                yield Token(kind, text, begun)


def _long_string(
    quotes: str, lines: Iterator[tuple[int, str]], number: int, line: str, at: int, path: str
) -> tuple[str, int, str, int]:
    """The text up to the closing quotes, and the line and column after them."""
    closing = re.compile(rf"(?:[^\\{quotes[0]}]|\\.|{quotes[0]}(?!{quotes[1:]}))*+({quotes})?")
    begun = number
    parts: list[str] = []
    while True:
        found = closing.match(line, at)
        if found is not None and found.group(1):
            parts.append(line[at : found.end() - 3])
            return "\n".join(parts), number, line, found.end()
        parts.append(line[at:])
        number, following = next(lines, (number, None))
        if following is None:
            raise Place(path, begun).error(f"not Turtle: the string that opens here with {quotes} is never closed")
        line, at = following, 0


def _unescaped(text: str, kind: str, place: Place) -> str:
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        code = found.group(1) or found.group(2)
        if code is not None and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if kind == "string" and found.group(3) in _SHORT:
            return _SHORT[found.group(3)]
        raise place.error(f"not Turtle: the escape {found.group()!r} is not known")

    return _ESCAPE.sub(character, text)
