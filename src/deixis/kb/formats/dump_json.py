"""JSON of dumps: a line parsed, a record made of it, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from deixis.errors import ConfigError
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

Records = Iterator[tuple[int, dict[str, Any] | BadRecord]]
T = TypeVar("T")
_TYPED = ("wikidata", "damuel")
_ODD = "a field has another shape than in the dumps that are published"


def parsed(raw: bytes) -> Any:  # noqa: ANN401 - JSON as it comes
    """The value of a line, or a `BadRecord`."""
    try:
        return json.loads(raw.decode("utf-8"))
    except json.JSONDecodeError as error:
        return BadRecord("bad_json", f"not JSON: {error.msg}, column {error.colno}; a dump has one record a line")
    except (ValueError, RecursionError):
        return BadRecord("bad_json", "not usable JSON: not UTF-8, nested too deep, or a number with too many digits")


def checked(make: Callable[[Any, DumpQuery], T], value: Any, query: DumpQuery) -> T | BadRecord:  # noqa: ANN401
    """What is made of a value; a field of another shape is a `BadRecord`."""
    if isinstance(value, BadRecord):
        return value
    try:
        return make(value, query)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return BadRecord("wrong_type", f"{_ODD}: {ascii(error)[:100]}")


def strings(record: dict[str, Any], key: str) -> list[str]:
    """The strings of a list; none without the key."""
    values = record.get(key) or []
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise TypeError(f"{key!r} must be a list of strings")
    return values


def string(record: dict[str, Any], key: str) -> str:
    """A string; empty without the key."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{key!r} must be a string")
    return value


def query_of(format: str, options: ReadOptions | None) -> DumpQuery:
    """The query of the options, checked."""
    query = DumpQuery.of(None if options is None else options.query)
    check_query(format, query)
    return query


def check_query(format: str, query: DumpQuery) -> None:
    """An error for a query by types of a dump that has none."""
    if format not in _TYPED and (query.types or query.types_left_out):
        raise ConfigError(f"The pages of {format} have no types; leave types= out of the query.")
