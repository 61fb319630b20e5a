"""What formats with one mention a line share."""

from __future__ import annotations

from collections.abc import Iterator

from deixis.types import Document, Mention


def named_mentions(document: Document) -> Iterator[tuple[str, Mention]]:
    """Each mention with an id for its line: the document's, with a number from 0 if there are several mentions.

    Examples
    --------
    >>> two = Document("d1", "Paris, Troy", mentions=(Mention(0, 5, "Paris"), Mention(7, 11, "Troy")))
    >>> [name for name, _ in named_mentions(two)]
    ['d1:0', 'd1:1']
    """
    is_alone = len(document.mentions) == 1
    for number, mention in enumerate(document.mentions):
        yield document.id if is_alone else f"{document.id}:{number}", mention
