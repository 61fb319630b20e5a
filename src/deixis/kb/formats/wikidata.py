"""Wikidata's entities in JSON to records: the array of a dump, one entity a line, or lines without the array.

The title is the label in English, in the default for all languages (`mul`), or in the first language there is; labels
and aliases in all languages are aliases. The classes it is an instance of (P31) are types, by their ids; the number of
Wikipedia and other pages about it is the count. Properties, and items without a label, are left out.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

from deixis.kb.records import BadRecord

logger = logging.getLogger(__name__)
_TITLE_LANGUAGES = ("en", "mul")
_INSTANCE_OF = "P31"
_PAGE = "https://www.wikidata.org/wiki/"


def read_wikidata(lines: Iterator[tuple[int, bytes]], path: object) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    r"""The record of each line's item, or what is wrong with the line.

    Examples
    --------
    >>> dump = [b"[", b'{"type":"item","id":"Q90","labels":{"en":{"language":"en","value":"Paris"}}},', b"]"]
    >>> for _, record in read_wikidata(enumerate(dump, start=1), "dump.json"):
    ...     print(record["id"], record["title"], record["url"])
    Q90 Paris https://www.wikidata.org/wiki/Q90
    """
    n_unnamed = 0
    for number, raw in lines:
        line = raw.strip().removesuffix(b",")
        if line in (b"", b"[", b"]"):
            continue
        for item in _items(line):
            record = item if isinstance(item, BadRecord) else _checked_record(item)
            if record is None:
                n_unnamed += 1
            else:
                yield number, record
    if n_unnamed:
        logger.warning("%s: properties and items without a label left out: %d", path, n_unnamed)


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


def _checked_record(item: object) -> dict[str, Any] | BadRecord | None:
    try:
        return _record(item)
    except (AttributeError, KeyError, TypeError):
        return BadRecord("wrong_type", "not an entity as Wikidata writes them: a field has another shape")


def _record(item: Any) -> dict[str, Any] | BadRecord | None:  # noqa: ANN401 - JSON as it comes
    """The record of an item; None of a property, or where there is no label."""
    if not isinstance(item, dict) or "id" not in item:
        return BadRecord("wrong_type", "not an entity of Wikidata: an object with an 'id' and 'labels' is expected")
    labels = {lang: label["value"] for lang, label in _by_key(item, "labels").items()}
    if not labels or item.get("type", "item") != "item":
        return None
    language = next((each for each in _TITLE_LANGUAGES if each in labels), next(iter(labels)))
    aliases = [{"text": text, "lang": lang} for lang, text in labels.items()]
    for lang, group in _by_key(item, "aliases").items():
        aliases += [{"text": each["value"], "lang": lang} for each in group]
    return {
        "id": item["id"],
        "title": labels[language],
        "aliases": aliases,
        "descriptions": {lang: text["value"] for lang, text in _by_key(item, "descriptions").items()},
        "types": _classes(_by_key(item, "claims").get(_INSTANCE_OF, [])),
        "count": len(_by_key(item, "sitelinks")),
        "url": _PAGE + str(item["id"]),
    }


def _by_key(item: dict[str, Any], field: str) -> dict[str, Any]:
    """A field that is an object; Wikidata writes an empty one as `[]`."""
    value: dict[str, Any] = item.get(field) or {}
    value.items()  # anything else has another shape
    return value


def _classes(statements: list[Any]) -> list[str]:
    """The ids of the classes; of statements with ranks, those that are not deprecated."""
    classes = []
    for statement in statements:
        main = statement["mainsnak"]
        if statement.get("rank") != "deprecated" and main.get("snaktype", "value") == "value":
            value = main["datavalue"]["value"]
            classes.append(str(value["id"] if "id" in value else f"Q{value['numeric-id']}"))
    return list(dict.fromkeys(classes))
