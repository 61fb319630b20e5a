"""Several linked documents together: a list that becomes a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.documents.mention_rows import COLUMNS, mention_rows
from deixis.errors import MissingExtraError
from deixis.marked_html import STYLE
from deixis.types import Document

if TYPE_CHECKING:
    import pandas

MAX_SHOWN = 20  # documents that a notebook shows


class LinkedDocuments(list[Document]):
    """A list of linked documents; its mentions can be had as rows, which name the documents by their numbers from 0.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> linked = LinkedDocuments([Document("doc1", "Paris fled.", mentions=(Mention(0, 5, "Paris", "Q1", 0.9),))])
    >>> [(row["row"], row["text"], row["entity"]) for row in linked.to_records()]
    [(0, 'Paris', 'Q1')]
    """

    def to_records(self) -> list[dict[str, Any]]:
        """A dictionary for each mention, all with the same keys: `row` is the number of its document, from 0."""
        return [{"row": number, **row} for number, document in enumerate(self) for row in mention_rows(document)]

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with a row for each mention; needs pandas."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingExtraError("A data frame of links", "pandas", "pandas") from error
        return pandas.DataFrame(self.to_records(), columns=["row", *COLUMNS])

    def _repr_html_(self) -> str:
        """What a notebook shows: the first documents."""
        shown = "<hr>".join(document.to_html() for document in self[:MAX_SHOWN])
        more = f"<p>and {len(self) - MAX_SHOWN:,} more</p>" if len(self) > MAX_SHOWN else ""
        return f'<style>{STYLE}</style><div class="deixis">{shown}{more}</div>'
