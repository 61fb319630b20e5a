"""Documents once each: one that comes again would count twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deixis.errors import DataError
from deixis.types import Document


def distinct(documents: Iterable[Document], name: str, skipped: dict[str, int] | None = None) -> Iterator[Document]:
    """The same documents; one whose id came before is an error, or is left out and counted in `skipped[name]`.

    Examples
    --------
    >>> documents = [Document("a", "Troy"), Document("a", "Rome"), Document("b", "Rome")]
    >>> skipped = {}
    >>> [document.text for document in distinct(documents, "gold.jsonl", skipped)], skipped
    (['Troy', 'Rome'], {'gold.jsonl': 1})
    >>> list(distinct(documents, "gold.jsonl"))
    Traceback (most recent call last):
    deixis.errors.DataError: gold.jsonl: has the document 'a' twice. Give every document an 'id' of its own...
    """
    seen: set[str] = set()
    n_skipped = 0
    if skipped is not None:
        skipped[name] = 0
    for document in documents:
        if document.id not in seen:
            seen.add(document.id)
            yield document
        elif skipped is not None:
            n_skipped += 1
            skipped[name] = n_skipped
        else:
            raise DataError(
                f"has the document {document.id!r} twice. Give every document an 'id' of its own, or leave ids out to "
                "number documents by their lines; or count the first of each only, with: deixis eval --skip-duplicates",
                path=name,
            )
