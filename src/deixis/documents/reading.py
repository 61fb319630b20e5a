"""Documents in: opens a file of any known format, compressed or not."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator

from deixis.documents.formats import READERS, DocumentReader
from deixis.documents.sniffing import format_of, opening_of
from deixis.store.files import open_lines
from deixis.types import Document


def read_documents(path: str | os.PathLike[str], format: str | None = None) -> Iterator[Document]:
    """The documents of a file, one after another; `-` reads standard input.

    `format` is one of `READERS`; by default the file's name tells, and where it leaves a choice, how the file begins.

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
        lines = iter(lines)
        opening = opening_of(lines)
        reader = READERS[format_of(name, opening)]
        lines = itertools.chain(opening, lines)
    yield from reader(lines, name)
