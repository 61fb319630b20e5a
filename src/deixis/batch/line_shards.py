"""Files with a document on each line: cut by lines, each line read alone, so that a bad one spoils no other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import BinaryIO

from deixis.batch.settings import MAX_BYTES, MAX_LINES
from deixis.batch.shards import Part, ReadDocument, Shard
from deixis.documents.binary_files import check_is_text
from deixis.documents.formats import READERS, DocumentReader
from deixis.errors import DataError
from deixis.store.files import decode_line, open_bytes, skip_bytes

_BOM = b"\xef\xbb\xbf"
_SEEN = 1 << 12  # bytes that show whether a file is text


class LineShards:
    """Parts of some thousand lines; the file of the last part stays open, so that the next is read on from there."""

    def __init__(self) -> None:
        self._path = ""
        self._position = 0
        self._stream: BinaryIO | None = None
        self._open = ExitStack()

    def cut(self, path: str) -> Iterator[Part]:
        """The parts of a file, in order."""
        first, begin, n_lines, n_bytes, digest = 1, 0, 0, 0, hashlib.sha256()
        with open_bytes(path) as stream:
            check_is_text(stream.peek(_SEEN)[:_SEEN], path)  # type: ignore[attr-defined]  # it is buffered
            for line in stream:
                if n_lines == MAX_LINES or (n_lines and n_bytes + len(line) > MAX_BYTES):
                    yield Part(first, n_lines, begin, digest.hexdigest())
                    first, begin, n_lines, n_bytes, digest = first + n_lines, begin + n_bytes, 0, 0, hashlib.sha256()
                digest.update(line)
                n_lines += 1
                n_bytes += len(line)
        if n_lines:
            yield Part(first, n_lines, begin, digest.hexdigest())

    def read(self, shard: Shard) -> Iterator[ReadDocument]:
        """The documents of a shard, and what is wrong with the others."""
        reader: DocumentReader = READERS[shard.format]
        for number, raw in self._lines(shard):
            try:
                line = decode_line(raw, shard.path, number)
                yield from ((number, document) for document in reader([(number, line)], shard.path))
            except DataError as error:
                yield number, error

    def _lines(self, shard: Shard) -> Iterator[tuple[int, bytes]]:
        stream, part, digest = self._at(shard), shard.part, hashlib.sha256()
        for number in range(part.first, part.first + part.n_rows):
            raw = stream.readline()
            digest.update(raw)
            self._position += len(raw)
            yield number, (raw.removeprefix(_BOM) if number == 1 else raw).rstrip(b"\r\n")
        if digest.hexdigest() != part.sha256:
            self._close()
            raise DataError("was changed while it was linked; run the same command again", path=shard.path)

    def _at(self, shard: Shard) -> BinaryIO:
        """The stream at the shard's beginning: the one that is open if that is not behind it yet."""
        if self._stream is None or self._path != shard.path or self._position > shard.part.begin:
            self._close()
            self._stream = self._open.enter_context(open_bytes(shard.path, begin=shard.part.begin))
            self._path = shard.path
        else:
            skip_bytes(self._stream, shard.part.begin - self._position)
        self._position = shard.part.begin
        return self._stream

    def _close(self) -> None:
        self._stream = None
        self._open.close()
