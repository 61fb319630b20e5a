"""GeoNames' tables (`allCountries.txt`, `cities500.txt`, `FR.txt`) to records: 19 columns without a header.

The population is the count; feature class and code (`P.PPLC`), and the country, are types. The alternate names of this
table have no languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line

N_COLUMNS = 19
_ID, _NAME, _ASCII_NAME, _ALTERNATE_NAMES, _LATITUDE, _LONGITUDE, _CLASS, _CODE, _COUNTRY = range(9)
_POPULATION = 14
_COORDINATE = re.compile(rb"-?\d{1,3}(?:\.\d+)?")


def is_geonames(line: bytes) -> bool:
    r"""Whether a line is a row of the table.

    Examples
    --------
    >>> is_geonames(b"2988507\tParis\tParis\tLutece\t48.85\t2.35\tP\tPPLC\tFR" + b"\t" * 6 + b"2138551\t\t\t\t")
    True
    """
    cells = line.rstrip(b"\r\n").split(b"\t")
    if len(cells) != N_COLUMNS or not cells[_ID].isdigit():
        return False
    return all(_COORDINATE.fullmatch(cells[column]) for column in (_LATITUDE, _LONGITUDE))


def read_geonames(lines: Iterator[tuple[int, bytes]], path: object) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The record of each line, or what is wrong with it."""
    for number, raw in lines:
        if not raw.strip():
            continue
        try:
            cells = decode_line(raw, path, number).split("\t")
        except DataError as error:
            yield number, BadRecord("encoding", error.reason)
        else:
            yield number, _record(cells)


def _record(cells: list[str]) -> dict[str, Any] | BadRecord:
    if len(cells) != N_COLUMNS:
        return BadRecord("bad_row", f"{len(cells)} columns where GeoNames' table has {N_COLUMNS}")
    name = cells[_NAME]
    others = [cells[_ASCII_NAME], *cells[_ALTERNATE_NAMES].split(",")]
    feature = ".".join(part for part in (cells[_CLASS], cells[_CODE]) if part)
    return {
        "id": cells[_ID],
        "title": name,
        "aliases": [each for each in dict.fromkeys(others) if each and each != name],
        "types": [each for each in (feature, cells[_COUNTRY]) if each],
        "count": cells[_POPULATION] or None,
        "url": f"https://www.geonames.org/{cells[_ID]}",
    }
