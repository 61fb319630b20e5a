"""Records (dictionaries) to checked, cleaned fields, whatever spelling of the fields a file uses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# The fields that name an entity differ between tools, and tell which tool wrote a file: dialect -> (id, title).
DIALECTS = {
    "native": ("id", "title"),
    "glinker": ("entity_id", "label"),
    "scispacy": ("concept_id", "canonical_name"),
    "entity-linkings": ("id", "name"),
    "blink": ("idx", "title"),
    "annif": ("uri", "label"),
}
# Every other spelling means one thing, so all are accepted everywhere; a native spelling wins over another's.
KEY_TO_FIELD = {
    "aliases": "aliases",
    "description": "description",
    "definition": "description",
    "text": "description",
    "descriptions": "descriptions",
    "types": "types",
    "type": "type",
    "entity_type": "type",
    "count": "count",
    "popularity": "count",
    "url": "url",
    "alt_ids": "alt_ids",
}
MAX_COUNT = 2**63 - 1
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class BadRecord(Exception):
    """A record that cannot become an entity; `kind` groups such records in reports."""

    def __init__(self, kind: str, reason: str) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(reason)


class EntityFields(NamedTuple):
    """The checked fields of one record; languages are empty and counts (`n_seen` is the entity's) zero when unknown."""

    id: str
    title: str
    aliases: list[tuple[str, str, int]]
    descriptions: list[tuple[str, str]]
    types: list[str]
    n_seen: int
    url: str
    alt_ids: list[str]


@dataclass(frozen=True, slots=True)
class RecordMapping:
    """Which keys of a file's records mean what.

    Examples
    --------
    >>> record = {"entity_id": 7, "label": "Paris", "entity_type": "city", "colour": "grey"}
    >>> mapping = RecordMapping.choose(record)
    >>> mapping.describe(record)
    'glinker records: entity_id -> id, label -> title, entity_type -> types; ignored: colour'
    >>> mapping.parse(record).id
    '7'
    """

    dialect: str
    id: str
    title: str
    key_to_field: dict[str, str] = field(default_factory=lambda: dict(KEY_TO_FIELD), repr=False)

    @classmethod
    def choose(cls, keys: Iterable[str]) -> RecordMapping:
        """The mapping for records with these keys."""
        present = set(keys)
        for dialect, (id_key, title_key) in DIALECTS.items():
            if id_key in present and title_key in present:
                return cls(dialect, id_key, title_key)
        accepted = "; ".join(f"{id_key!r} and {title_key!r}" for id_key, title_key in DIALECTS.values())
        shown_fields = ", ".join(repr(key) for key in sorted(map(str, present))[:10]) or "nothing"
        raise BadRecord(
            "missing_field", f"no id and title found among the fields {shown_fields}; accepted pairs: {accepted}"
        )

    def describe(self, keys: Iterable[str]) -> str:
        """One line that says how `keys` are understood and which of them are ignored."""
        parts, ignored = [], []
        known = {self.id: "id", self.title: "title"} | self.key_to_field
        order = list(known)
        for key in sorted(keys, key=lambda key: (order.index(key) if key in known else len(order), key)):
            if key in known:
                parts.append(f"{key} -> {'types' if known[key] == 'type' else known[key]}")
            else:
                ignored.append(key)
        tail = f"; ignored: {', '.join(ignored)}" if ignored else ""
        return f"{self.dialect} records: {', '.join(parts)}{tail}"

    def parse(self, record: Mapping[str, Any]) -> EntityFields:
        """The checked fields of a record, or `BadRecord`."""
        by_name: dict[str, Any] = {}
        for key, value in record.items():
            name = self.key_to_field.get(key)
            if name is not None and value is not None and (name not in by_name or key == name):
                by_name[name] = value
        identifier = parse_id(record.get(self.id), self.id)
        title = _title(record.get(self.title), self.title)
        if not by_name:
            return EntityFields(identifier, title, [], [], [], 0, "", [])
        types = [*_types(by_name.get("types", ()), "types"), *_types(by_name.get("type", ()), "type")]
        return EntityFields(
            identifier,
            title,
            _aliases(by_name["aliases"]) if "aliases" in by_name else [],
            _descriptions(by_name.get("description"), by_name.get("descriptions")),
            list(dict.fromkeys(types)),
            parse_count(by_name["count"], "count") if "count" in by_name else 0,
            _text(by_name["url"], "url") if "url" in by_name else "",
            [parse_id(item, "alt_ids") for item in _list(by_name.get("alt_ids", ()), "alt_ids")],
        )


def clean(text: str) -> str:
    """The text without control characters (each becomes a space), lone surrogates (U+FFFD) and outer white space."""
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
        raise BadRecord("wrong_type", f"{key!r} must be text or a whole number, got {_shown(value)}")
    if not value or value.isspace():
        raise BadRecord("empty_id", f"{key!r} is empty; every entity needs an id")
    if not value.isprintable() and (CONTROL.search(value) or _SURROGATE.search(value)):
        raise BadRecord("bad_id", f"{key!r} holds control characters or lone surrogates: {_shown(value)}")
    return value


def parse_count(value: object, key: str) -> int:
    """A count from 0 up to what 64 bits hold; digits as text are taken too."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value) if len(value) < 30 else math.inf
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= MAX_COUNT:
        raise BadRecord("bad_count", f"{key!r} must be a whole number from 0 to 2**63 - 1, got {_shown(value)}")
    return value


def _title(value: object, key: str) -> str:
    if value is None:
        raise BadRecord("empty_title", f"no {key!r}; every entity needs a title")
    title = _text(value, key)
    if not title:
        raise BadRecord("empty_title", f"{key!r} is empty; every entity needs a title")
    return title


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise BadRecord("wrong_type", f"{key!r} must be text, got {_shown(value)}")
    return clean(value)


def _list(value: object, key: str) -> Iterable[Any]:
    if not isinstance(value, (list, tuple)):
        raise BadRecord("wrong_type", f'{key!r} must be a list such as ["a", "b"], got {_shown(value)}')
    return value


def _aliases(value: object) -> list[tuple[str, str, int]]:
    aliases = []
    for item in _list(value, "aliases"):
        lang, count = "", 0
        if isinstance(item, dict):
            count = 0 if item.get("count") is None else parse_count(item["count"], "count of an alias")
            lang = "" if item.get("lang") is None else _text(item["lang"], "lang of an alias")
            item = item.get("text")
        if not isinstance(item, str):
            allowed = 'text or {"text": ..., "lang": ..., "count": ...}'
            raise BadRecord("wrong_type", f"an alias must be {allowed}, got {_shown(item)}")
        text = clean(item)
        if text:
            aliases.append((text, lang, count))
    return aliases


def _descriptions(description: object, descriptions: object) -> list[tuple[str, str]]:
    texts: list[tuple[str, str]] = []
    if description is not None:
        texts.append(("", _text(description, "description")))
    if descriptions is not None:
        if not isinstance(descriptions, dict):
            allowed = '{"en": "...", "de": "..."}'
            raise BadRecord("wrong_type", f"'descriptions' must be {allowed}, got {_shown(descriptions)}")
        for lang, text in descriptions.items():
            if text is not None and (lang or description is None):
                texts.append((clean(lang), _text(text, "descriptions")))
    return [(lang, text) for lang, text in texts if text]


def _types(value: object, key: str) -> list[str]:
    items = [value] if isinstance(value, str) else _list(value, key)
    return [text for text in (_text(item, key) for item in items) if text]


def _shown(value: object) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
