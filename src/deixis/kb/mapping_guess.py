"""The mapping of a list nobody described: by known tools' fields, by the words of its header, then by its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from deixis.errors import DataError
from deixis.kb.header_words import field_of, plain
from deixis.kb.read_options import ReadOptions
from deixis.kb.record_mapping import DIALECTS, GUESSED, KEY_TO_FIELD, LISTS, RecordMapping, shown
from deixis.kb.records import BadRecord
from deixis.kb.value_guess import ColumnSample, guess_separator

N_SAMPLED = 300
"""Records that a mapping is guessed from."""
NO_OPTIONS = ReadOptions()


def guess_mapping(
    records: Sequence[Mapping[str, Any]],
    options: ReadOptions = NO_OPTIONS,
    *,
    is_table: bool = False,
    has_names: bool = True,
) -> RecordMapping:
    """The mapping of records like these; `has_names` is False for a table whose columns have numbers only.

    Examples
    --------
    >>> record = {"SKU": "A-1", "Product Name": "Pump", "Synonyms": "water pump; pump 1", "Price": "5"}
    >>> mapping = guess_mapping([record], is_table=True)
    >>> mapping.id, mapping.title, mapping.key_to_field, mapping.separators
    ('SKU', 'Product Name', {'Synonyms': 'aliases'}, {'Synonyms': ';'})
    """
    keys = list(dict.fromkeys(key for record in records for key in record))
    samples = {key: ColumnSample.of(records, key) for key in keys}
    overrides = {name: _column(column, keys) for name, column in options.columns.items()}
    guess = _Guess(keys, samples, overrides)
    if not {"id", "title"} & overrides.keys():
        guess.by_dialect()
    guess.by_words()
    guess.by_values(has_names, is_table)
    if guess.title is None:
        raise BadRecord(
            "missing_field",
            f"no column or field of names found among {shown(keys)}; say which it is, for example with "
            f'--columns "title={next(iter(keys), "NAME")}"',
        )
    separators = _separators(guess, samples, options, is_table)
    key_to_field = guess.key_to_field
    if not is_table:  # fields that come later than the sample
        later = {key: name for key, name in KEY_TO_FIELD.items() if key not in keys and name not in options.columns}
        key_to_field = later | key_to_field
    return RecordMapping(guess.dialect, guess.id, guess.title, key_to_field, separators)


class _Guess:
    """What is known so far: the keys of id and title, and the fields of others."""

    def __init__(self, keys: list[str], samples: Mapping[str, ColumnSample], overrides: Mapping[str, str]) -> None:
        self.dialect = GUESSED
        self.id, self.title = overrides.get("id"), overrides.get("title")
        self.key_to_field = {key: name for name, key in overrides.items() if name not in ("id", "title")}
        self._fixed = set(overrides)
        self._keys, self._samples = keys, samples

    def by_dialect(self) -> None:
        lower_to_key = {key.strip().lower(): key for key in reversed(self._keys)}
        for dialect, (id_key, title_key) in DIALECTS.items():
            if id_key in lower_to_key and title_key in lower_to_key:
                self.dialect, self.id, self.title = dialect, lower_to_key[id_key], lower_to_key[title_key]
                return

    def by_words(self) -> None:
        for lower, name in KEY_TO_FIELD.items():  # exact spellings first, whatever their values
            for key in self._free():
                if key.strip().lower() == lower and name not in self._fixed:
                    if name in LISTS or name not in self.key_to_field.values():
                        self.key_to_field[key] = name
        if self.dialect == GUESSED:
            self._labelled()
        ranked = sorted((known[1], number, known[0], key) for number, key, known in self._known_words())
        for _, _, name, key in ranked:
            if key in self._free() and name not in self._fixed and self._fits(name, key):
                self._assign(name, key)
        if self.title is None:
            self.title = next((key for key in self.key_to_field if plain(key) == "names"), None)
            self.key_to_field.pop(self.title or "", None)

    def by_values(self, has_names: bool, is_table: bool) -> None:
        """Ids, titles and descriptions by their looks; the rest only where columns have no names."""
        free = self._free()
        if self.title is None and self.id is None and not is_table:
            return  # nothing of the fields is understood
        if self.id is None and not (has_names and self.title is not None and self._has_other_use(free)):
            candidates = [key for key in free if self._samples[key].is_id]
            if len(free) > (self.title is None) and candidates:
                self.id = candidates[0]
        if self.title is None:
            self.title = next((key for key in self._free() if self._samples[key].is_names), None)
            if self.title is None:
                self.title = next((key for key in self._free() if self._samples[key].values), None)
        for key in self._free():
            sample = self._samples[key]
            if sample.is_text and self._is_open("description"):
                self.key_to_field[key] = "description"
            elif has_names:
                continue
            elif sample.is_link and self._is_open("url"):
                self.key_to_field[key] = "url"
            elif sample.is_count and self._is_open("count"):
                self.key_to_field[key] = "count"
            elif sample.is_several_names or (sample.is_names and self._is_open("aliases")):
                self.key_to_field[key] = "aliases"

    def _has_other_use(self, free: list[str]) -> bool:
        """Whether the header names a column that is unique without being an id: a price, a row number."""
        return not any(self._samples[key].is_id and not self._samples[key].is_count for key in free)

    def _is_open(self, name: str) -> bool:
        return name not in self._fixed and name not in self.key_to_field.values()

    def _free(self) -> list[str]:
        return [key for key in self._keys if key not in (self.id, self.title) and key not in self.key_to_field and key]

    def _known_words(self) -> list[tuple[int, str, tuple[str, int]]]:
        words = ((number, key, field_of(key)) for number, key in enumerate(self._keys))
        return [(number, key, known) for number, key, known in words if known is not None]

    def _labelled(self) -> None:
        """Results of a query service: `drug` and `drugLabel`."""
        for key in self._free():
            if f"{key}Label" in self._keys and self.id is None and self.title is None:
                self.id, self.title = key, f"{key}Label"
                for ending, name in (("Description", "description"), ("AltLabel", "aliases")):
                    if f"{key}{ending}" in self._keys:
                        self.key_to_field[f"{key}{ending}"] = name

    def _fits(self, name: str, key: str) -> bool:
        sample = self._samples[key]
        if name == "id":
            return self.id is None and (plain(key) == "id" or sample.is_unique)
        if name == "title":
            return self.title is None
        if name == "count":
            return self._is_open(name) and sample.is_count
        if name == "language":
            return self._is_open(name) and sample.is_language
        if name in LISTS:
            is_list = any(isinstance(value, list) for value in sample.values)
            return is_list or bool(sample.texts) or not sample.values
        return self._is_open(name) and all(isinstance(value, str) for value in sample.values)

    def _assign(self, name: str, key: str) -> None:
        if name == "id":
            self.id = key
        elif name == "title":
            self.title = key
        else:
            self.key_to_field[key] = name


def _column(column: str, keys: list[str]) -> str:
    """The key that is meant: as it is written, else whatever its case and spaces, else by number."""
    for key in keys:
        if key == column:
            return key
    same = [key for key in keys if plain(key) == plain(column) and key.strip().lower() == column.strip().lower()]
    same = same or [key for key in keys if plain(key) == plain(column)]
    if same:
        return same[0]
    if column.isdecimal() and 1 <= int(column) <= len(keys):
        return keys[int(column) - 1]
    close = get_close_matches(column, keys, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise DataError(f"no column {column!r} among {shown(keys)}{hint}")


def _separators(
    guess: _Guess, samples: Mapping[str, ColumnSample], options: ReadOptions, is_table: bool
) -> dict[str, str]:
    """Key -> separator, of columns of aliases, types and other ids; in JSON, types are never split."""
    titles = [] if guess.title is None else samples[guess.title].texts
    separators = {}
    for key, name in guess.key_to_field.items():
        values = samples[key].values if key in samples else ()
        is_text = is_table or any(isinstance(value, str) for value in values)
        if name == "aliases" and (is_text or options.alias_separator):
            separators[key] = options.alias_separator or guess_separator(values, titles)
        elif (name == "alt_ids" and is_text) or (name == "types" and is_table):
            separators[key] = guess_separator(values, titles, has_commas=name == "alt_ids")
    return separators
