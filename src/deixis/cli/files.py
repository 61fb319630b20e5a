"""Files of documents and of entities, as commands are given them: several, all of one format or each of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from deixis.cli.session import Session
from deixis.documents.formats import READERS
from deixis.documents.reading import read_documents
from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
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


def read_kb(session: Session, files: tuple[str, ...], skip_bad: bool) -> KnowledgeBase:
    """The knowledge base; how its files were understood is told."""
    try:
        kb, report = KnowledgeBase.read_with_report(files, skip_bad=skip_bad)
    except DataError as error:
        if error.line is None or skip_bad:
            raise
        hint = "Correct the line, or leave bad lines out with --skip-bad; deixis kb check lists them all"
        raise DataError(f"{error.reason}. {hint}", path=error.path, line=error.line) from None
    for line in report.files:
        session.note(line)
    for skipped in report.skipped:
        session.note(f"Skipped: {skipped}")
    if report.n_skipped > len(report.skipped):
        session.note(f"Skipped: {report.n_skipped - len(report.skipped):,} more lines")
    return kb
