"""JSON that is not one object a line to records: arrays, `{"products": [...]}`, `{"id1": {...}}`, `{"id1": "name"}`.

Reads one element after another, so that a list never is in memory as a whole. After a syntax error nothing can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.header_words import field_of
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
_SPACE = re.compile(r"[ \t\r\n]*")
_MIN_BLOCK = 1 << 16
_MAX_UNDECIDED = 50
"""Entries of an object after which it is taken for a table of ids, whatever follows."""


def read_json(lines: Iterator[tuple[int, bytes]], path: object) -> Records:
    """The records of arrays and objects, with the number of the line in which each begins.

    Examples
    --------
    >>> lines = [(1, b'{"version": 2, "products": ['), (2, b'{"id": 1, "title": "pump"}, "valve"]}')]
    >>> list(read_json(iter(lines), "products.json"))
    [(2, {'id': 1, 'title': 'pump'}), (2, {'title': 'valve'})]
    """
    scanner = _Scanner(lines, path)
    while character := scanner.peek():
        if character == "[":
            yield from _elements(scanner)
        elif character == "{":
            yield from _entries(scanner)
        else:
            raise scanner.error("is neither a JSON array nor a JSON object")


class _Scanner:
    """A place in JSON text that is read as it is needed."""

    def __init__(self, lines: Iterator[tuple[int, bytes]], path: object) -> None:
        self._lines, self._path = lines, path
        self._text, self._position = "", 0
        self._n_before, self._counted = 1, 0  # the line at `_counted`
        self._last_line = 1
        self._decode = json.JSONDecoder().raw_decode

    @property
    def number(self) -> int:
        """The number of the line here."""
        self._n_before += self._text.count("\n", self._counted, self._position)
        self._counted = self._position
        return self._n_before

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            self._position = _SPACE.match(self._text, self._position).end()  # type: ignore[union-attr]
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._more():
                return ""

    def after_bracket(self) -> str:
        """The first character after the bracket here."""
        while True:
            end = _SPACE.match(self._text, self._position + 1).end()  # type: ignore[union-attr]
            if end < len(self._text):
                return self._text[end]
            if not self._more():
                return ""

    def skip(self, expected: str) -> str:
        """Goes on behind one of these characters."""
        character = self.peek()
        if not character or character not in expected:
            raise self.error(f"expected {' or '.join(expected)}, got {character or 'the end of the file'!r}")
        self._position += 1
        return character

    def value(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """The value here."""
        self.peek()
        while True:
            try:
                value, self._position = self._decode(self._text, self._position)
                return value
            except json.JSONDecodeError as error:
                if self._text[error.pos :].strip() or not self._more():
                    self._position = min(error.pos, len(self._text))
                    raise self.error(f"{error.msg}") from None
            except (ValueError, RecursionError):
                raise self.error("nested too deep, or a number with too many digits") from None

    def error(self, what: str) -> DataError:
        return DataError(f"not usable JSON: {what}", path=self._path, line=min(self.number, self._last_line))

    def _more(self) -> bool:
        """Whether there was more to read: as much again as there is, so that a long value is tried few times."""
        at_number = self.number
        rest = self._text[self._position :]
        parts, n_characters = [rest], 0
        for number, raw in self._lines:
            parts.append(decode_line(raw, self._path, number) + "\n")
            self._last_line = number
            n_characters += len(parts[-1])
            if n_characters >= max(_MIN_BLOCK, len(rest)):
                break
        self._text, self._position, self._counted, self._n_before = "".join(parts), 0, 0, at_number
        return n_characters > 0


def _elements(scanner: _Scanner) -> Records:
    scanner.skip("[")
    if scanner.peek() == "]":
        scanner.skip("]")
        return
    while True:
        scanner.peek()
        number = scanner.number
        yield number, _record(scanner.value())
        if scanner.skip(",]") == "]":
            return


def _entries(scanner: _Scanner) -> Records:
    """The records of an object: of its first list of objects, or one for each of its keys, or itself."""
    scanner.peek()
    first = scanner.number
    held: dict[str, tuple[int, Any]] = {}
    is_list, is_by_id = False, False
    for number, key in _keys(scanner):
        if not is_by_id and scanner.peek() == "[" and scanner.after_bracket() == "{":
            if is_list or _is_record(held):
                held[key] = (number, scanner.value())
            else:
                is_list = True
                yield from _elements(scanner)
            continue
        held[key] = (number, scanner.value())
        if is_list:
            held.clear()
        elif is_by_id or len(held) > _MAX_UNDECIDED:
            is_by_id = True
            yield from _by_id(held)
            held.clear()
    if is_list or not held:
        return
    if all(isinstance(value, dict) for _, value in held.values()) or not _is_record(held):
        yield from _by_id(held)
    else:
        yield first, {key: value for key, (_, value) in held.items()}


def _keys(scanner: _Scanner) -> Iterator[tuple[int, str]]:
    """Each key of an object with its line; the value is for the caller to read."""
    scanner.skip("{")
    if scanner.peek() == "}":
        scanner.skip("}")
        return
    while True:
        if scanner.peek() != '"':
            raise scanner.error("expected the name of a field in double quotes")
        number, key = scanner.number, scanner.value()
        scanner.skip(":")
        yield number, key
        if scanner.skip(",}") == "}":
            return


def _is_record(entries: dict[str, Any]) -> bool:
    """Whether an object is itself an entity: it has a field of names or ids."""
    words = (field_of(key) for key in entries)
    return any(known is not None and known[0] in ("id", "title") for known in words)


def _record(value: object) -> dict[str, Any] | BadRecord:
    if type(value) is dict:
        return value
    if type(value) is str:
        return {"title": value}
    return BadRecord("wrong_type", f"an entity must be an object or a name, got {ascii(value)[:60]}")


def _by_id(entries: dict[str, tuple[int, Any]]) -> Records:
    for key, (number, value) in entries.items():
        if type(value) is dict:
            yield number, value if "id" in value else {"id": key} | value
        elif type(value) is str:
            yield number, {"id": key, "title": value}
        elif type(value) is list and value and all(type(item) is str for item in value):
            yield number, {"id": key, "title": value[0], "aliases": value[1:]}
        else:
            reason = f"the entity {key!a:.40} must be an object, a name or a list of names, got {ascii(value)[:60]}"
            yield number, BadRecord("wrong_type", reason)
