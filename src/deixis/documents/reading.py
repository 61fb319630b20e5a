"""Documents in: opens a file of any known format, compressed or not."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator

from deixis.documents.formats import READERS, DocumentReader, format_of_content, format_of_name
from deixis.store.files import open_lines
from deixis.types import Document


def read_documents(path: str | os.PathLike[str], format: str | None = None) -> Iterator[Document]:
    """The documents of a file, one after another; `-` reads standard input.

    The format is `native` (JSON lines), `text` (the file is one document) or `lines` (a document a line). By default
    the file's name tells, and where it does not, the first line: an opening brace means `native`, else it is `text`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "troy.txt"
    >>> _ = path.write_text("To save Troy, Paris had to be sacrificed.")
    >>> [document.text[14:19] for document in read_documents(path)]
    ['Paris']
    """
    name = os.fspath(path)
    reader: DocumentReader | None = READERS[format] if format is not None else None
    return _read(name, reader)


def _read(name: str, reader: DocumentReader | None) -> Iterator[Document]:
    lines: Iterable[tuple[int, str]] = open_lines(name)
    if reader is None:
        chosen = format_of_name(name)
        if chosen is None:
            chosen, lines = _sniffed(iter(lines))
        reader = READERS[chosen]
    yield from reader(lines, name)


def _sniffed(lines: Iterator[tuple[int, str]]) -> tuple[str, Iterable[tuple[int, str]]]:
    """The format that the lines look like, and all of the lines again."""
    seen: list[tuple[int, str]] = []
    for number, line in lines:
        seen.append((number, line))
        if line.strip():
            break
    return format_of_content(seen[-1][1] if seen else ""), itertools.chain(seen, lines)
