"""Whether a span fits its text, and the message if it does not.

Text as the rest of the toolkit can hold it, with every offset where it was.

What offsets count in: finds it out by the surface forms that annotations bring along, and turns it into code points.

Deixis counts Unicode code points. Files in the wild also count UTF-8 bytes (BioC's definition asks for them) and UTF-16
units (what Java and JavaScript call characters). Only one of them makes an annotation's own text stand at its offsets,
unless all that comes before is ASCII; then it does not matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import TypeGuard

from deixis.errors import DataError
from deixis.types import Mention

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    r"""The text with each lone surrogate, which UTF-8 cannot hold, replaced by one U+FFFD: offsets stay right.

    Examples
    --------
    >>> without_surrogates("a\ud83db")
    'a�b'
    """
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() else text


class Unit(Enum):
    """What a file's offsets count in; the value says it to people."""

    CODE_POINTS = "Unicode code points"
    UTF8_BYTES = "UTF-8 bytes"
    UTF16_UNITS = "UTF-16 units"

    def width(self, character: str) -> int:
        """How many units a character takes.

        Examples
        --------
        >>> [unit.width("é") for unit in Unit], [unit.width("😀") for unit in Unit]
        ([1, 2, 1], [1, 4, 2])
        """
        code = ord(character)
        if self is Unit.UTF8_BYTES:
            return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)
        return 1 + (self is Unit.UTF16_UNITS and code > 0xFFFF)


class Ruler:
    """Turns offsets in some unit, counted from the start of a text, into code points.

    Examples
    --------
    >>> ruler = Ruler("Zürich Paris", Unit.UTF8_BYTES)
    >>> ruler.code_point(8), ruler.length
    (7, 13)
    """

    def __init__(self, text: str, unit: Unit) -> None:
        self._starts: list[int] | None = None
        self.length = len(text)
        if unit is not Unit.CODE_POINTS and not text.isascii():
            self._starts = list(accumulate(map(unit.width, text), initial=0))
            self.length = self._starts[-1]

    def code_point(self, offset: int) -> int:
        """The code point at `offset`; one that lies outside the text stays outside."""
        if self._starts is None or offset < 0:
            return offset
        return bisect_right(self._starts, offset) - 1 + max(0, offset - self.length)

    def offset(self, code_point: int) -> int:
        """The other way round: where a code point of the text begins, or where the text ends.

        Examples
        --------
        >>> Ruler("😀 Troy", Unit.UTF16_UNITS).offset(2)
        3
        """
        return code_point if self._starts is None else self._starts[code_point]


@dataclass(frozen=True, slots=True)
class Claim:
    """That `surface` stands in `text` from `start` to `end`, in an unknown unit."""

    text: str
    start: int
    end: int
    surface: str | None


def unit_of(claims: Iterable[Claim]) -> Unit:
    """The unit in which most of the claims are true; code points where it makes no difference.

    Examples
    --------
    >>> unit_of([Claim("Zürich Paris", 8, 13, "Paris")])
    <Unit.UTF8_BYTES: 'UTF-8 bytes'>
    >>> unit_of([Claim("Troy, Paris", 6, 11, "Paris")])
    <Unit.CODE_POINTS: 'Unicode code points'>
    """
    telling = [claim for claim in claims if claim.surface and not claim.text.isascii()]
    n_true: dict[Unit, int] = {}
    for unit in Unit:
        n_true[unit] = _n_true(telling, unit)
        if n_true[unit] == len(telling):  # no other can be better, and measuring a text takes time
            return unit
    return max(Unit, key=n_true.__getitem__)


def _n_true(claims: list[Claim], unit: Unit) -> int:
    rulers: dict[str, Ruler] = {}
    n_true = 0
    for claim in claims:
        ruler = rulers.get(claim.text)
        if ruler is None:
            ruler = rulers[claim.text] = Ruler(claim.text, unit)
        start, end = ruler.code_point(claim.start), ruler.code_point(claim.end)
        n_true += 0 <= start < end <= len(claim.text) and claim.text[start:end] == claim.surface
    return n_true


MakeError = Callable[[str], DataError]
TRUST_OFFSETS = "Or leave out 'text' to trust the offsets"


def checked_span(start: object, end: object, text: str, error: MakeError) -> tuple[int, int]:
    """The span, if it lies inside the text and holds at least one character; half-open, in code points."""
    if not _is_whole(start) or not _is_whole(end):
        raise error(f"a mention needs whole numbers 'start' and 'end', got start={start!r}, end={end!r}")
    if start >= end:
        raise error(f"a mention must hold at least one character, got start={start}, end={end}: 'end' is exclusive")
    if start < 0 or end > len(text):
        raise error(
            f"the mention {start}-{end} lies outside the text, which has {len(text)} characters. {_way_out(text)}"
        )
    return start, end


def checked_surface(
    surface: object, start: int, end: int, text: str, error: MakeError, otherwise: str = TRUST_OFFSETS
) -> None:
    """Raises unless the mention's own `text` is what stands at its span; `otherwise` ends the message."""
    if not isinstance(surface, str):
        raise error(f"a mention's 'text' must be a string, got {surface!r}")
    expected = without_surrogates(surface)
    actual = text[start:end]
    if expected == actual:
        return
    raise error(
        f"the mention {start}-{end} says {expected!r}, but the text has {actual!r} there. "
        f"{_other_units(expected, start, end, text) or _way_out(text)} {otherwise}".rstrip()
    )


def in_text_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions as they stand in the text; those of one span keep their order."""
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def _other_units(expected: str, start: int, end: int, text: str) -> str:
    """Names the unit in which the offsets would have been right, if there is one."""
    for unit, encoding, width in (("UTF-8 bytes", "utf-8", 1), ("UTF-16 units", "utf-16-le", 2)):
        encoded = text.encode(encoding)
        if encoded[start * width : end * width] == expected.encode(encoding):
            return f"The offsets count {unit}; Deixis counts Unicode code points (Python's len())."
    at = text.find(expected)
    return f"It stands at {at}-{at + len(expected)}." if expected and text.count(expected) == 1 else ""


def _way_out(text: str) -> str:
    hint = "Offsets count Unicode code points from 0 (Python's len())"
    return f"{hint}." if text.isascii() else f"{hint}, not bytes or UTF-16 units."


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
