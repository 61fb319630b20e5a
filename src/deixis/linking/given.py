"""What callers hand to a linker, as documents whose mentions stand where they say."""

from __future__ import annotations

from deixis.errors import DataError
from deixis.types import Document


def as_document(text: object, number: int) -> Document:
    """A document of a plain text; a document as it is, if its mentions stand where they say."""
    if isinstance(text, Document):
        _check_spans(text)
        return text
    text = plain(text)
    if not isinstance(text, str):
        raise not_a_text(text)
    return Document(f"doc{number + 1}", text)


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
