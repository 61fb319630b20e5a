"""Results of Wikidata's query service to records: CSV or TSV, JSON of the service or of its page, plain or verbose.

The variable that has a label (`item`, `itemLabel`) is the entity; `itemAltLabel` are its aliases, `itemDescription` its
description, `typeLabel`, `classLabel` or `instanceLabel` its types, `sitelinks` its count. The rows of one entity make
one record.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line

_ENTITY = re.compile(r"https?://www\.wikidata\.org/entity/")
_TYPES = ("typeLabel", "classLabel", "instanceLabel", "instanceOfLabel")
_COUNTS = ("sitelinks", "linkcount", "count")
Row = dict[str, str]


def entity_variable(names: Iterable[str]) -> str | None:
    """The first variable that another one has the label of.

    Examples
    --------
    >>> entity_variable(["item", "itemLabel", "itemAltLabel"]), entity_variable(["id", "title"])
    ('item', None)
    """
    known = list(names)
    return next((name for name in known if f"{name}Label" in known and f"{name}Label" not in _TYPES), None)


def read_wikidata_query(
    lines: Iterator[tuple[int, bytes]], path: object
) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """A record for each entity of the results, with the line (in JSON the number) of its first row."""
    texts = [(number, decode_line(raw, path, number)) for number, raw in lines]
    first = next((text for _, text in texts if text.strip()), "")
    rows = _json_rows(texts, path) if first.lstrip()[:1] in ("{", "[") else _table_rows(texts, path)
    records: dict[str, tuple[int, dict[str, Any]]] = {}
    variable: str | None = None
    for number, row in rows:
        if variable is None:
            variable = entity_variable(row)
            if variable is None:
                shown = ", ".join(list(row)[:10])
                reason = f"no variable with its label (such as item and itemLabel) among: {shown}"
                raise DataError(reason, path=path, line=number)
        if not row.get(variable):
            yield number, BadRecord("missing_field", f"no {variable!r}; every entity needs an id")
            continue
        _, record = records.setdefault(row[variable], (number, _new(row, variable)))
        _extend(record, row, variable)
    yield from records.values()


def _new(row: Row, variable: str) -> dict[str, Any]:
    address = row[variable]
    identifier = _ENTITY.sub("", address)
    count = next((row[name] for name in _COUNTS if row.get(name)), None)
    record: dict[str, Any] = {"id": identifier, "title": row.get(f"{variable}Label") or identifier}
    record |= {"aliases": [], "description": row.get(f"{variable}Description") or None, "types": [], "count": count}
    return record | ({"url": address} if address != identifier else {})


def _extend(record: dict[str, Any], row: Row, variable: str) -> None:
    aliases = (row.get(f"{variable}AltLabel") or "").split(", ")
    record["aliases"] += [each for each in aliases if each and each not in record["aliases"]]
    types = [row[name] for name in _TYPES if row.get(name)]
    record["types"] += [each for each in types if each not in record["types"]]


def _table_rows(texts: list[tuple[int, str]], path: object) -> Iterator[tuple[int, Row]]:
    delimiter = "\t" if texts and "\t" in texts[0][1] else ","
    reader = csv.reader((text + "\n" for _, text in texts), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        begin = reader.line_num
        for cells in reader:
            number, begin = texts[begin][0], reader.line_num
            if len(cells) != len(header) and cells:
                reason = f"{len(cells)} fields where the header has {len(header)}"
                raise DataError(reason, path=path, line=number)
            if cells:
                yield number, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise DataError(f"not a CSV row: {error}", path=path, line=texts[reader.line_num - 1][0]) from error


def _json_rows(texts: list[tuple[int, str]], path: object) -> Iterator[tuple[int, Row]]:
    try:
        results = json.loads("\n".join(text for _, text in texts))
        bindings = results["results"]["bindings"] if isinstance(results, dict) else results
        for number, binding in enumerate(bindings, start=1):
            yield number, {name: _text(value) for name, value in binding.items()}
    except json.JSONDecodeError as error:
        line = texts[min(error.lineno, len(texts)) - 1][0]
        raise DataError(f"not JSON: {error.msg}, column {error.colno}", path=path, line=line) from error
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        reason = 'not results of a query: {"head": ..., "results": {"bindings": [...]}} or an array of rows is expected'
        raise DataError(reason, path=path, line=1) from error


def _text(value: Any) -> str:  # noqa: ANN401 - JSON as it comes
    return str(value["value"] if isinstance(value, dict) else value)
