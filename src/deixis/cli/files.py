"""Files that a command is given, checked before the work: documents, entities, settings, and a place to write."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.cli.output import printable
from deixis.cli.session import Session
from deixis.documents.formats import READERS
from deixis.documents.reading import read_batches, read_documents
from deixis.errors import DataError, StoreError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.registry import LazyRegistry
from deixis.types import Document

if TYPE_CHECKING:
    from deixis.kb.read_options import ReadOptions


def known_format(name: str | None, formats: LazyRegistry) -> None:
    """Raises if a format was named that there is not: before work is done, and without importing the others."""
    if name is not None and name not in formats:
        raise UnknownNameError("document format", name, known=formats)


def read_all(files: Iterable[str], format: str | None) -> Iterator[Document]:
    """The documents of all the files, one after another."""
    known_format(format, READERS)
    return itertools.chain.from_iterable(read_documents(path, format) for path in files)


def read_in_batches(files: Iterable[str], format: str | None, max_documents: int) -> Iterator[list[Document]]:
    """The documents of all the files in lists to be linked together, as they come."""
    known_format(format, READERS)
    return read_batches(files, format, max_documents)


def read_kb(
    session: Session, files: tuple[str, ...], skip_bad: bool, reading: ReadOptions | None = None
) -> KnowledgeBase:
    """The knowledge base; how its lists were understood, with three entities of each, is reported."""
    try:
        kb, report = KnowledgeBase.read_with_report(files, reading, skip_bad=skip_bad)
    except DataError as error:
        if error.line is None or skip_bad:
            raise
        hint = "Correct the line, or leave bad lines out with --skip-bad; deixis kb check lists them all"
        raise DataError(f"{error.reason}. {hint}", path=error.path, line=error.line) from None
    for each in report.lists:
        for line in each.lines():
            session.note(printable(line))
    for skipped in report.skipped:
        session.note(f"Skipped: {printable(str(skipped))}")
    if report.n_skipped > len(report.skipped):
        session.note(f"Skipped: {report.n_skipped - len(report.skipped):,} more lines")
    return kb


def read_entities(path: str, session: Session) -> KnowledgeBase:
    """The knowledge base in a model folder, or in a file."""
    return Linker.load(path, verify=session.verify).kb if os.path.isdir(path) else KnowledgeBase.read(path)


def check_target(path: Path) -> None:
    """Says before an hour's work, and not after it, that the result cannot be put there."""
    if path.is_file():
        raise StoreError(f"{path} is a file; a model is a folder. Choose another place with -o.")
    if path.is_dir() and any(path.iterdir()) and not (path / "manifest.json").is_file():
        raise StoreError(f"The folder {path} holds other things than a model. Choose another place with -o.")
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if not os.access(parent, os.W_OK):
        raise StoreError(f"Nothing can be written in the folder {parent}. Choose another place with -o.")


def check_files(paths: Iterable[str]) -> None:
    """Says that a file is missing before the others are read."""
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise DataError("no such file; check the path", path=path)


def has_documents(path: str, format: str | None) -> bool:
    """Whether a file has a document; one that cannot be read is an error before hours are spent on others."""
    return path == "-" or next(iter(read_documents(path, format)), None) is not None
