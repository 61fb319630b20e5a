"""Files of documents, as commands are given them: several, all of one format or each of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from deixis.documents.formats import READERS
from deixis.documents.reading import read_documents
from deixis.errors import UnknownNameError
from deixis.registry import LazyRegistry
from deixis.types import Document


def known_format(name: str | None, formats: LazyRegistry) -> None:
    """Raises if a format was named that there is not: before work is done, and without importing the others."""
    if name is not None and name not in formats:
        raise UnknownNameError("document format", name, known=formats)


def read_all(files: Iterable[str], format: str | None) -> Iterator[Document]:
    """The documents of all the files, one after another."""
    known_format(format, READERS)
    return itertools.chain.from_iterable(read_documents(path, format) for path in files)
