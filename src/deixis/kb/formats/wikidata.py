"""Wikidata's entities in JSON to records: the array of a dump, one entity a line, or lines without the array.

The title is the label in English, in the default for all languages (`mul`), or in the first language there is; labels
and aliases in all languages are aliases. The classes it is an instance of (P31) are types, by their ids; the number of
Wikipedia and other pages about it is the count. Properties, and items without a label, are left out. A query takes some
languages, classes and items with enough pages; lines without any of its classes are not even parsed.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

from deixis.kb.dumps.page import DumpPage, DumpPages, Lines, records_of
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

logger = logging.getLogger(__name__)
_ANY_LANGUAGE = "mul"
_TITLE_LANGUAGES = ("en", _ANY_LANGUAGE)
_ALL = DumpQuery()
_INSTANCE_OF = "P31"
_PAGE = "https://www.wikidata.org/wiki/"


def read_wikidata(
    lines: Lines, path: object, options: ReadOptions | None = None
) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    r"""The record of each line's item, or what is wrong with the line.

    Examples
    --------
    >>> dump = [b"[", b'{"type":"item","id":"Q90","labels":{"en":{"language":"en","value":"Paris"}}},', b"]"]
    >>> for _, record in read_wikidata(enumerate(dump, start=1), "dump.json"):
    ...     print(record["id"], record["title"], record["url"])
    Q90 Paris https://www.wikidata.org/wiki/Q90
    """
    return records_of(wikidata_pages(lines, path, DumpQuery.of(None if options is None else options.query)))


def wikidata_pages(lines: Lines, path: object, query: DumpQuery, **_: object) -> DumpPages:
    """Each item that the query takes."""
    n_unnamed = 0
    has_type = _type_search(query)
    for number, raw in lines:
        line = raw.strip().removesuffix(b",")
        if line in (b"", b"[", b"]") or (has_type is not None and not has_type(line)):
            continue
        for item in _items(line):
            record = item if isinstance(item, BadRecord) else _checked_record(item, query)
            if record is None:
                n_unnamed += 1
            else:
                yield number, record if isinstance(record, BadRecord) else DumpPage(record)
    if n_unnamed:
        others = "" if query == _ALL else ", and items that the query does not take,"
        logger.warning("%s: properties and items without a label%s left out: %d", path, others, n_unnamed)


def _type_search(query: DumpQuery) -> Callable[[bytes], object] | None:
    """Whether a line may have one of the classes; None without classes, or with one that is no item's id."""
    if not query.types or not all(re.fullmatch(r"Q[0-9]+", each) for each in query.types):
        return None
    numbers = "|".join(sorted(each[1:] for each in query.types))
    return re.compile(rf'"(?:id"\s*:\s*"Q|numeric-id"\s*:\s*)(?:{numbers})(?![0-9])'.encode()).search


def _items(line: bytes) -> list[Any]:
    """The entities of a line: one, those of an array on one line, or those of `Special:EntityData`."""
    try:
        value = json.loads(line.decode("utf-8"))
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg}, column {error.colno}; Wikidata's dumps have one entity a line"
        return [BadRecord("bad_json", reason)]
    except (ValueError, RecursionError):
        return [BadRecord("bad_json", "not usable JSON: not UTF-8, nested too deep, or a number with too many digits")]
    if isinstance(value, dict) and isinstance(value.get("entities"), dict):
        return list(value["entities"].values())
    return value if isinstance(value, list) else [value]


def _checked_record(item: object, query: DumpQuery) -> dict[str, Any] | BadRecord | None:
    try:
        return _record(item, query)
    except (AttributeError, KeyError, TypeError):
        return BadRecord("wrong_type", "not an entity as Wikidata writes them: a field has another shape")


def _record(item: Any, query: DumpQuery) -> dict[str, Any] | BadRecord | None:  # noqa: ANN401 - JSON as it comes
    """The record of an item; None of a property, where there is no label, or of what the query leaves out."""
    if not isinstance(item, dict) or "id" not in item:
        return BadRecord("wrong_type", "not an entity of Wikidata: an object with an 'id' and 'labels' is expected")
    languages = query.languages and query.languages | {_ANY_LANGUAGE}
    labels = {lang: label["value"] for lang, label in _by_key(item, "labels", languages).items()}
    count = len(_by_key(item, "sitelinks"))
    if not labels or item.get("type", "item") != "item" or count < query.min_count:
        return None
    types = _classes(_by_key(item, "claims").get(_INSTANCE_OF, []))
    if not query.has_types(types):
        return None
    language = next((each for each in _TITLE_LANGUAGES if each in labels), next(iter(labels)))
    aliases = [{"text": text, "lang": lang} for lang, text in labels.items()]
    for lang, group in _by_key(item, "aliases", languages).items():
        aliases += [{"text": each["value"], "lang": lang} for each in group]
    return {
        "id": item["id"],
        "title": labels[language],
        "aliases": aliases,
        "descriptions": {lang: text["value"] for lang, text in _by_key(item, "descriptions", languages).items()},
        "types": types,
        "count": count,
        "url": _PAGE + str(item["id"]),
    }


def _by_key(item: dict[str, Any], field: str, keys: frozenset[str] = frozenset()) -> dict[str, Any]:
    """A field that is an object, of some keys if there are any; Wikidata writes an empty one as `[]`."""
    value: dict[str, Any] = item.get(field) or {}
    value.items()  # anything else has another shape
    return {key: value[key] for key in value if key in keys} if keys else value


def _classes(statements: list[Any]) -> list[str]:
    """The ids of the classes; of statements with ranks, those that are not deprecated."""
    classes = []
    for statement in statements:
        main = statement["mainsnak"]
        if statement.get("rank") != "deprecated" and main.get("snaktype", "value") == "value":
            value = main["datavalue"]["value"]
            classes.append(str(value["id"] if "id" in value else f"Q{value['numeric-id']}"))
    return list(dict.fromkeys(classes))
