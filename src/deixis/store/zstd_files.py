"""Zstandard files with the `zstandard` package (extra `zstd`); unlike its own stream, reading notices a cut-off end."""

from __future__ import annotations

import importlib
import io
from typing import Any

from deixis.errors import MissingExtraError

_LEVEL = 3  # the library's default: fast, and as small as gzip
_CHUNK = 1 << 12  # the most that so little can unpack to is 128 MB


class ZstdReader(io.BufferedIOBase):
    """The decompressed bytes of one frame after another; a frame without its end is an `EOFError`, as in gzip."""

    def __init__(self, source: io.BufferedReader) -> None:
        self._zstandard = _library("Reading .zst files")
        self._source = source
        self._frame: Any = None
        self._pending = bytearray()
        self._unused = b""

    def readable(self) -> bool:
        """Always true."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes; none at the end of the last frame."""
        while (size is None or size < 0 or len(self._pending) < size) and self._fill():
            pass
        end = len(self._pending) if size is None or size < 0 else size
        chunk = bytes(self._pending[:end])
        del self._pending[:end]
        return chunk

    def _fill(self) -> bool:
        raw = self._unused or self._source.read(_CHUNK)
        self._unused = b""
        if not raw:
            if self._frame is not None:
                raise EOFError
            return False
        if self._frame is None:
            self._frame = self._zstandard.ZstdDecompressor().decompressobj()
        try:
            self._pending += self._frame.decompress(raw)
        except self._zstandard.ZstdError as error:
            raise OSError(str(error)) from error
        if self._frame.eof:
            self._unused = self._frame.unused_data
            self._frame = None
        return True


def zstd_writer(raw: io.BufferedWriter) -> Any:  # noqa: ANN401 - a stream of the library
    """A stream whose bytes go to `raw` compressed."""
    return _library("Writing .zst files").ZstdCompressor(level=_LEVEL).stream_writer(raw, closefd=False)


def _library(what: str) -> Any:  # noqa: ANN401 - a module without types
    try:
        return importlib.import_module("zstandard")
    except ModuleNotFoundError as error:
        raise MissingExtraError(what, "zstandard", "zstd") from error
