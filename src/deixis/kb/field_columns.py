"""One field of many records at once: a few calls for the whole column where all is plain, else value by value.

What a value may be is said in `records`; here it is only found out quickly that nothing has to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from types import NoneType
from typing import Any, TypeVar

from deixis.kb.entity_batch import NamedText, RaggedTexts
from deixis.kb.records import (
    MAX_COUNT,
    BadRecord,
    parse_aliases,
    parse_count,
    parse_descriptions,
    parse_id,
    parse_text,
    parse_title,
    shown_value,
    without_references,
)

Problems = dict[int, list[BadRecord]]
"""Row -> what is wrong with it, as it was found."""
Column = Sequence[Any]
T = TypeVar("T")
_MAX_DIGITS = 18


def titles(column: Column, key: str, problems: Problems) -> list[str]:
    """Titles; every record needs one."""
    texts = _plain(column)
    if texts is not None and all(texts):
        return texts
    return _each(column, lambda value: parse_title(value, key), "", problems)


def ids(column: Column, key: str, problems: Problems) -> list[str]:
    """Ids, exactly as given; every record needs one."""
    texts = _plain(column)
    if texts is not None and all(texts):
        return list(column)
    return _each(column, lambda value: parse_id(value, key), "", problems)


def texts(column: Column, key: str, problems: Problems) -> list[str]:
    """Texts, empty where there is none."""
    plain = _plain(["" if value is None else value for value in column])
    return plain or _each(column, lambda value: "" if value is None else parse_text(value, key), "", problems)


def counts(column: Column, key: str, problems: Problems) -> list[int]:
    """Whole numbers, 0 where there is none."""
    kinds = set(map(type, column))
    if kinds == {int} and min(column) >= 0 and max(column) <= MAX_COUNT:
        return list(column)
    if kinds == {str} and "".join(column).isdecimal() and all(column) and max(map(len, column)) <= _MAX_DIGITS:
        return list(map(int, column))
    return _each(column, lambda value: 0 if value is None else parse_count(value, key), 0, problems)


def aliases(column: Column, key: str, separator: str | None, problems: Problems) -> RaggedTexts:
    """Names, given as lists or as text with a separator."""
    kinds = set(map(type, column))
    if kinds <= {str, NoneType} and separator is not None:
        column = [None if value is None else without_references(value).split(separator) for value in column]
        kinds = {list}
    if kinds <= {list, tuple, NoneType}:
        lists = [value or () for value in column]
        names = _plain(list(chain.from_iterable(lists)))
        if names is not None and all(names):
            return RaggedTexts(list(map(len, lists)), names)
    return _each_list(column, lambda value: parse_aliases(items_of(value, key, separator)), problems)


def types(column: Column, key: str, separator: str | None, problems: Problems) -> RaggedTexts:
    """Types, each once; text without a separator is one type."""

    def parse(value: object) -> list[NamedText]:
        items = [value] if type(value) is str and separator is None else items_of(value, key, separator)
        return _named(dict.fromkeys(filter(None, [parse_text(item, "types") for item in items])))

    return _each_list(column, parse, problems)


def alt_ids(column: Column, key: str, separator: str | None, problems: Problems) -> RaggedTexts:
    """Other ids."""

    def parse(value: object) -> list[NamedText]:
        return _named(parse_id(item, "alt_ids") for item in items_of(value, key, separator))

    return _each_list(column, parse, problems)


def descriptions(column: Column, by_language: Column, problems: Problems) -> RaggedTexts:
    """Descriptions in no language, then those in some; `by_language` is empty or as long as the column."""
    if not by_language:
        texts = _plain(["" if value is None else value for value in column])
        if texts:
            return RaggedTexts(list(map(bool, texts)), list(filter(None, texts)))
        by_language = [None] * len(column)

    def parse(pair: tuple[object, object]) -> list[NamedText]:
        return [(text, lang, 0) for lang, text in parse_descriptions(*pair)]

    return _each_list(list(zip(column, by_language, strict=True)), parse, problems)


def items_of(value: object, key: str, separator: str | None) -> Sequence[Any]:
    """The values of a field that may hold several."""
    if type(value) is str and separator is not None:
        return without_references(value).split(separator)
    if not isinstance(value, (list, tuple)):
        raise BadRecord("wrong_type", f'{key!r} must be a list such as ["a", "b"], got {shown_value(value)}')
    return value


def _plain(column: Column) -> list[str] | None:
    """The texts without outer white space, or None if one is no text or has to be cleaned."""
    try:
        joined = "".join(column)
    except TypeError:
        return None
    is_plain = joined.isprintable() and not ("&" in joined and ";" in joined)
    return list(map(str.strip, column)) if is_plain else None


def _each(column: Column, parse: Callable[[Any], T], nothing: T, problems: Problems) -> list[T]:
    """Value by value, with `nothing` in place of what is wrong."""
    values = []
    for row, value in enumerate(column):
        try:
            values.append(parse(value))
        except BadRecord as problem:
            problems.setdefault(row, []).append(problem)
            values.append(nothing)
    return values


def _each_list(column: Column, parse: Callable[[Any], list[NamedText]], problems: Problems) -> RaggedTexts:
    return RaggedTexts.of(_each(column, lambda value: [] if value is None else parse(value), [], problems))


def _named(texts: Iterable[str]) -> list[NamedText]:
    return [(text, "", 0) for text in texts]
