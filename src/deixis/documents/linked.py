"""Several linked documents together: a list that becomes a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from deixis.documents.mention_rows import COLUMNS, mention_rows
from deixis.errors import MissingExtraError
from deixis.marked_html import STYLE
from deixis.types import Document

if TYPE_CHECKING:
    import pandas

MAX_SHOWN = 20  # documents that a notebook shows


class LinkedDocuments(list[Document]):
    """A list of linked documents; its mentions can be had as rows, which name their documents.

    `labels` are the documents' names in the rows, such as the index of a column; by default their numbers from 0.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> linked = LinkedDocuments([Document("doc1", "Paris fled.", mentions=(Mention(0, 5, "Paris", "Q1", 0.9),))])
    >>> [(row["row"], row["text"], row["entity"]) for row in linked.to_records()]
    [(0, 'Paris', 'Q1')]
    """

    def __init__(self, documents: Iterable[Document] = (), labels: Iterable[Hashable] | None = None) -> None:
        super().__init__(documents)
        self._labels = range(len(self)) if labels is None else list(labels)

    def to_records(self) -> list[dict[str, Any]]:
        """A dictionary for each mention, all with the same keys: `row` is the label of its document."""
        labelled = zip(self._labels, self, strict=True)
        return [{"row": label, **row} for label, document in labelled for row in mention_rows(document)]

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
