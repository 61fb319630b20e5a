"""JSON values in buckets, all in one file: written with little memory, read one bucket at a time."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

_MAX_BUFFERED = 8 << 20
_INDEX = np.dtype([("bucket", "<u4"), ("length", "<u4"), ("start", "<u8")])
_LENGTH_BYTES = 8
_encoded = json.JSONEncoder(separators=(",", ":")).encode


class BucketWriter:
    """Writes JSON values into buckets; the file takes its name when the block has ended well.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "values")
    >>> with BucketWriter(path) as writer:
    ...     writer.add(7, [1, "one"], "two")
    ...     writer.add(2, {})
    >>> list(read_bucket(path, 7)), list(read_bucket(path, 3))
    ([[1, 'one'], 'two'], [])
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(f"{path.name}.part")
        self._file = open(self._partial, "wb")  # noqa: SIM115 - closed by __exit__
        self._values: dict[int, list[str]] = {}
        self._n_buffered = 0
        self._blocks: list[tuple[int, int, int]] = []

    def __enter__(self) -> BucketWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            self._flush()
            self._file.write(np.array(self._blocks, _INDEX).tobytes())
            self._file.write(len(self._blocks).to_bytes(_LENGTH_BYTES, "little"))
        self._file.close()
        if kind is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink(missing_ok=True)

    def add(self, bucket: int, *values: object) -> None:
        """Adds values; many at once take a third of the time."""
        text = _encoded(values)[1:-1]
        self._values.setdefault(bucket, []).append(text)
        self._n_buffered += len(text) + 60
        if self._n_buffered > _MAX_BUFFERED:
            self._flush()

    def _flush(self) -> None:
        for bucket, values in sorted(self._values.items()):
            block = zlib.compress(f"[{','.join(values)}]".encode("ascii"), 1)
            self._blocks.append((bucket, len(block), self._file.tell()))
            self._file.write(block)
        self._values.clear()
        self._n_buffered = 0


def read_bucket(path: Path, bucket: int) -> Iterator[Any]:
    """The values of a bucket, in the order in which they were added."""
    with open(path, "rb") as file:
        end = file.seek(-_LENGTH_BYTES, 2)
        n_blocks = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        file.seek(end - n_blocks * _INDEX.itemsize)
        blocks = np.frombuffer(file.read(n_blocks * _INDEX.itemsize), _INDEX)
        for _, length, start in blocks[blocks["bucket"] == bucket].tolist():
            file.seek(start)
            yield from json.loads(zlib.decompress(file.read(length)))
