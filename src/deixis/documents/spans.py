"""Whether a span fits its text, and what to tell somebody whose spans do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeGuard

from deixis.documents.cleaning import without_surrogates
from deixis.errors import DataError
from deixis.types import Mention

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
    wanted = without_surrogates(surface)
    found = text[start:end]
    if wanted == found:
        return
    raise error(
        f"the mention {start}-{end} says {wanted!r}, but the text has {found!r} there. "
        f"{_other_units(wanted, start, end, text) or _way_out(text)} {otherwise}".rstrip()
    )


def in_text_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions as they stand in the text; those of one span keep their order."""
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def _other_units(wanted: str, start: int, end: int, text: str) -> str:
    """Names the unit in which the offsets would have been right, if there is one."""
    for unit, encoding, width in (("UTF-8 bytes", "utf-8", 1), ("UTF-16 units", "utf-16-le", 2)):
        encoded = text.encode(encoding)
        if encoded[start * width : end * width] == wanted.encode(encoding):
            return f"The offsets count {unit}; Deixis counts Unicode code points (Python's len())."
    at = text.find(wanted)
    return f"It stands at {at}-{at + len(wanted)}." if wanted and text.count(wanted) == 1 else ""


def _way_out(text: str) -> str:
    hint = "Offsets count Unicode code points from 0 (Python's len())"
    return f"{hint}." if text.isascii() else f"{hint}, not bytes or UTF-16 units."


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
