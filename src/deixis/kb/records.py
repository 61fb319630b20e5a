"""Records (dictionaries) to checked, cleaned fields, by a mapping that says which key means what."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
# Spellings that mean one thing in every tool's records; `header_words.json` has those of other people's lists.
KEY_TO_FIELD = {
    "aliases": "aliases",
    "description": "description",
    "definition": "description",
    "text": "description",
    "descriptions": "descriptions",
    "types": "types",
    "type": "types",
    "entity_type": "types",
    "count": "count",
    "popularity": "count",
    "url": "url",
    "alt_ids": "alt_ids",
}
LISTS = ("aliases", "types", "alt_ids")
"""Fields that hold several values; several columns may fill one of them."""
GUESSED = "guessed"
_PLAIN = ("native", "entity-linkings", GUESSED)  # dialects that are no tool's alone
IGNORED = "ignored"
MAX_COUNT = 2**63 - 1
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class BadRecord(Exception):
    """A record that cannot become an entity; `kind` groups such records in reports.

    `path` is the file it is in, where a list has several.
    """

    def __init__(self, kind: str, reason: str, path: object = None) -> None:
        self.kind = kind
        self.reason = reason
        self.path = path
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
    """Which keys of a file's records mean what; without a key of ids, the name of an entity is its id.

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
    id: str | None
    title: str
    key_to_field: dict[str, str] = field(default_factory=lambda: dict(KEY_TO_FIELD), repr=False)
    separators: dict[str, str] = field(default_factory=dict)
    """Key -> what stands between its values, where these are text."""

    @classmethod
    def choose(cls, keys: Iterable[str]) -> RecordMapping:
        """The mapping for records with these keys, of one of the tools that are known by their keys."""
        present = set(keys)
        for dialect, (id_key, title_key) in DIALECTS.items():
            if id_key in present and title_key in present:
                return cls(dialect, id_key, title_key)
        accepted = "; ".join(f"{id_key!r} and {title_key!r}" for id_key, title_key in DIALECTS.values())
        raise BadRecord(
            "missing_field", f"no id and title found among the fields {shown(present)}; accepted pairs: {accepted}"
        )

    def fields_of(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """Field -> the keys it is read from; the key `ignored` has the others."""
        known = {self.title: "title"} | ({} if self.id is None else {self.id: "id"})
        fields: dict[str, list[str]] = {}
        for key in dict.fromkeys(keys):
            fields.setdefault(known.get(key) or self.key_to_field.get(key, IGNORED), []).append(key)
        order = ("id", "title", *dict.fromkeys(KEY_TO_FIELD.values()), "language", IGNORED)
        return {name: fields[name] for name in order if name in fields}

    def describe(self, keys: Iterable[str]) -> str:
        """One line that says how `keys` are understood and which of them are ignored."""
        fields = self.fields_of(keys)
        ignored = fields.pop(IGNORED, [])
        parts = [f"{key} -> {name}{self._split_at(key)}" for name, of_field in fields.items() for key in of_field]
        if self.id is None:
            parts.insert(0, "the name is the id")
        tail = f"; ignored: {shown(ignored, quote=str)}" if ignored else ""
        tool = "" if self.dialect in _PLAIN else f"{self.dialect} records: "
        return f"{tool}{', '.join(parts)}{tail}"

    def _split_at(self, key: str) -> str:
        return f" (split at {self.separators[key]!r})" if key in self.separators else ""

    def parse(self, record: Mapping[str, Any]) -> EntityFields:
        """The checked fields of a record, or `BadRecord`."""
        # Plain text, which nearly every field is, is checked here: a call for each costs as much as all the rest.
        value = record.get(self.title)
        title = value.strip() if type(value) is str and value.isprintable() else ""
        title = title or _title(value, self.title)
        identifier = title
        if self.id is not None:
            value = record.get(self.id)
            if type(value) is str and value.isprintable() and value.strip():
                identifier = value
            else:
                identifier = parse_id(value, self.id)
        aliases: list[tuple[str, str, int]] = []
        types: list[str] = []
        alt_ids: list[str] = []
        by_name: dict[str, Any] = {}
        key_to_field = self.key_to_field
        for key, value in record.items():
            name = key_to_field.get(key)
            if name is None or value is None:
                continue
            if name == "aliases":
                aliases += _aliases(self._items(key, value))
            elif name == "types":
                types += self._types(key, value)
            elif name == "alt_ids":
                alt_ids += [parse_id(item, "alt_ids") for item in self._items(key, value)]
            elif name not in by_name or key == name:
                by_name[name] = value
        if not by_name:
            return EntityFields(identifier, title, aliases, [], types, 0, "", alt_ids)
        fields = EntityFields(
            identifier,
            title,
            aliases,
            _descriptions(by_name.get("description"), by_name.get("descriptions")),
            types,
            parse_count(by_name["count"], "count") if "count" in by_name else 0,
            _text(by_name["url"], "url") if "url" in by_name else "",
            alt_ids,
        )
        return _in_language(fields, _text(by_name["language"], "language")) if "language" in by_name else fields

    def _items(self, key: str, value: object) -> Sequence[Any]:
        if type(value) is str and key in self.separators:
            return value.split(self.separators[key])
        if not isinstance(value, (list, tuple)):
            raise BadRecord("wrong_type", f'{key!r} must be a list such as ["a", "b"], got {_shown(value)}')
        return value

    def _types(self, key: str, value: object) -> list[str]:
        items = [value] if type(value) is str and key not in self.separators else self._items(key, value)
        return list(dict.fromkeys(filter(None, (_text(item, "types") for item in items))))


def shown(keys: Iterable[str], quote: Callable[[str], str] = repr) -> str:
    """The first ten of some keys."""
    names = [quote(str(key)) for key in keys] if quote is str else sorted(map(repr, keys))
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "") or "nothing"


def _in_language(fields: EntityFields, lang: str) -> EntityFields:
    """The fields with a language wherever they have none."""
    aliases = [(text, own or lang, count) for text, own, count in fields.aliases]
    return fields._replace(
        aliases=[(fields.title, lang, 0), *aliases],
        descriptions=[(own or lang, text) for own, text in fields.descriptions],
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
    if type(value) is str and value.isdecimal() and len(value) < 19:
        return int(value)
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


def _aliases(items: Iterable[Any]) -> list[tuple[str, str, int]]:
    aliases = []
    for item in items:
        if type(item) is str and item.isprintable():
            text = item.strip()
            if text:
                aliases.append((text, "", 0))
            continue
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
    if descriptions is None and type(description) is str and description.isprintable():
        text = description.strip()
        return [("", text)] if text else []
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


def _shown(value: object) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
