"""The lines of a file as they come: each as soon as it can be read, and how many can be had without waiting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from deixis.documents.binary_files import check_is_text, kind_of_archive
from deixis.errors import DataError
from deixis.store.files import decode_line, open_bytes

READ_AT_ONCE = 1 << 18  # bytes at most
_BOM = b"\xef\xbb\xbf"


class ArrivingLines:
    r"""Each line's number, from 1, and its text; `n_waiting` lines have come already.

    A file that is no text is refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "troy.txt"
    >>> _ = path.write_text("To save Troy,\nParis left.")
    >>> lines = ArrivingLines(str(path))
    >>> [(number, line, lines.n_waiting) for number, line in lines]
    [(1, 'To save Troy,', 0), (2, 'Paris left.', 0)]
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.n_waiting = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        number = 0
        for lines in self._reads():
            self.n_waiting = len(lines)
            for raw in lines:
                number += 1
                self.n_waiting -= 1
                yield number, decode_line(raw.rstrip(b"\r\n"), self.path, number)

    def _reads(self) -> Iterator[list[bytes]]:
        """The lines that each read ends; the last one, if nothing ends it, alone."""
        unended: list[bytes] = []
        is_first = True
        for piece in self._pieces():
            if is_first:
                check_is_text(piece, self.path)
                piece, is_first = piece.removeprefix(_BOM), False
            *lines, last = piece.split(b"\n")
            if lines:
                lines[0] = b"".join(unended) + lines[0]
                unended.clear()
                yield lines
            unended.append(last)
        if rest := b"".join(unended):
            yield [rest]

    def _pieces(self) -> Iterator[bytes]:
        try:
            with open_bytes(self.path) as stream:
                while piece := stream.read1(READ_AT_ONCE):  # type: ignore[attr-defined]  # it is buffered
                    yield piece
        except DataError as error:
            kind = kind_of_archive(PurePath(self.path).suffix)
            raise (
                error if kind is None or "zip archive" not in error.reason else DataError(kind, path=self.path)
            ) from None
