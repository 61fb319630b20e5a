"""Parquet, Feather and Arrow files, and tables in memory, to records, a batch of rows at a time (extra `arrow`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import ipc
from pyarrow import parquet as pq

from deixis.errors import DataError
from deixis.kb.formats.table_rows import TABLE, Records, Row, read_rows
from deixis.kb.formats.table_shape import check_columns
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.store.files import unpacked

_BATCH = 4096  # rows
_FAILURES = (pa.ArrowException, OSError, UnicodeDecodeError)


class ArrowTable(Protocol):
    """A table in memory that gives its columns to others: of pandas, Polars, DuckDB, Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns, batch by batch."""
        ...


def read_parquet(path: Path, options: ReadOptions | None = None) -> Records:
    """The records of a Parquet file; the names of the columns are line 1."""
    options, line = options or ReadOptions(), 0
    with unpacked(path, options.max_unpacked) as file:
        try:
            with pq.ParquetFile(file) as opened:
                _check_size(opened.metadata, path, options)
                batches = opened.iter_batches(_BATCH, use_threads=False)
                for line, record in _records(opened.schema_arrow, batches, path, options):  # noqa: B007
                    yield line, record
        except _FAILURES as error:
            raise _unreadable("a Parquet", error, path, line) from error


def read_arrow(path: Path, options: ReadOptions | None = None) -> Records:
    """The records of an Arrow IPC file (Feather) or stream; the names of the columns are line 1."""
    options, line = options or ReadOptions(), 0
    with unpacked(path, options.max_unpacked) as file:
        try:
            with pa.OSFile(str(file)) as source:
                if file.stat().st_size and source.read(6) == b"ARROW1":
                    source.seek(0)
                    opened = ipc.open_file(source)
                    batches = (opened.get_batch(number) for number in range(opened.num_record_batches))
                    records = _records(opened.schema, batches, path, options)
                else:
                    source.seek(0)
                    stream = ipc.open_stream(source)
                    records = _records(stream.schema, stream, path, options)
                for line, record in records:  # noqa: B007
                    yield line, record
        except _FAILURES as error:
            raise _unreadable("an Arrow", error, path, line) from error


def read_table(table: ArrowTable) -> Iterator[dict[str, Any]]:
    """The records of a table in memory; a row that cannot be one is a `DataError`."""
    try:
        stream = pa.RecordBatchReader.from_stream(table)
        for line, record in _records(stream.schema, stream, "table", ReadOptions()):
            if isinstance(record, BadRecord):
                raise DataError(record.reason, path="table", line=line)
            yield record
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {_one_line(error)}", path="table") from error


def _records(schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: object, options: ReadOptions) -> Records:
    """Rows with lists or structures are records as they are; other tables are read as CSV files are."""
    names = [name.strip().lower() for name in schema.names]
    check_columns(len(names), options, path)
    repeated = sorted(name for name, n_columns in Counter(names).items() if n_columns > 1)
    if repeated:
        raise DataError(f"a column is there twice: {', '.join(repeated)}", path=path)
    if any(pa.types.is_nested(field.type) for field in schema):
        return _whole(names, batches)
    return read_rows(_flat(schema.names, batches), path, TABLE, options)


def _whole(names: list[str], batches: Iterable[pa.RecordBatch]) -> Records:
    for number, row in enumerate(_rows(batches), start=2):
        yield number, dict(zip(names, map(_value, row), strict=True))


def _flat(names: list[str], batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Row]]:
    yield 1, names
    yield from enumerate(_rows(batches), start=2)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[object, ...]]:
    for batch in batches:
        batch.validate(full=True)  # of a damaged file, offsets may point anywhere
        for start in range(0, batch.num_rows, _BATCH):
            yield from zip(*(column.slice(start, _BATCH).to_pylist() for column in batch.columns), strict=True)


def _value(value: object) -> object:
    """Maps come as pairs; of structures, fields without a value are left out."""
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if each is not None}
    if isinstance(value, list):
        is_map = bool(value) and all(isinstance(each, tuple) and len(each) == 2 for each in value)
        return dict(value) if is_map else [_value(each) for each in value if each is not None]
    return value


def _check_size(metadata: pq.FileMetaData, path: object, options: ReadOptions) -> None:
    size = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    if size > options.max_unpacked:
        limit = f"at most {options.max_unpacked:,} are read; a higher limit: --limits unpacked={size}"
        raise DataError(f"{size:,} bytes when unpacked, {limit}", path=path)


def _unreadable(kind: str, error: Exception, path: object, line: int) -> DataError:
    """The error of a file that is damaged after the row of this line."""
    return DataError(
        f"not {kind} file that can be read: {_one_line(error)}", path=path, line=line + 1 if line else None
    )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
