"""Parts of dumps that are read apart: files, and pieces of files that are plain or of several bzip2 streams.

A piece has the records that begin in it. Where it begins and ends is a number of bytes of the file as it is stored.
"""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.store.files import open_bytes

_BZIP2_STREAM = b"1AY&SY"  # after `BZh` and a digit
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_RAW = 1 << 16
_UNPACKED = 1 << 20
_SCAN = 1 << 20
_BOM = b"\xef\xbb\xbf"
Tick = Callable[[int], None]
Chunk = tuple[bytes, bool]
"""Unpacked bytes, and whether they stand behind the end of the piece."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of a file, from one stored byte to another; `modified` is when the file was, in nanoseconds."""

    path: str
    begin: int
    end: int
    size: int
    modified: int


def shards_of(path: Path, n_bytes: int) -> list[Shard]:
    """The pieces of a file, each of some `n_bytes`; one piece if the file can only be unpacked from its beginning."""
    with open_bytes(path, is_text=False) as checked:
        checked.peek(1)  # type: ignore[attr-defined]
    status = path.stat()
    with open(path, "rb") as file:
        start = file.read(8)
        cuts = [0]
        if not start.startswith((_GZIP, _XZ, _ZSTD)):
            is_packed = start.startswith(b"BZh") and start[4:] == _BZIP2_STREAM[:4]
            while (at := cuts[-1] + n_bytes) < status.st_size:
                cut = _stream_after(file, at) if is_packed else at
                if cut is None:
                    break
                cuts.append(cut)
    ends = [*cuts[1:], status.st_size]
    return [
        Shard(str(path), begin, end, status.st_size, status.st_mtime_ns) for begin, end in zip(cuts, ends, strict=True)
    ]


def _stream_after(file: Any, at: int) -> int | None:  # noqa: ANN401 - a file of bytes
    """Where the next bzip2 stream begins."""
    file.seek(at)
    tail = b""
    while block := file.read(_SCAN):
        window = tail + block
        block_at = window.find(_BZIP2_STREAM)
        while block_at >= 0:
            if (
                block_at >= 4
                and window[block_at - 4 : block_at - 1] == b"BZh"
                and window[block_at - 1 : block_at].isdigit()
            ):
                return int(at - len(tail) + block_at - 4)
            block_at = window.find(_BZIP2_STREAM, block_at + 1)
        at += len(block)
        tail = window[-9:]
    return None


def n_line_ends(shard: Shard) -> int:
    """How many line ends a piece has."""
    return sum(chunk.count(b"\n") for chunk, _ in takewhile(lambda each: not each[1], _chunks(shard, lambda n: None)))


class ShardLines:
    """The lines of the records that begin in a piece, numbered from the line in which the piece begins."""

    def __init__(self, shard: Shard, begins_record: Callable[[bytes], object], max_line: int, tick: Tick) -> None:
        self._shard = shard
        self._begins_record = begins_record
        self._max_line = max_line
        self._tick = tick
        self.n_lines = 0
        """How many line ends the piece has."""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        has_begun = self._shard.begin == 0
        for number, raw, is_behind in self._lines():
            if not has_begun:  # the first line is the piece's before, whole or not
                has_begun = number > 1 and bool(self._begins_record(raw))
            if has_begun:
                if is_behind and self._begins_record(raw):
                    return
                yield number, raw
            elif is_behind:
                return

    def _lines(self) -> Iterator[tuple[int, bytes, bool]]:
        """Each line, and whether it begins behind the byte at which the next piece begins."""
        number, n_open, is_open_behind, was_behind = 1, 0, False, False
        parts: list[bytes] = []
        for chunk, is_behind in _chunks(self._shard, self._tick):
            if not is_behind:
                self.n_lines += chunk.count(b"\n")
            elif not was_behind:
                was_behind, is_open_behind = True, False  # the line that is open there is still this piece's
            lines = chunk.split(b"\n")
            for line in lines[:-1]:
                parts.append(line)
                raw = b"".join(parts)
                self._check(n_open + len(line), number)
                yield number, (raw[:-1] if raw.endswith(b"\r") else raw), is_open_behind
                number, n_open, is_open_behind = number + 1, 0, was_behind
                parts.clear()
            parts.append(lines[-1])
            n_open += len(lines[-1])
            self._check(n_open, number)
        if n_open:
            yield number, b"".join(parts), is_open_behind

    def _check(self, n_bytes: int, number: int) -> None:
        if n_bytes > self._max_line:
            reason = f"the line is longer than {self._max_line:,} bytes. A higher limit: --limits line={2 * n_bytes}"
            raise DataError(reason, path=self._shard.path, line=number)


def _chunks(shard: Shard, tick: Tick) -> Iterator[Chunk]:
    """The unpacked bytes of a piece, and of what follows it."""
    with open(shard.path, "rb") as file:
        start = file.read(8)
        file.seek(shard.begin)
        try:
            if start.startswith(b"BZh") and start[4:] == _BZIP2_STREAM[:4]:
                chunks = _unpacked(file, shard, bz2.BZ2Decompressor, tick)
            elif start.startswith(_XZ):
                chunks = _unpacked(file, shard, lzma.LZMADecompressor, tick)
            elif start.startswith((_GZIP, _ZSTD)):
                chunks = _opened(shard, tick)
            else:
                chunks = _plain(file, shard, tick)
            first = shard.begin == 0
            for chunk, is_behind in chunks:
                yield (chunk.removeprefix(_BOM) if first else chunk), is_behind
                first = False
        except EOFError:
            raise DataError("the compressed data ends too early; fetch the file again", path=shard.path) from None
        except (OSError, lzma.LZMAError) as error:
            raise DataError(f"cannot be read: {error}; fetch the file again", path=shard.path) from error


def _plain(file: Any, shard: Shard, tick: Tick) -> Iterator[Chunk]:  # noqa: ANN401 - a file of bytes
    at = shard.begin
    while chunk := file.read(min(_UNPACKED, shard.end - at) if at < shard.end else _RAW):
        tick(len(chunk) if at < shard.end else 0)
        yield chunk, at >= shard.end
        at += len(chunk)


def _opened(shard: Shard, tick: Tick) -> Iterator[Chunk]:
    """A file that is one piece, unpacked by the reader of other lists."""
    with open_bytes(shard.path, is_text=False) as stream:
        n_unpacked = 0
        while chunk := stream.read(_UNPACKED):
            n_unpacked += len(chunk)
            tick(0)
            yield chunk, False
    tick(shard.end)


def _unpacked(file: Any, shard: Shard, make: Callable[[], Any], tick: Tick) -> Iterator[Chunk]:  # noqa: ANN401
    """One stream after another; those that begin at or behind the piece's end are behind it."""
    begin, unused, stream = shard.begin, b"", make()
    while True:
        is_behind = begin >= shard.end > 0 and begin > shard.begin
        raw = unused
        if stream.needs_input and not raw:
            raw = file.read(_RAW)
            tick(0 if is_behind else len(raw))
            if not raw:
                raise EOFError
        unused = b""
        chunk = stream.decompress(raw, _UNPACKED)
        if chunk:
            yield chunk, is_behind
        if stream.eof:
            unused = stream.unused_data or file.read(_RAW)
            if not unused.strip(b"\0"):  # padding between streams, or the end
                return
            begin, stream = file.tell() - len(unused), make()
