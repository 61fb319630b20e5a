"""What callers hand to a linker, as documents whose mentions stand where they say."""

from __future__ import annotations

from deixis.errors import DataError
from deixis.types import Document


def as_document(text: object, number: int) -> Document:
    """A document of a plain text; a document as it is, if its mentions stand where they say."""
    if isinstance(text, Document):
        _check_spans(text)
        return text
    if not isinstance(text, str):
        raise not_a_text(text)
    return Document(f"doc{number + 1}", text)


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
