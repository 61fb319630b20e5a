"""Parquet files with a document in each row: cut by row groups, large groups by rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.parquet

from deixis.batch.settings import MAX_LINES
from deixis.batch.shards import Part, ReadDocument, Shard
from deixis.documents.formats.native import document_from_record
from deixis.documents.places import Place
from deixis.errors import DataError

COLUMNS = ("id", "text", "lang", "mentions")
"""What is read of a table: the keys of a native document. Only `text` must be there."""
_READ_AT_ONCE = 1 << 20


class ParquetShards:
    """Parts of some thousand rows, hashed by the bytes of their row group."""

    def cut(self, path: str) -> Iterator[Part]:
        """The parts of a file, in order."""
        with _opened(path) as file, open(path, "rb") as raw:
            schema, begin = file.schema_arrow, 0
            if "text" not in schema.names:
                names = ", ".join(map(repr, schema.names)) or "none"
                raise DataError(f"has no column 'text', but: {names}. Rename the one that holds the texts", path=path)
            for number in range(file.num_row_groups):
                group = file.metadata.row_group(number)
                digest = hashlib.sha256(str(schema).encode())
                for column in range(group.num_columns):
                    _hash_column(digest, raw, group.column(column))
                for row in range(0, group.num_rows, MAX_LINES):
                    n_rows = min(MAX_LINES, group.num_rows - row)
                    own = digest.copy()
                    own.update(f"{row}+{n_rows}".encode())
                    yield Part(begin + row + 1, n_rows, begin + row, own.hexdigest())
                begin += group.num_rows

    def read(self, shard: Shard) -> Iterator[ReadDocument]:
        """The documents of a shard, and what is wrong with the others."""
        with _opened(shard.path) as file:
            number = shard.part.first
            for record in _records(file, shard.part.begin, shard.part.n_rows):
                try:
                    known = {name: value for name, value in record.items() if value is not None}
                    yield number, document_from_record(known, Place(shard.path, number))
                except DataError as error:
                    yield number, error
                number += 1


def _opened(path: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    try:
        return pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise DataError(f"cannot be read as Parquet: {error}", path=path) from error


def _hash_column(digest: Any, raw: Any, column: Any) -> None:  # noqa: ANN401
    """Adds a column's bytes, as they are in the file."""
    first = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        first = min(first, column.dictionary_page_offset)
    raw.seek(first)
    left = column.total_compressed_size
    while left > 0 and (chunk := raw.read(min(left, _READ_AT_ONCE))):
        digest.update(chunk)
        left -= len(chunk)


def _records(file: Any, begin: int, n_rows: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """These rows, from the row group that they are in."""
    columns = [name for name in COLUMNS if name in file.schema_arrow.names]
    group, before = 0, 0
    while before + file.metadata.row_group(group).num_rows <= begin:
        before += file.metadata.row_group(group).num_rows
        group += 1
    table = file.read_row_group(group, columns=columns)
    for batch in table.slice(begin - before, n_rows).to_batches(max_chunksize=256):
        yield from batch.to_pylist()
