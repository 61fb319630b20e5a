"""Lines in buckets, all in one file: written with little memory, read one bucket at a time."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

_MAX_BUFFERED = 32 << 20
_LENGTH_BYTES = 8


class BucketWriter:
    """Writes lines into buckets; the file takes its name when the block has ended well.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "lines")
    >>> with BucketWriter(path) as writer:
    ...     writer.add(7, b"one")
    ...     writer.add(2, b"two")
    >>> list(read_bucket(path, 7)), list(read_bucket(path, 3))
    ([b'one'], [])
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(f"{path.name}.part")
        self._file = open(self._partial, "wb")  # noqa: SIM115 - closed by __exit__
        self._lines: dict[int, list[bytes]] = {}
        self._n_buffered = 0
        self._blocks: dict[int, list[tuple[int, int]]] = {}

    def __enter__(self) -> BucketWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            self._flush()
            index = zlib.compress(json.dumps(self._blocks).encode())
            self._file.write(index + len(index).to_bytes(_LENGTH_BYTES, "little"))
        self._file.close()
        if kind is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink(missing_ok=True)

    def add(self, bucket: int, line: bytes) -> None:
        """Adds a line, which has no line end."""
        self._lines.setdefault(bucket, []).append(line)
        self._n_buffered += len(line) + 60
        if self._n_buffered > _MAX_BUFFERED:
            self._flush()

    def _flush(self) -> None:
        for bucket, lines in sorted(self._lines.items()):
            block = zlib.compress(b"\n".join(lines), 1)
            self._blocks.setdefault(bucket, []).append((self._file.tell(), len(block)))
            self._file.write(block)
        self._lines.clear()
        self._n_buffered = 0


def read_bucket(path: Path, bucket: int) -> Iterator[bytes]:
    """The lines of a bucket, in the order in which they were added."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(size - _LENGTH_BYTES)
        n_index = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        file.seek(size - _LENGTH_BYTES - n_index)
        blocks = json.loads(zlib.decompress(file.read(n_index)))
        for start, length in blocks.get(str(bucket), ()):
            file.seek(start)
            yield from zlib.decompress(file.read(length)).split(b"\n")
