"""The lines of a list as UTF-8 bytes, whatever its encoding and line ends, within limits.

UTF-8 is passed on as it is, with its bad bytes: what to make of those is for the format to say (`LineDecoder`). UTF-16
and UTF-32 are recognised by their byte order mark, UTF-16 of Latin text also by its zero bytes.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from typing import BinaryIO

from deixis.errors import DataError
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line, open_bytes

_CHUNK = 1 << 18
_HEAD = 1 << 16
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UTF8 = "utf-8"
_CONTROLS = bytes([*range(9), *range(14, 32)])
FALLBACK = "cp1252"
"""The encoding of a table that is not UTF-8."""


class ListLines:
    """Each line's number, from 1, and its bytes in UTF-8 without the line end; `encoding` is that of the file."""

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        self.encoding = _UTF8
        self._lines = self._read(path, options)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        return self._lines

    def _read(self, path: str | os.PathLike[str], options: ReadOptions) -> Iterator[tuple[int, bytes]]:
        with open_bytes(path, is_text=False, max_unpacked=options.max_unpacked) as stream:
            head = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
            _refuse_binary(head, path)
            self.encoding = _name(options.encoding) if options.encoding else guess_encoding(head, path)
            if self.encoding == _UTF8:
                chunks = _chunks(stream)
            else:
                chunks = _transcoded(stream, self.encoding, path)
            yield from _split(chunks, options.max_line, path)


class LineDecoder:
    r"""Lines as text: UTF-8, or `FALLBACK` from the first line on that is not, if none before needed UTF-8.

    Examples
    --------
    >>> decoder = LineDecoder()
    >>> decoder.decode(b"caf\xe9", 1), decoder.encoding
    ('café', 'cp1252')
    """

    def __init__(self, has_fallback: bool = True) -> None:
        self.encoding = _UTF8
        self._has_fallback = has_fallback
        self._utf8_line = 0

    def decode(self, raw: bytes, number: int) -> str:
        """The text of a line, or `BadRecord`."""
        if raw.isascii():
            return raw.decode("ascii")
        try:
            text = raw.decode(_UTF8)
        except UnicodeDecodeError:
            return self._otherwise(raw, number)
        if self.encoding != _UTF8:
            reason = f"is UTF-8, but lines before are {self.encoding}; save the file in one encoding"
            raise BadRecord("encoding", f"{reason}, or name it with --encoding")
        self._utf8_line = self._utf8_line or number
        return text

    def _otherwise(self, raw: bytes, number: int) -> str:
        if not self._has_fallback or self._utf8_line:
            try:
                return decode_line(raw, None, number)
            except DataError as error:
                seen = f" (line {self._utf8_line} is UTF-8)" if self._utf8_line else ""
                raise BadRecord("encoding", f"{error.reason}{seen}, or name its encoding with --encoding") from None
        try:
            text = raw.decode(FALLBACK)
        except UnicodeDecodeError as error:
            reason = f"neither UTF-8 nor {FALLBACK}: byte 0x{raw[error.start]:02x} at position {error.start + 1}"
            raise BadRecord("encoding", f"{reason}; name the encoding with --encoding") from None
        self.encoding = FALLBACK
        return text


def guess_encoding(head: bytes, path: object) -> str:
    r"""The encoding of text that begins with these bytes; without a sign of another it is taken for UTF-8.

    Examples
    --------
    >>> guess_encoding("id".encode("utf-16-be"), "kb.csv"), guess_encoding(b"\xff\xfei\x00", "kb.csv")
    ('utf-16-be', 'utf-16')
    """
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    if b"\0" not in head:
        return _UTF8
    even, odd = head[0::2], head[1::2]
    if odd.count(0) > 0.4 * len(odd) and even.count(0) < 0.05 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.4 * len(even) and odd.count(0) < 0.05 * len(odd) + 1:
        return "utf-16-be"
    return _UTF8


def _refuse_binary(head: bytes, path: object) -> None:
    if head.startswith(b"PK\x03\x04"):
        raise DataError("is a zip archive (or a spreadsheet); unpack it, or save it as CSV or JSONL", path=path)
    if guess_encoding(head, path) == _UTF8 and len(head.translate(None, _CONTROLS)) < 0.9 * len(head):
        raise DataError(f"is no text: it begins with the bytes {head[:8].hex(' ')}; save it as CSV or JSONL", path=path)


def _name(encoding: str) -> str:
    name = codecs.lookup(encoding).name
    return _UTF8 if name in ("utf-8", "utf-8-sig", "ascii") else name


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    read = stream.read1  # type: ignore[attr-defined]
    first = read(_CHUNK)
    yield first.removeprefix(codecs.BOM_UTF8)
    while chunk := read(_CHUNK):
        yield chunk


def _transcoded(stream: BinaryIO, encoding: str, path: object) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines = 1
    while True:
        chunk = stream.read1(_HEAD)  # type: ignore[attr-defined]
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            reason = f"not {encoding}: {error.reason}; name the right encoding with --encoding"
            raise DataError(reason, path=path, line=n_lines + _lines_before(error)) from None
        n_lines += text.count("\n")
        yield text.removeprefix("\ufeff").encode(_UTF8, "surrogatepass")
        if not chunk:
            return


def _lines_before(error: UnicodeDecodeError) -> int:
    return error.object[: error.start].decode(error.encoding, "ignore").count("\n")


def _split(chunks: Iterator[bytes], max_line: int, path: object) -> Iterator[tuple[int, bytes]]:
    """The lines of chunks; a carriage return ends a line where the first chunk has no line feed."""
    number, n_open = 0, 0
    open_line: list[bytes] = []
    is_first, has_returns = True, False
    for chunk in chunks:
        if is_first and chunk:
            has_returns = b"\r" in chunk[:-1] and b"\n" not in chunk
            is_first = False
        if has_returns:
            chunk = chunk.replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        open_line.append(lines[0])
        n_open += len(lines[0])
        if n_open > max_line or (len(chunk) > max_line and max(map(len, lines)) > max_line):
            lengths = [n_open, *map(len, lines[1:])]
            long = next(number_in_chunk for number_in_chunk, length in enumerate(lengths) if length > max_line)
            raise _too_long(max_line, path, number + 1 + long)
        if len(lines) > 1:
            lines[0] = b"".join(open_line)
            open_line = [lines.pop()]
            n_open = len(open_line[0])
            if b"\r" in chunk or lines[0].endswith(b"\r"):
                lines = [raw[:-1] if raw.endswith(b"\r") else raw for raw in lines]
            yield from enumerate(lines, number + 1)
            number += len(lines)
    if n_open:
        yield number + 1, b"".join(open_line).rstrip(b"\r")


def _too_long(max_line: int, path: object, number: int) -> DataError:
    return DataError(
        f"the line is longer than {max_line:,} bytes; is it a list? A higher limit: --limits line={2 * max_line}",
        path=path,
        line=number,
    )
