"""A column of names, as tables and extractions have them, as documents that hold one mention each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from deixis.errors import DataError
from deixis.linking.given import check_column, plain
from deixis.types import Document, Mention

NAMELESS = Mention(0, 0, "", is_nil=True)
"""What a missing name means: nothing."""

_GAP = "\n"
_MISSING_TYPES = frozenset({"NAType", "NaTType"})  # pandas', which are not equal to anything, and say so by an error


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
    if value is None or type(value).__name__ in _MISSING_TYPES or (isinstance(value, float) and value != value):
        return ""
    raise DataError(
        f"The {what} number {number} (from 0) must be a text, or missing; got {type(value).__name__}: {value!r:.60}."
    )
