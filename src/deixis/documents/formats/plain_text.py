"""Plain text in: a whole file as one document, or one document a line; and the text of an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from deixis.documents.html_text import html_document
from deixis.documents.spans import without_surrogates
from deixis.types import Document

MAX_CHARACTERS = 1_000_000  # of a piece of a longer text; a book is less


def read_text(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document with the whole text, named after the file; none if the text is blank.

    A text longer than `MAX_CHARACTERS` comes in several documents, so that it need not fit in memory. They end with a
    paragraph, or with a line if that is too long, too; their names say which characters of the text they hold.

    Examples
    --------
    >>> [document.id for document in read_text([(1, "To save Troy,"), (2, "Paris left.")], "poems/iliad.txt")]
    ['iliad.txt']
    """
    name, begin = _document_name(path), 0
    for text, is_whole in _pieces(without_surrogates(line) for _, line in lines):
        end = begin + len(text)
        if text.strip():
            yield Document(id=name if is_whole else f"{name}#char={begin},{end}", text=text)
        begin = end + 1  # the line end between two pieces


def _pieces(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether one is all there is."""
    piece: list[str] = []
    n_characters, is_whole = 0, True
    for line in lines:
        if n_characters >= MAX_CHARACTERS and (n_characters >= 2 * MAX_CHARACTERS or not line.strip()):
            yield "\n".join(piece), False
            piece, n_characters, is_whole = [], 0, False
        piece.append(line)
        n_characters += len(line) + 1
    if piece:
        yield "\n".join(piece), is_whole


def read_html(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    r"""One document with the text of the page, named after the file; its `in_source` has offsets into the page.

    Examples
    --------
    >>> (document,) = read_html([(1, "<script>Troy()</script><p>Paris &amp; Helen")], "iliad.html")
    >>> document.text
    'Paris & Helen'
    """
    document = html_document(_document_name(path), without_surrogates("\n".join(line for _, line in lines)))
    if document.text.strip():
        yield document


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
