"""Documents out, in any format that has a writer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from deixis.documents.formats import WRITERS, DocumentWriter
from deixis.types import Document


def write_documents(documents: Iterable[Document], stream: TextIO, format: str = "native", path: str = "-") -> int:
    """Writes the documents as they come, and returns how many there were.

    `path` is the name of the file that `stream` writes to; formats that keep texts in files of their own need it.

    Examples
    --------
    >>> import sys
    >>> from deixis.types import Mention
    >>> paris = Mention(0, 5, "Paris", entity="Q167646", score=0.93)
    >>> write_documents([Document("d1", "Paris fled.", mentions=(paris,))], sys.stdout)  # doctest: +ELLIPSIS
    {"id": "d1", "text": "Paris fled.", "mentions": [{"start": 0, ..., "entity": "Q167646", "score": 0.93, ...}]}
    1
    """
    writer: DocumentWriter = WRITERS[format]
    return writer(documents, stream, path)
