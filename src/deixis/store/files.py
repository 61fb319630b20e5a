"""Text files, plain or compressed (.gz .bz2 .xz .zst): from disk or stdin, line by line with numbers; and new ones.

Lines are split as bytes, so invalid UTF-8 is an error that names its line and not the whole file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from deixis.errors import DataError
from deixis.store.zstd_files import ZstdReader, zstd_writer

STDIN = "-"
_BUFFER = 1 << 20
_BOM = b"\xef\xbb\xbf"
_SUFFIX_TO_KIND = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_KIND_TO_MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
_UNREADABLE = {
    b"PK\x03\x04": "is a zip archive (or a spreadsheet); unpack it, or save it as CSV or JSONL",
    b"\xff\xfe": "is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "is UTF-16 text; save it as UTF-8",
}


@contextmanager
def open_bytes(
    path: str | os.PathLike[str], *, is_text: bool = True, max_unpacked: int | None = None, begin: int = 0
) -> Iterator[BinaryIO]:
    """The decompressed bytes of a file, or of stdin for `-`; damage found on the way is a `DataError`.

    With `is_text`, files that are no UTF-8 text are refused. More than `max_unpacked` bytes of a compressed file are
    an error. The first `begin` bytes are left out; only in a plain file that takes no time.
    """
    with _open_source(path) as source, _decompressed(source, path, is_text) as data:
        limit = None if data is source else max_unpacked
        if begin and data is source:
            source.seek(begin)
        with io.BufferedReader(_CheckedReader(data, path, limit), _BUFFER) as stream:
            if data is not source:
                skip_bytes(stream, begin)
            yield stream


def skip_bytes(stream: BinaryIO, n: int) -> None:
    """Reads `n` bytes, or to the end, and drops them."""
    while n > 0 and (chunk := stream.read(min(n, _BUFFER))):
        n -= len(chunk)


@contextmanager
def open_new(path: Path, suffix: str) -> Iterator[TextIO]:
    """A stream of UTF-8 into a new file; a suffix of .gz, .bz2, .xz or .zst compresses: equal texts to equal bytes."""
    with open(path, "wb") as raw, _compressed(raw, suffix.lower()) as stream:
        with io.TextIOWrapper(stream, encoding="utf-8", newline="\n") as text:
            yield text


def compression_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of the file's compression, in lower case; empty if its name has none.

    Examples
    --------
    >>> compression_suffix("texts.jsonl.GZ"), compression_suffix("texts.jsonl")
    ('.gz', '')
    """
    suffix = Path(path).suffix.lower()
    return suffix if suffix in _SUFFIX_TO_KIND else ""


@contextmanager
def unpacked(path: str | os.PathLike[str], max_unpacked: int | None = None) -> Iterator[Path]:
    """The file itself; of a compressed one a temporary file with its content, for libraries that need to seek."""
    with _open_source(path) as source:
        is_compressed = _compression(source.peek(8)[:8], path) is not None
    if not is_compressed:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, Path(path).stem)
        with open_bytes(path, is_text=False, max_unpacked=max_unpacked) as stream, plain.open("wb") as copy:
            shutil.copyfileobj(stream, copy, _BUFFER)
        yield plain


def open_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Each line's number, from 1, and its text without the line end."""
    for number, raw in open_byte_lines(path):
        yield number, decode_line(raw, path, number)


def open_byte_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Each line's number, from 1, and its bytes without the line end; for readers that go on after a bad line."""
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
            yield number, raw.rstrip(b"\r\n")


def with_first_line(lines: Iterator[tuple[int, bytes]]) -> tuple[bytes | None, Iterator[tuple[int, bytes]]]:
    """The first line that is not blank, None if there are no lines at all, and every line from the beginning.

    Examples
    --------
    >>> first, lines = with_first_line(iter([(1, b""), (2, b"id,title"), (3, b"1,Paris")]))
    >>> first, [number for number, _ in lines]
    (b'id,title', [1, 2, 3])
    """
    head: list[tuple[int, bytes]] = []
    for numbered in lines:
        head.append(numbered)
        if numbered[1].strip():
            break
    return (head[-1][1] if head else None), itertools.chain(head, lines)


