"""Tab-separated tables: rows by their columns' names in; out, what fits a column and what to say of what does not."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator

from deixis.documents.places import Place
from deixis.documents.spans import MakeError
from deixis.errors import DataError

Row = tuple[Place, dict[str, str]]

_BREAKS = re.compile(r"[\t\n\r]")
_WHOLE = re.compile(r"[0-9]{1,15}")


def named_rows(lines: Iterable[tuple[int, str]], path: str, needed: tuple[str, ...]) -> Iterator[Row]:
    r"""Each row of a table with a header by its columns' names, and where it stands; fields may be quoted as in CSV.

    Examples
    --------
    >>> rows = named_rows([(1, "docid\tlang"), (2, "tr-8\ttr")], "docs.tsv", needed=("docid",))
    >>> [(place.line, row) for place, row in rows]
    [(2, {'docid': 'tr-8', 'lang': 'tr'})]
    """
    at = 0

    def numbered() -> Iterator[str]:
        nonlocal at
        for number, line in lines:
            at = number
            yield line.rstrip("\r") + "\n"

    names: list[str] = []
    records = csv.reader(numbered(), delimiter="\t", strict=True)
    while True:
        begun = at + 1  # a field in quotes may reach over several lines
        try:
            values = next(records, None)
        except csv.Error as error:
            reason = f"not a row of tab-separated values ({error}); a field with a quote must be quoted as in CSV"
            raise Place(path, begun).error(reason) from None
        place = Place(path, begun)
        if values is None:
            return
        if not values or (not names and not "".join(values).strip()):
            continue
        if not names:
            names = values
            missing = [name for name in needed if name not in names]
            if missing:
                raise place.error(f"the header must name {', '.join(needed)}; {', '.join(missing)} not in {names!r}")
        elif len(values) != len(names):
            raise place.error(f"a row needs {len(names)} columns, got {len(values)}: {values!r}. Is the file cut off?")
        else:
            yield place, dict(zip(names, values, strict=True))


def column_value(value: str, what: str, error: MakeError, reserved: Collection[str] = ()) -> str:
    """The value, if it fits a column: not empty, on one line, without tabs, and not a word the format reserves.

    Examples
    --------
    >>> column_value("Q90", "an entity id", DataError)
    'Q90'
    """
    if not value or value in reserved or _BREAKS.search(value):
        allowed = "text on one line without tabs" + "".join(f", not {word!r}" for word in reserved)
        raise error(f"{what} must be {allowed}, got {value!r}. The format 'native' takes any")
    return value


def whole_number(value: str) -> int | None:
    """The number that a column of digits holds; None if it holds something else, or more digits than any offset has.

    Examples
    --------
    >>> whole_number("14"), whole_number("-1"), whole_number("1.0")
    (14, None, None)
    """
    return int(value) if _WHOLE.fullmatch(value) else None


def on_one_line(text: str) -> str:
    r"""The text with each tab and line end made a space, so that offsets stay where they were.

    Examples
    --------
    >>> on_one_line("To\tsave\r\nTroy")
    'To save  Troy'
    """
    return _BREAKS.sub(" ", text)


def writing_error(document_id: str, format: str, path: str) -> MakeError:
    """Makes the errors that say which document a format cannot carry."""

    def error(message: str) -> DataError:
        where = None if path == "-" else path
        return DataError(f"the document {document_id!r} cannot be written as {format!r}: {message}", path=where)

    return error
