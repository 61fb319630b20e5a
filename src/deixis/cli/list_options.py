"""The options that overrule how a list is understood, the same in every command that reads one; and what is said."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from deixis.kb.formats import FORMATS
from deixis.kb.read_options import ReadOptions

GROUP = "Reading the list"
_OPTIONS: dict[str, dict[str, Any]] = {
    "--columns": {"metavar": "FIELD=COLUMN,...", "help": 'Columns of fields: "id=SKU,title=Product Name,aliases=3".'},
    "--alias-separator": {"metavar": "TEXT", "help": "What stands between the aliases of a cell, such as ';'."},
    "--delimiter": {"metavar": "CHAR", "help": "What stands between columns, such as ';' or '\\t'."},
    "--encoding": {"metavar": "NAME", "help": "Encoding of the text, such as cp1252."},
    "--header/--no-header": {"default": None, "help": "Whether the first line of a table names its columns."},
    "--format": {"metavar": "NAME", "help": f"{', '.join(FORMATS)}."},
    "--query": {
        "metavar": "QUERY",
        "help": 'Entities of SQLite: "select ..."; of a dump: "languages=en,types=Q5,count=9".',
    },
    "--prefix": {"is_flag": True, "help": "Put the name of its list before every id: drugs:17."},
    "--limits": {"metavar": "NAME=SIZE,...", "help": 'Raise limits: "line=1GB,columns=10000,unpacked=1TB".'},
}
LIST_FLAGS = tuple(flag.partition("/")[0] for flag in _OPTIONS)
_PARAMETERS = {"header": "has_header", "prefix": "has_prefix"}


class ListOption(click.Option):
    """An option of reading lists; help lists these apart, or names them in one line where there are many others."""

    group = GROUP


class ListOptionInLine(ListOption):
    """The same, in the help of a command that has many options."""

    is_in_line = True


def list_options(*only: str, is_in_line: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options of reading lists, or only some; the command receives them as `reading`, a `ReadOptions`."""
    options = {flag: _OPTIONS[flag] for flag in only} or _OPTIONS
    names = [flag.partition("/")[0][2:].replace("-", "_") for flag in options]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_reading(*arguments: Any, **values: Any) -> Any:  # noqa: ANN401 - whatever the command returns
            typed = {_PARAMETERS.get(name, name): values.pop(f"list_{name}") for name in names}
            return command(*arguments, reading=ReadOptions.of(**typed), **values)

        decorated: Callable[..., Any] = with_reading
        for (flag, settings), name in reversed(list(zip(options.items(), names, strict=True))):
            kind = ListOptionInLine if is_in_line else ListOption
            decorated = click.option(flag, f"list_{name}", cls=kind, **settings)(decorated)
        return decorated

    return decorate
