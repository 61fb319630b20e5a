"""Documents in: opens a file of any known format, compressed or not."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator

from deixis.documents.arriving import ArrivingLines
from deixis.documents.formats import READERS, DocumentReader
from deixis.documents.sniffing import format_of, opening_of
from deixis.types import Document

MAX_CHARACTERS = 1_000_000  # of documents that are worked on together, unless one of them has more


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
    return _read(ArrivingLines(os.fspath(path)), None if format is None else READERS[format])


def read_batches(
    paths: Iterable[str | os.PathLike[str]], format: str | None = None, max_documents: int = 256
) -> Iterator[list[Document]]:
    """The documents of files in lists to be worked on together, none of them empty.

    A list is full with `max_documents`, or with `MAX_CHARACTERS` of text. From a pipe or a terminal, it ends where the
    next document would have to be waited for.
    """
    batch: list[Document] = []
    for path in paths:
        lines = ArrivingLines(os.fspath(path))
        comes_slowly = not os.path.isfile(path)
        n_characters = sum(len(document.text) for document in batch)
        for document in _read(lines, None if format is None else READERS[format]):
            batch.append(document)
            n_characters += len(document.text)
            is_full = len(batch) >= max_documents or n_characters >= MAX_CHARACTERS
            if is_full or (comes_slowly and not lines.n_waiting):
                yield batch
                batch, n_characters = [], 0
    if batch:
        yield batch


def _read(lines: ArrivingLines, reader: DocumentReader | None) -> Iterator[Document]:
    numbered: Iterator[tuple[int, str]] = iter(lines)
    if reader is None:
        opening = opening_of(numbered)
        reader = READERS[format_of(lines.path, opening)]
        numbered = itertools.chain(opening, numbered)
    yield from reader(numbered, lines.path)
