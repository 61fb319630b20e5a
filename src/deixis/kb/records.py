"""One value of a record, checked and cleaned; a value that cannot be is a `BadRecord`."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from typing import Any

MAX_COUNT = 2**63 - 1
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


class BadRecord(Exception):
    """A record that cannot become an entity; `kind` groups such records in reports.

    `path` is the file it is in, where a list has several.
    """

    def __init__(self, kind: str, reason: str, path: object = None) -> None:
        self.kind = kind
        self.reason = reason
        self.path = path
        super().__init__(reason)


def without_references(text: str) -> str:
    """The text with the characters that HTML's references stand for, as lists made from web pages have them.

    Examples
    --------
    >>> without_references("Sj&#246;gren&apos;s Syndrome"), without_references("AT&T; Q&A")
    ("Sjögren's Syndrome", 'AT&T; Q&A')
    """
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def clean(text: str) -> str:
    """The text without control characters (each becomes a space), lone surrogates (U+FFFD) and outer white space.

    References of HTML (`&apos;`) become the characters they stand for.
    """
    text = without_references(text)
    if not text.isprintable():
        text = _SURROGATE.sub("\ufffd", CONTROL.sub(" ", text))
    return text.strip()


def parse_id(value: object, key: str) -> str:
    """An id as text, exactly as given; whole numbers become digits."""
    if type(value) is int:
        return str(value)
    if value is None:
        raise BadRecord("missing_field", f"no {key!r}; every entity needs an id")
    if not isinstance(value, str):
        raise BadRecord("wrong_type", f"{key!r} must be text or a whole number, got {shown_value(value)}")
    if not value or value.isspace():
        raise BadRecord("empty_id", f"{key!r} is empty; every entity needs an id")
    if not value.isprintable() and (CONTROL.search(value) or _SURROGATE.search(value)):
        raise BadRecord("bad_id", f"{key!r} holds control characters or lone surrogates: {shown_value(value)}")
    return value


def parse_count(value: object, key: str) -> int:
    """A count from 0 up to what 64 bits hold; digits as text are taken too."""
    if type(value) is str and value.isdecimal() and len(value) < 19:
        return int(value)
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value) if len(value) < 30 else math.inf
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= MAX_COUNT:
        raise BadRecord("bad_count", f"{key!r} must be a whole number from 0 to 2**63 - 1, got {shown_value(value)}")
    return value


def parse_title(value: object, key: str) -> str:
    """A title: text that is not empty."""
    if value is None:
        raise BadRecord("empty_title", f"no {key!r}; every entity needs a title")
    title = parse_text(value, key)
    if not title:
        raise BadRecord("empty_title", f"{key!r} is empty; every entity needs a title")
    return title


def parse_text(value: object, key: str) -> str:
    """Text, cleaned."""
    if not isinstance(value, str):
        raise BadRecord("wrong_type", f"{key!r} must be text, got {shown_value(value)}")
    return clean(value)


def parse_aliases(items: Iterable[Any]) -> list[tuple[str, str, int]]:
    """Text, language and count of each alias that is not empty."""
    aliases = []
    for item in items:
        lang, count = "", 0
        if isinstance(item, dict):
            count = 0 if item.get("count") is None else parse_count(item["count"], "count of an alias")
            lang = "" if item.get("lang") is None else parse_text(item["lang"], "lang of an alias")
            item = item.get("text")
        if not isinstance(item, str):
            allowed = 'text or {"text": ..., "lang": ..., "count": ...}'
            raise BadRecord("wrong_type", f"an alias must be {allowed}, got {shown_value(item)}")
        text = clean(item)
        if text:
            aliases.append((text, lang, count))
    return aliases


def parse_descriptions(description: object, descriptions: object) -> list[tuple[str, str]]:
    """Language and text of each description that is not empty."""
    texts: list[tuple[str, str]] = []
    if description is not None:
        texts.append(("", parse_text(description, "description")))
    if descriptions is not None:
        if not isinstance(descriptions, dict):
            allowed = '{"en": "...", "de": "..."}'
            raise BadRecord("wrong_type", f"'descriptions' must be {allowed}, got {shown_value(descriptions)}")
        for lang, text in descriptions.items():
            if text is not None and (lang or description is None):
                texts.append((clean(lang), parse_text(text, "descriptions")))
    return [(lang, text) for lang, text in texts if text]


def shown_value(value: object) -> str:
    """A value for a message: not too long."""
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
