"""Everything that can go wrong, in words a user can act on. Knows no framework."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

MAX_SHOWN = 40  # names that a message lists


class ToolkitError(Exception):
    """Any error Deixis raises on purpose; catch this one to catch them all.

    Examples
    --------
    >>> try:
    ...     raise DataError("no title", path="kb.jsonl", line=3)
    ... except ToolkitError as error:
    ...     print(error)
    kb.jsonl, line 3: no title
    """


class ConfigError(ToolkitError):
    """A setting has an unknown name or a value that is not allowed."""


class DataError(ToolkitError):
    """A file holds something that cannot be read; knows the file and the line."""

    def __init__(self, message: str, *, path: object = None, line: int | None = None) -> None:
        self.reason = message = _printable(message)
        self.path = path
        self.line = line
        where = "" if path is None else str(path)
        if line is not None:
            where += f", line {line}" if where else f"line {line}"
        super().__init__(f"{where}: {message}" if where else message)


def _printable(message: str) -> str:
    """The message with what a terminal would not show, such as bytes of a damaged file, written as escapes."""
    return (
        message
        if message.isprintable()
        else "".join(each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in message)
    )


class WriteError(DataError):
    """A result cannot be written: the disk is full, or the folder is not ours."""


class UnknownEntityError(DataError):
    """An entity was to be changed that is not in the knowledge base."""


class ConflictError(DataError):
    """A change does not fit what others did before: the id is there already, or a later change built on it."""


class UnknownNameError(ToolkitError):
    """A name was asked for that is not in the table of known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], close: Sequence[str] | None = None) -> None:
        names = sorted(known)
        if close is None:
            close = difflib.get_close_matches(name, names, n=1)
        shown = names[:MAX_SHOWN]
        more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
        message = f"No {kind} named {name!r}. Known: {', '.join(shown)}{more}."
        super().__init__(f"{message} Did you mean {close[0]!r}?" if close else message)


class NotFittedError(ToolkitError):
    """Something was asked of a model before it learned anything."""


class StoreError(ToolkitError):
    """A model folder is missing, foreign, damaged or from a newer version; names the file."""


class MissingExtraError(ToolkitError):
    """An optional part needs a package that is not installed; names the line that installs it."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package!r}. Install it with: pip install 'deixis[{extra}]'")
