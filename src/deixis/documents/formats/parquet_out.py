"""Links as a table in a Parquet file, out: a row for each mention, written in groups as they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

import pyarrow
import pyarrow.parquet

from deixis.documents.mention_rows import COLUMNS, mention_rows
from deixis.errors import DataError
from deixis.types import Document

ROWS_AT_ONCE = 1 << 16  # of a group, which is kept in memory until it is whole
_TYPES = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
SCHEMA = pyarrow.schema([(name, _TYPES[kind]) for name, kind in COLUMNS.items()])


def write_parquet(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes the table to the bytes below the stream, and returns how many documents there were."""
    binary = getattr(stream, "buffer", None)
    if binary is None or stream.isatty():
        raise DataError("a Parquet file is bytes, not text: write it to a file (-o links.parquet) or into a pipe")
    n_documents, rows = 0, list[dict[str, Any]]()
    stream.flush()
    with pyarrow.parquet.ParquetWriter(binary, SCHEMA) as table:
        for document in documents:
            rows += mention_rows(document)
            n_documents += 1
            if len(rows) >= ROWS_AT_ONCE:
                table.write_table(pyarrow.Table.from_pylist(rows, SCHEMA))
                rows = []
        table.write_table(pyarrow.Table.from_pylist(rows, SCHEMA))
    return n_documents
