"""Texts that stand in a file beside the mentions: JSON lines with `document_id` and `text`, found by id.

Only the positions of the lines that are needed are held, so the file may be large; a compressed one is unpacked into a
temporary file first.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from deixis.documents.json_lines import json_object, name_in, text_in
from deixis.documents.places import Place
from deixis.errors import DataError
from deixis.store.files import decode_line, open_bytes

_EXAMPLE = '{"document_id": "000523A4D586C293", "title": "Warner", "text": "Warner was a technician ..."}'
# Parsing every text only to learn its id would take most of the time: mostly the id comes first.
_OPENING = re.compile(rb'\s*\{\s*"document_id"\s*:\s*"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"')


class SideTexts:
    """The texts of one open file, by document id."""

    def __init__(self, stream: BinaryIO, path: str, names: Container[str]) -> None:
        self._stream = stream
        self._path = path
        self._id_to_line: dict[str, tuple[int, int]] = {}
        start = 0
        for number, raw in enumerate(stream, start=1):
            if raw.strip():
                name = self._id_of(raw, number)
                if name in self._id_to_line:
                    raise Place(path, number).error(f"there are two documents with the id {name!r}")
                if name in names:
                    self._id_to_line[name] = (start, number)
            start += len(raw)

    def text_of(self, name: str) -> str | None:
        """The document's text; None if the file has no such document."""
        if name not in self._id_to_line:
            return None
        start, number = self._id_to_line[name]
        self._stream.seek(start)
        place = Place(self._path, number)
        line = decode_line(self._stream.readline(), self._path, number)
        return text_in(json_object(line.removeprefix("\ufeff"), place), "text", place, _EXAMPLE)

    def _id_of(self, raw: bytes, number: int) -> str:
        opening = _OPENING.match(raw)
        if opening:
            return opening[1].decode("ascii")
        place = Place(self._path, number)
        record = json_object(decode_line(raw, self._path, number).removeprefix("\ufeff"), place)
        name = name_in(record, "document_id", place)
        if name is None:
            raise place.error(f"a document needs a 'document_id'. Example: {_EXAMPLE}")
        return name


@contextmanager
def open_side_texts(path: Path, names: Container[str]) -> Iterator[SideTexts]:
    r"""The texts of a file, compressed or not, of which those with a wanted id can be had.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "lego.json"
    >>> _ = path.write_text('{"document_id": "A1", "title": "Jay", "text": "Jay is a pilot ."}\n')
    >>> with open_side_texts(path, {"A1"}) as texts:
    ...     print(texts.text_of("A1"), texts.text_of("B2"))
    Jay is a pilot . None
    """
    with _seekable(path) as stream:
        yield SideTexts(stream, str(path), names)


@contextmanager
def _seekable(path: Path) -> Iterator[BinaryIO]:
    if path.suffix.lower() in (".gz", ".bz2", ".xz", ".zst"):
        with tempfile.TemporaryFile() as unpacked:
            with open_bytes(path) as packed:
                shutil.copyfileobj(packed, unpacked)
            unpacked.seek(0)
            yield unpacked
    else:
        try:
            stream = path.open("rb")
        except OSError as error:
            raise DataError(f"cannot be opened: {error.strerror}", path=path) from error
        with stream:
            yield stream
