"""Plain text in: a whole file as one document, or one document a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from deixis.documents.spans import without_surrogates
from deixis.types import Document


def read_text(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document with the whole text, named after the file; none if the text is blank.

    Examples
    --------
    >>> [document.id for document in read_text([(1, "To save Troy,"), (2, "Paris left.")], "poems/iliad.txt")]
    ['iliad.txt']
    """
    text = without_surrogates("\n".join(line for _, line in lines))
    if text.strip():
        yield Document(id=_document_name(path), text=text)


def read_text_lines(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line that is not blank; its id is the line's number, counted from 1.

    Examples
    --------
    >>> [(document.id, document.text) for document in read_text_lines([(1, "Paris"), (2, ""), (3, "Troy")], "-")]
    [('1', 'Paris'), ('3', 'Troy')]
    """
    for number, line in lines:
        text = without_surrogates(line)
        if text.strip():
            yield Document(id=str(number), text=text)


def _document_name(path: str) -> str:
    return "stdin" if path == "-" else PurePath(path).name
