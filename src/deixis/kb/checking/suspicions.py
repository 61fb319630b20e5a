"""Signs that something went wrong: with the encoding of a record's texts, with columns that nobody reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deixis.kb.record_mapping import IGNORED, RecordMapping
from deixis.kb.records import CONTROL
from deixis.kb.value_guess import ColumnSample

# UTF-8 read as Windows-1252 or Latin-1: a lead byte's character and one that a continuation byte becomes. Only leads of
# frequent scripts (Latin, Greek, Cyrillic) and of curly quotes and dashes, because 'É…' is also good French.
_CONTINUATION = (
    "\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019"
)
_CONTINUATION += "\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"
_MOJIBAKE = re.compile(f"[\u00c2\u00c3\u00ce\u00cf\u00d0\u00d1][{_CONTINUATION}]|\u00e2[\u20ac\u0080][{_CONTINUATION}]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PATTERNS = {
    "mojibake": _MOJIBAKE,
    "replacement_character": re.compile("\ufffd"),
    "lone_surrogate": _SURROGATE,
    "control_character": CONTROL,
}


def text_suspicions(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each kind of trouble in a record at most once, with the field and the text around it.

    Examples
    --------
    >>> list(text_suspicions({"title": "CafÃ©", "aliases": [""]}))
    [('mojibake', "in 'title': 'CafÃ©'"), ('empty_alias', "in 'aliases': ''")]
    """
    seen: set[str] = set()
    for key, text in _texts(record):
        if text.isascii() and text.isprintable():
            if key == "aliases" and not text.strip():
                yield from _once("empty_alias", key, text, 0, seen)
            continue
        for kind, pattern in _PATTERNS.items():
            match = pattern.search(text)
            if match is not None:
                yield from _once(kind, key, text, match.start(), seen)


def _once(kind: str, key: str, text: str, position: int, seen: set[str]) -> Iterator[tuple[str, str]]:
    if kind not in seen:
        seen.add(kind)
        around = text[max(0, position - 20) : position + 20]
        yield kind, f"in {key!r}: {around.encode('utf-8', 'backslashreplace').decode()!r}"


def _texts(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, list):
            for item in value:
                text = item.get("text") if isinstance(item, dict) else item
                if isinstance(text, str):
                    yield key, text
        elif isinstance(value, dict):
            for text in value.values():
                if isinstance(text, str):
                    yield key, text


def unused_columns(
    mapping: RecordMapping | None, records: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    """Kind, detail and name of each column that is ignored and looks like aliases or counts."""
    if mapping is None:
        return
    fields = mapping.fields_of(key for record in records for key in record)
    for key in fields.get(IGNORED, ()):
        sample = ColumnSample.of(records, key)
        shown = ", ".join(repr(value)[:40] for value in sample.values[:3])
        if sample.is_several_names:
            yield "unused_aliases", f"{key!r} has {shown}", key
        elif sample.is_count and not sample.is_unique and "count" not in fields:
            yield "unused_count", f"{key!r} has {shown}", key


def plain_title(title: str) -> str:
    """The letters and digits of a title without case and accents.

    Examples
    --------
    >>> plain_title("Saint-Étienne") == plain_title("saint etienne")
    True
    """
    folded = unicodedata.normalize("NFKD", title.casefold())
    return "".join(character for character in folded if character.isalnum())
