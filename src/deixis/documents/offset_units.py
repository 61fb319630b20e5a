"""What offsets count in: finds it out by the surface forms that annotations bring along, and turns it into code points.

Deixis counts Unicode code points. Files in the wild also count UTF-8 bytes (BioC's definition asks for them) and UTF-16
units (what Java and JavaScript call characters). Only one of them makes an annotation's own text stand at its offsets,
unless all that comes before is ASCII; then it does not matter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate


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
    """That `surface` stands in `text` from `start` to `end`, in a unit that nobody has told us."""

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
