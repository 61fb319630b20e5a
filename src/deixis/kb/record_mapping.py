"""Which key of a list's records (dictionaries) means what, and the entities that records are by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from typing import Any

from deixis.kb import field_columns
from deixis.kb.entity_batch import EntityBatch, EntityFields, NamedText, RaggedTexts
from deixis.kb.records import BadRecord

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
_SEVERAL = {"aliases": field_columns.aliases, "types": field_columns.types, "alt_ids": field_columns.alt_ids}


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
        parsed = self.parse_batch([record])
        if parsed.problems:
            raise parsed.problems[0]
        return next(parsed.entities.rows())

    def parse_batch(self, records: Sequence[Mapping[str, Any]]) -> ParsedRecords:
        """The checked fields of some records, and what is wrong with the others."""
        row_problems: field_columns.Problems = {}
        parsed = self._parse_columns(records, row_problems)
        if not row_problems:
            return parsed
        for row, problems in row_problems.items():
            if len(problems) > 1 and len(parsed.key_orders) > 1:  # the first is that in the record's own order
                of_record: field_columns.Problems = {}
                self._parse_columns([records[row]], of_record)
                problems[:] = of_record[0]
        right = [record for row, record in enumerate(records) if row not in row_problems]
        return replace(
            self._parse_columns(right, {}), problems={row: row_problems[row][0] for row in sorted(row_problems)}
        )

    def _parse_columns(self, records: Sequence[Mapping[str, Any]], problems: field_columns.Problems) -> ParsedRecords:
        """The checked fields of records, adding to `problems`; the fields of those with a problem mean nothing."""
        key_orders = list(dict.fromkeys(map(tuple, records)))
        columns = _Columns(records, key_orders, self.key_to_field)
        titles = field_columns.titles(columns.of_key(self.title), self.title, problems)
        ids = titles if self.id is None else field_columns.ids(columns.of_key(self.id), self.id, problems)
        texts = {
            key: _SEVERAL[name](columns.of_key(key), key, self.separators.get(key), problems)
            for key, name in columns.key_to_field.items()
            if name in LISTS
        }
        described = field_columns.descriptions(
            columns.of_field("description") or [None] * len(records), columns.of_field("descriptions"), problems
        )
        n_seen = field_columns.counts(columns.of_field("count"), "count", problems)
        urls = field_columns.texts(columns.of_field("url"), "url", problems)
        aliases, types, alt_ids = (columns.merged(name, texts) for name in LISTS)
        entities = EntityBatch(ids, titles, aliases, described, types, n_seen, urls, alt_ids)
        langs = columns.of_field("language")
        if langs:
            names = field_columns.texts(langs, "language", problems)
            marked = (None if value is None else name for value, name in zip(langs, names, strict=True))
            entities = entities.in_languages(marked)
        return ParsedRecords(entities, {}, key_orders)


@dataclass(frozen=True, slots=True)
class ParsedRecords:
    """The entities of the records that are right, what is wrong with the others by row, and which keys were seen."""

    entities: EntityBatch
    problems: dict[int, BadRecord]
    key_orders: list[tuple[str, ...]]
    """The keys of the records that are right, in each order they came in."""


class _Columns:
    """The values of records by key, and by field where several keys mean one field."""

    def __init__(
        self,
        records: Sequence[Mapping[str, Any]],
        key_orders: Sequence[tuple[str, ...]],
        key_to_field: Mapping[str, str],
    ) -> None:
        self._records = records
        self._is_uniform = len(key_orders) == 1
        self._keys = dict.fromkeys(chain.from_iterable(key_orders))
        self.key_to_field = {key: key_to_field[key] for key in self._keys if key in key_to_field}

    def of_key(self, key: str) -> list[Any]:
        if key not in self._keys:
            return [None] * len(self._records)
        if self._is_uniform:
            return list(map(itemgetter(key), self._records))
        return [record.get(key) for record in self._records]

    def of_field(self, name: str) -> list[Any]:
        """The values of a field that holds one: under the field's own name, else the first; empty without such keys."""
        keys = self._keys_of(name)
        if len(keys) < 2:
            return self.of_key(keys[0]) if keys else []
        column = []
        for record in self._records:
            values = {key: record[key] for key in record if key in keys and record[key] is not None}
            column.append(values.get(name, next(iter(values.values()), None)))
        return column

    def merged(self, name: str, key_to_texts: Mapping[str, RaggedTexts]) -> RaggedTexts:
        """The texts of a field that holds several, from all its keys, in the order of each record."""
        keys = [key for key in self._keys_of(name) if key_to_texts[key].texts]
        if len(keys) < 2:
            return key_to_texts[keys[0]] if keys else RaggedTexts()
        n_records = len(self._records)
        rows: list[list[NamedText]] = [[] for _ in range(n_records)]
        key_to_rows = {key: list(key_to_texts[key].rows(n_records)) for key in keys}
        for row, record in enumerate(self._records):
            for key in record:
                if key in key_to_rows:
                    rows[row] += key_to_rows[key][row]
        return RaggedTexts.of(rows)

    def _keys_of(self, name: str) -> list[str]:
        return [key for key, of_key in self.key_to_field.items() if of_key == name]


def shown(keys: Iterable[str], quote: Callable[[str], str] = repr) -> str:
    """The first ten of some keys."""
    names = [quote(str(key)) for key in keys] if quote is str else sorted(map(repr, keys))
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "") or "nothing"
