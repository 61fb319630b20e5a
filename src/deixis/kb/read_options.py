"""How a list is read, where the guess from its content is to be overruled; and the limits of what is read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from deixis.errors import ConfigError

FIELDS = ("id", "title", "aliases", "description", "types", "count", "url", "alt_ids", "language")
"""What a column can be."""
_SHARE = 16  # of what is read as a stream
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_ESCAPES = {"\\n": "\n", "\\t": "\t"}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    r"""How to read a list; what is None or empty is guessed from the list itself.

    Examples
    --------
    >>> options = ReadOptions.of(columns="id=SKU,title=Product Name", alias_separator=";")
    >>> options.columns
    {'id': 'SKU', 'title': 'Product Name'}
    >>> ReadOptions.of(limits="line=5MB").max_line
    5000000
    >>> ReadOptions.of(delimeter=";")
    Traceback (most recent call last):
    deixis.errors.ConfigError: Unknown option 'delimeter'. Did you mean 'delimiter'?
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """Field -> name of its column, or its number from 1."""
    alias_separator: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    has_header: bool | None = None
    has_prefix: bool = False
    """Whether every id gets the name of its list before it, as in `drugs:17`."""
    query: str | None = None
    """What is taken: the `select` whose rows are the entities of an SQLite database; see `DumpQuery` for dumps."""
    names_format: str = "names"
    """What a file is that has one name a line: `names`, or `label-lines` where line numbers are the labels."""
    max_line: int = 256 * 10**6
    """Bytes of a line."""
    max_columns: int = 4096
    max_unpacked: int = 64 * 10**9
    """Bytes that a compressed file may unpack to; see `max_whole`."""

    def __post_init__(self) -> None:
        """Raise at once for what no list could be read with."""
        unknown = [name for name in self.columns if name not in FIELDS]
        if unknown:
            raise ConfigError(
                f"No field is called {unknown[0]!r}{_suggestion(unknown[0], FIELDS)} ({', '.join(FIELDS)})."
            )
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise ConfigError(f"A delimiter is one character such as ';' or \\t, got {self.delimiter!r}.")
        if self.alias_separator == "":
            raise ConfigError("The separator of aliases is empty; give one or more characters such as ';'.")
        if self.encoding is not None:
            _check_encoding(self.encoding)

    @property
    def max_whole(self) -> int:
        """Bytes of a list that is held in memory as a whole: a workbook, RDF, the results of a query."""
        return self.max_unpacked // _SHARE

    @classmethod
    def of(cls, options: ReadOptions | None = None, **changes: Any) -> ReadOptions:  # noqa: ANN401 - the fields
        """The options with some changed; columns and limits may be text, as on the command line."""
        known = {each.name for each in fields(cls)}
        values = {name: value for name, value in changes.items() if value is not None}
        values |= _limits(values.pop("limits", ""))
        if isinstance(values.get("columns"), str):
            values["columns"] = parse_columns(values["columns"])
        for name in ("alias_separator", "delimiter"):
            if name in values:
                values[name] = _ESCAPES.get(values[name], values[name])
        unknown = [name for name in values if name not in known]
        if unknown:
            raise ConfigError(f"Unknown option {unknown[0]!r}.{_suggestion(unknown[0], known)}")
        return replace(options or cls(), **values)


def parse_columns(text: str) -> dict[str, str]:
    """Field -> column, of text such as `id=SKU,title=Product Name`; a part without `=` belongs to the name before it.

    Examples
    --------
    >>> parse_columns("id=SKU, title=Name, short")
    {'id': 'SKU', 'title': 'Name, short'}
    """
    columns: dict[str, str] = {}
    last = None
    for part in text.split(","):
        name, equals, column = part.partition("=")
        if equals and re.fullmatch(r"\s*[A-Za-z_]+\s*", name):
            last = name.strip().lower()
            if last in columns:
                raise ConfigError(f"The columns {text!r} name {last!r} twice; give one column a field.")
            columns[last] = column.strip()
        elif last is None:
            raise ConfigError(f"Columns are given as FIELD=COLUMN, such as id=SKU,title=Name; got {text!r}.")
        else:
            columns[last] = f"{columns[last]},{part}"
    return columns


def _limits(text: str) -> dict[str, int]:
    limits = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(line|columns|unpacked)\s*=\s*(\d+)\s*([kmgt]?)b?", part.lower())
        if match is None:
            raise ConfigError(f"Limits are given as line=1GB,columns=10000,unpacked=1TB, got {part!r}.")
        limits[f"max_{match[1]}"] = int(match[2]) * _UNITS[match[3]]
    return limits


def _check_encoding(name: str) -> None:
    try:
        codec = codecs.lookup(name)
    except LookupError:
        raise ConfigError(f"No encoding is called {name!r}; common ones: utf-8, cp1252, latin-1, utf-16.") from None
    if not getattr(codec, "_is_text_encoding", True):
        raise ConfigError(f"{name!r} is no encoding of text; common ones: utf-8, cp1252, latin-1, utf-16.")


def _suggestion(name: str, known: Any) -> str:  # noqa: ANN401 - any collection of names
    close = get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
