"""Links as a table, out: a row for each mention, as CSV or with tabs. Texts do not go out, so nothing reads it back."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from deixis.documents.mention_rows import COLUMNS, mention_rows
from deixis.types import Document


def write_csv(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes a head and a row per mention, and returns how many documents there were; what is not known is empty.

    Examples
    --------
    >>> import sys
    >>> from deixis.types import Mention
    >>> write_csv([Document("d1", "Paris, fled.", mentions=(Mention(0, 6, "Paris,", "Q1", 0.5),))], sys.stdout)
    document,start,end,text,entity,title,score,nil,nil_reason,mention_score,entity_score,second,second_title,second_score
    d1,0,6,"Paris,",Q1,,0.5,false,,,,,,
    1
    """
    return _write(documents, stream, ",")


def write_tsv(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """The same with tabs between the columns; a text with a tab, a quote or a line end stands in quotes."""
    return _write(documents, stream, "\t")


def _write(documents: Iterable[Document], stream: TextIO, delimiter: str) -> int:
    table = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    table.writerow(COLUMNS)
    n_documents = 0
    for document in documents:
        for row in mention_rows(document):
            table.writerow(str(value).lower() if isinstance(value, bool) else value for value in row.values())
        n_documents += 1
    return n_documents
