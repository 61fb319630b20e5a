"""JSON that is read piece by piece: one value at a time out of a text that may be larger than memory likes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from deixis.documents.places import Place
from deixis.errors import DataError

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SCALAR = re.compile(_STRING + r'|[^\s{}\[\],:"]+')
_BRACKET = re.compile(_STRING + r'|[{}\[\]"]')


class JsonStream:
    """A cursor over numbered lines of JSON; holds the current line and the value it is asked for, and no more.

    Examples
    --------
    >>> stream = JsonStream([(1, '[{"id": 1},'), (2, ' {"id": 2}]')], "x.json")
    >>> [item["id"] for item in stream.items()]
    [1, 2]
    """

    def __init__(self, lines: Iterable[tuple[int, str]], path: str) -> None:
        self._lines = iter(lines)
        self._path = path
        self._number = 1
        self._line = ""
        self._at = 0

    @property
    def place(self) -> Place:
        """Where the cursor stands."""
        return Place(self._path, self._number)

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            self._at = self._skipped(self._at)
            if self._at < len(self._line):
                return self._line[self._at]
            if not self._advance():
                return ""

    def take(self, character: str) -> None:
        """Passes over `character`, which must come next."""
        if self.peek() != character:
            raise self.error(f"expected {character!r}")
        self._at += 1

    def has_more(self, closing: str, is_first: bool) -> bool:
        """Whether another item comes before `closing`; passes over the comma, or over `closing` itself."""
        if self.peek() == closing:
            self._at += 1
            return False
        if not is_first:
            self.take(",")
        return True

    def items(self) -> Iterator[Any]:
        """The values of the array that begins here, one after another."""
        self.take("[")
        is_first = True
        while self.has_more("]", is_first):
            yield self.value()
            is_first = False

    def value(self) -> Any:  # noqa: ANN401 - any JSON value
        """The value that begins here."""
        first = self.peek()
        place = self.place
        if first in ("{", "["):
            text = self._bracketed()
        else:
            found = _SCALAR.match(self._line, self._at)
            if found is None:
                raise self.error("expected a value")
            text, self._at = found.group(), found.end()
        try:
            return json.loads(text)
        except RecursionError:
            raise place.error("JSON nested too deeply") from None
        except ValueError as error:
            raise place.error(f"not JSON ({error}): {text.strip()[:60]!r}") from None

    def error(self, expectation: str) -> DataError:
        """The error that something else stands here."""
        rest = self._line[self._at : self._at + 40]
        return self.place.error(f"not JSON: {expectation}, found {repr(rest) if rest else 'the end of the file'}")

    def _bracketed(self) -> str:
        """The text from the bracket here to the one that closes it; strings never span lines in JSON."""
        parts: list[str] = []
        depth = 0
        begin = self._at
        while True:
            for found in _BRACKET.finditer(self._line, begin):
                mark = self._line[found.start()]
                if mark == '"':
                    if len(found.group()) == 1:
                        self._at = found.start()
                        raise self.error("expected a string that ends on its line")
                    continue
                depth += 1 if mark in "{[" else -1
                if depth == 0:
                    self._at = found.end()
                    parts.append(self._line[begin : self._at])
                    return "\n".join(parts)
            parts.append(self._line[begin:])
            begin = 0
            if not self._advance():
                raise self.error("expected a closing bracket")

    def _skipped(self, at: int) -> int:
        found = _SPACE.match(self._line, at)
        return at if found is None else found.end()

    def _advance(self) -> bool:
        number, line = next(self._lines, (self._number, None))
        self._number, self._line, self._at = number, line or "", 0
        return line is not None
