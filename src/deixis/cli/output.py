"""Results out: to stdout, or to a file that appears whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from deixis.cli.exits import NO_ROOM
from deixis.errors import DataError
from deixis.store.files import open_new

_CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


@contextmanager
def output_stream(path: str | None) -> Iterator[TextIO]:
    """A stream to stdout (no path, or `-`), or to a new file that takes its name when the block has ended well.

    An interrupted or failed block leaves whatever was at `path` before. A suffix of .gz, .bz2, .xz or .zst compresses.
    """
    if path is None or path == "-":
        yield sys.stdout
        return
    with output_path(path) as target:
        if target.exists():  # a device or a pipe, such as /dev/null
            with open(target, "w", encoding="utf-8") as stream:
                yield stream
        else:
            with open_new(target, Path(path).suffix) as stream:
                yield stream


@contextmanager
def growing_output(path: str | None) -> Iterator[Callable[[str], None]]:
    """A function that adds text to a file, which is there, whole, after each piece; on stdout pieces are as they come.

    What stops the block leaves the pieces that were added; with none, whatever was at `path` before.
    """
    target = None if path is None or path == "-" else Path(os.path.realpath(path))
    if path is None or target is None or (target.exists() and not target.is_file()):
        with output_stream(path) as stream:
            yield lambda text: print(text, end="", file=stream, flush=True)
        return
    check_output(path)
    pieces: list[str] = []

    def add(text: str) -> None:
        pieces.append(text)
        with output_stream(path) as stream:
            stream.write("".join(pieces))

    yield add


def check_output(path: str) -> None:
    """An error if no file can be written at `path`."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise DataError(f"cannot write there: no folder {str(target.parent)!r}; make it first", path=path)
    if target.is_dir():
        raise DataError("cannot write there: it is a folder; give a file's name", path=path)
    if not os.access(target.parent, os.W_OK):
        raise DataError(f"cannot write there: nothing can be written in {str(target.parent)!r}", path=path)


@contextmanager
def output_path(path: str) -> Iterator[Path]:
    """Where to write a new file, which takes its name `path` when the block has ended well; a full disk is reported.

    What is no file, such as a device, is written to where it is.
    """
    target = Path(os.path.realpath(path))
    if not target.exists() or target.is_file() or target.is_dir():
        check_output(path)
    try:
        if target.exists() and not target.is_file():
            yield target
        else:
            with _replacing(target) as temporary:
                yield temporary
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise DataError(f"cannot be written: {error.strerror}; make room or choose another place", path=path) from error


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part{target.suffix}")  # whose suffix tells its format
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def printable(text: str) -> str:
    """The text without the control characters that could play tricks on a terminal; as long as before."""
    return text.translate(_CONTROL)
