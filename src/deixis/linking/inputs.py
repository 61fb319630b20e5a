"""Inputs of a linker as documents: texts, documents, columns of names."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from deixis.errors import DataError
from deixis.types import Document, Mention

NO_NAME = Mention(0, 0, "", is_nil=True)
"""What a missing name means: nothing."""

_GAP = "\n"
_MISSING_TYPES = frozenset({"NAType", "NaTType"})  # pandas', which are not equal to anything, and say so by an error


def as_document(text: object, number: int) -> Document:
    """A plain text as a document; a document itself, if its mentions match its text."""
    if isinstance(text, Document):
        _check_spans(text)
        return text
    text = plain(text)
    if not isinstance(text, str):
        raise not_a_text(text)
    return Document(f"doc{number + 1}", text)


def as_row(text: object, number: int) -> Document:
    """The same for a text of several: a missing one is empty, and what is wrong with another is said with its row."""
    if is_missing(plain(text)):
        return Document(f"doc{number + 1}", "")
    try:
        return as_document(text, number)
    except DataError as error:
        raise DataError(f"Row {number} (from 0): {error.reason}") from None


def is_missing(value: object) -> bool:
    """Whether a value of a column says that there is none: None, or the NaN, NA and NaT of tables."""
    return (
        value is None or type(value).__name__ in _MISSING_TYPES or (isinstance(value, float) and bool(value != value))
    )


def plain(value: object) -> object:
    """A value of a column as Python has it: those of Arrow come wrapped."""
    unwrap = getattr(value, "as_py", None)
    return value if unwrap is None else unwrap()


def check_column(values: object, what: str) -> None:
    """An error for a whole table, of pandas, Polars or Arrow: walked through, it gives the names of its columns."""
    if hasattr(type(values), "columns"):  # of the class: a LazyFrame would have to be computed to tell its own
        raise DataError(
            f"Expected a list or a column of {what}, got a whole table ({type(values).__name__}). Pass one of its "
            'columns, such as table["name"]; of a LazyFrame, table.collect()["name"].'
        )


def check_several(texts: object) -> None:
    """An error for what is not several texts: one text, a whole table, or nothing to walk through."""
    check_column(texts, "texts")
    if isinstance(texts, (str, Document)):
        raise DataError(f"link_many takes several texts in a list, got one {type(texts).__name__}. Use link for one.")
    if isinstance(texts, (bytes, bytearray, Mapping)) or not isinstance(texts, Iterable):
        raise not_a_text(texts)


def not_a_text(value: object) -> DataError:
    """The error for what is neither a text nor a document."""
    return DataError(f"Expected a text or a Document, or several in a list, got {type(value).__name__}: {value!r:.60}.")


def _check_spans(document: Document) -> None:
    text = document.text
    if not isinstance(text, str):
        raise DataError(f"The text of document {document.id!r} must be a string, got {type(text).__name__}.")
    for mention in document.mentions:
        if not 0 <= mention.start <= mention.end <= len(text) or text[mention.start : mention.end] != mention.text:
            raise DataError(
                f"Document {document.id!r} has a mention {mention.text!r:.60} at {mention.start}..{mention.end}, where "
                f"its text has {text[max(0, mention.start) : max(0, mention.end)]!r:.60}. Offsets count code points."
            )


def named_documents(names: Iterable[str | None], contexts: Iterable[str | None] | None = None) -> list[Document]:
    r"""A document for each name: the name as its mention, then the text about it. A missing name is no mention.

    Examples
    --------
    >>> [document.text for document in named_documents(["Paris", None], ["prince of Troy", "who?"])]
    ['Paris\nprince of Troy', '\nwho?']
    """
    if isinstance(names, (str, bytes)) or isinstance(contexts, (str, bytes)):
        raise DataError(f"Expected a list or a column of names, got one text: {names!r:.60}. Put it in a list.")
    check_column(names, "names")
    check_column(contexts, "contexts")
    nothing = object()
    pairs = (
        zip(names, itertools.repeat(None))
        if contexts is None
        else itertools.zip_longest(names, contexts, fillvalue=nothing)
    )
    documents = []
    for number, (name, context) in enumerate(pairs):
        if name is nothing or context is nothing:
            shorter, longer = ("names", "contexts") if name is nothing else ("contexts", "names")
            raise DataError(
                f"There are {number} {shorter}, but more {longer}. Give one for each, None where there is none."
            )
        surface, about = _text(name, "name", number), _text(context, "context", number)
        mentions = (Mention(0, len(surface), surface),) if surface.strip() else ()
        documents.append(Document(str(number), surface + _GAP + about if about else surface, mentions=mentions))
    return documents


def _text(wrapped: object, what: str, number: int) -> str:
    value = plain(wrapped)
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    raise DataError(
        f"The {what} number {number} (from 0) must be a text, or missing; got {type(value).__name__}: {value!r:.60}."
    )
