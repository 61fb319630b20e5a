"""What the values of a column look like: ids, names, running text, counts, several names in one cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deixis.kb.records import without_references

_SURE = 0.95  # of the values
_MAX_ID_LENGTH = 64
_MIN_TEXT_LENGTH, _MIN_TEXT_WORDS = 40, 6
_CODE = re.compile(r"[^\s]+")
_WHOLE_NUMBER = re.compile(r"\d{1,18}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?")
_LETTER = re.compile(r"[^\W\d_]")
_COMMA_IN_NAME = re.compile(r"\d,\d|,\S.*, |, .*,\S")
SEPARATORS = ("\n", "|", ";")
DEFAULT_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class ColumnSample:
    """The values of a column in the first few hundred records."""

    n_records: int
    values: tuple[Any, ...]
    """Those that are not missing."""

    @classmethod
    def of(cls, records: Sequence[Mapping[str, Any]], key: str) -> ColumnSample:
        """The sample of one key of some records."""
        values = (record.get(key) for record in records)
        return cls(len(records), tuple(value for value in values if value is not None and value != ""))

    @property
    def texts(self) -> list[str]:
        """The values as text; lists and tables are left out."""
        return [without_references(str(value)) for value in self.values if type(value) in (str, int)]

    def fraction(self, pattern: re.Pattern[str]) -> float:
        """The fraction of the values that are all of a pattern."""
        return sum(pattern.fullmatch(text) is not None for text in self.texts) / max(len(self.values), 1)

    @property
    def is_unique(self) -> bool:
        """Whether every record has a value and no two have the same."""
        return len(self.values) == self.n_records and len(set(self.texts)) == self.n_records

    @property
    def is_id(self) -> bool:
        """Whether these can be ids: unique, short, of one word, and codes rather than words."""
        if not self.is_unique or self.fraction(_CODE) < 1 or max(map(len, self.texts), default=0) > _MAX_ID_LENGTH * 4:
            return False
        return sum(not text.isalpha() for text in self.texts) >= 0.5 * len(self.texts)

    @property
    def is_count(self) -> bool:
        """Whether these are whole numbers."""
        return len(self.values) > 0 and self.fraction(_WHOLE_NUMBER) >= _SURE

    @property
    def is_language(self) -> bool:
        """Whether these are codes of languages."""
        return len(self.values) > 0 and self.fraction(_LANGUAGE) >= _SURE

    @property
    def is_link(self) -> bool:
        """Whether these are addresses of pages."""
        return len(self.values) > 0 and all(text.startswith(("http://", "https://")) for text in self.texts)

    @property
    def is_text(self) -> bool:
        """Whether this is running text."""
        texts = self.texts
        n_words = sum(text.count(" ") + 1 for text in texts)
        return len(texts) > 0 and (
            sum(map(len, texts)) >= _MIN_TEXT_LENGTH * len(texts) and n_words >= _MIN_TEXT_WORDS * len(texts)
        )

    @property
    def is_names(self) -> bool:
        """Whether these can be names: with letters, and no running text."""
        texts = self.texts
        n_words = sum(_LETTER.search(text) is not None for text in texts)
        return n_words >= 0.5 * max(len(self.values), 1) > 0 and not self.is_text and not self.is_link

    @property
    def is_several_names(self) -> bool:
        """Whether the values look like aliases: lists of text, or several short names in one cell."""
        lists = [value for value in self.values if isinstance(value, list)]
        if lists:
            items = [item for value in lists for item in value]
            is_text = all(isinstance(item, str) for item in items)
            return is_text and any(len(word) > 1 and word.isalpha() for text in items for word in text.split())
        several = [text for text in self.texts if any(mark in text.strip() for mark in SEPARATORS)]
        parts = [part for text in several for part in re.split(r"[\n|;]", text)]
        is_short = sum(map(len, parts)) <= 40 * max(len(parts), 1)
        return len(several) >= 0.2 * max(len(self.values), 1) > 0 and is_short and not self.is_count


def guess_separator(values: Iterable[Any], titles: Iterable[str], has_commas: bool = True) -> str:
    r"""What stands between the names of one cell; a comma only if no name seems to have one.

    Examples
    --------
    >>> guess_separator(["heart attack; MI", "flu"], ["myocardial infarction"])
    ';'
    >>> guess_separator(["MI, heart attack"], ["infarction"]), guess_separator(["Smith, John"], ["Doe, Jane"])
    (',', '|')
    """
    texts = [without_references(value).strip() for value in values if isinstance(value, str)]
    counts = {mark: sum(mark in text for text in texts) for mark in SEPARATORS}
    best = max(SEPARATORS, key=lambda mark: counts[mark])
    if counts[best]:
        return best
    with_comma = [text for text in texts if "," in text]
    is_plain = not any(_COMMA_IN_NAME.search(text) for text in with_comma) and not any("," in title for title in titles)
    if has_commas and with_comma and is_plain and not any(len(text) > 60 * text.count(",") + 60 for text in with_comma):
        return ","
    return DEFAULT_SEPARATOR