def decode_line(raw: bytes, path: object, line: int) -> str:
    """The line as text, or a `DataError` that says which byte is wrong."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[error.start : error.start + 1].hex()
        reason = f"not valid UTF-8: byte 0x{bad} at position {error.start + 1}; save the file as UTF-8"
        raise DataError(reason, path=path, line=line) from error


def content_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of the file's format, in lower case, without that of the compression: `.jsonl`."""
    bare = Path(path)
    if bare.suffix.lower() in _SUFFIX_TO_KIND:
        bare = bare.with_suffix("")
    return bare.suffix.lower()


def _open_source(path: str | os.PathLike[str]) -> io.BufferedReader:
    if path == STDIN:
        return io.BufferedReader(_Unclosed(sys.stdin.buffer), _BUFFER)
    try:
        return io.BufferedReader(io.FileIO(path), _BUFFER)
    except FileNotFoundError:
        raise DataError("no such file; check the path", path=path) from None
    except IsADirectoryError:
        raise DataError("is a folder; give a file", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from error


def _decompressed(source: io.BufferedReader, path: str | os.PathLike[str], is_text: bool) -> io.BufferedIOBase:
    start = source.peek(8)[:8]
    for magic, problem in _UNREADABLE.items():
        if is_text and start.startswith(magic):
            raise DataError(problem, path=path)
    kind = _compression(start, path)
    if kind == "gzip":
        return gzip.GzipFile(fileobj=source, mode="rb")
    if kind == "bzip2":
        return bz2.BZ2File(source)
    if kind == "xz":
        return lzma.LZMAFile(source)
    return ZstdReader(source) if kind == "zstd" else source


def _compressed(raw: io.BufferedWriter, suffix: str) -> Any:  # noqa: ANN401 - a file that compresses, or the file itself
    if suffix == ".gz":  # without a name and the time of day, so that the same links are the same bytes
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".zst":
        return zstd_writer(raw)
    return lzma.LZMAFile(raw, "wb") if suffix == ".xz" else raw


def _compression(start: bytes, path: str | os.PathLike[str]) -> str | None:
    """How a file that begins like this is compressed; None if it is not."""
    kind = next((name for name, magic in _KIND_TO_MAGIC.items() if start.startswith(magic)), None)
    expected = _SUFFIX_TO_KIND.get(Path(path).suffix.lower())
    if expected is not None and kind != expected:
        beginning = "is none" if start else "is empty"
        raise DataError(f"is named like a {expected} file but {beginning}; rename it or fetch it again", path=path)
    if kind == "bzip2" and expected is None and start[4:8] != b"1AY&":
        return None  # a text that happens to begin with BZh
    return kind


class _CheckedReader(io.RawIOBase):
    """Passes bytes on; what a decompressor says about damaged data becomes a `DataError`."""

    def __init__(self, inner: io.BufferedIOBase, path: str | os.PathLike[str], max_bytes: int | None) -> None:
        self._inner = inner
        self._path = path
        self._max_bytes = max_bytes
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer, as in io
        # Plain input is passed on as it comes: somebody may be typing it, or another program making it slowly.
        read = self._inner.read1 if isinstance(self._inner, io.BufferedReader) else self._inner.read
        try:
            chunk = read(len(buffer))
        except EOFError:
            raise DataError("the compressed data ends too early; fetch the file again", path=self._path) from None
        except (zlib.error, lzma.LZMAError, OSError) as error:
            raise DataError(f"cannot be read: {error}; fetch the file again", path=self._path) from error
        self._n_bytes += len(chunk)
        if self._max_bytes is not None and self._n_bytes > self._max_bytes:
            higher = f"--limits unpacked={2 * self._max_bytes}"
            reason = f"unpacks to more than {self._max_bytes:,} bytes; is it a list? A higher limit: {higher}"
            raise DataError(reason, path=self._path)
        buffer[: len(chunk)] = chunk
        return len(chunk)


class _Unclosed(io.RawIOBase):
    """Reads from a stream that is not ours to close."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - stdin, or what stands in for it
        self._inner = inner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer, as in io
        chunk: bytes = self._inner.read1(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)
