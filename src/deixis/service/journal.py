"""The file in which a service keeps its corrections. `deixis correct MODEL FILE` reads it, and so does a restart."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from deixis.documents.corrections import Correction, read_corrections
from deixis.errors import DataError, StoreError

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)


class Journal:
    """Corrections, one per line; one worker at a time appends to it.

    Examples
    --------
    >>> import tempfile
    >>> journal = Journal(Path(tempfile.mkdtemp()) / "corrections.jsonl")
    >>> journal.read()
    []
    >>> with journal.locked() as stream:
    ...     journal.write(stream, [{"text": "Paris fled.", "start": 0, "end": 5, "gold": "Q167646"}])
    >>> journal.read()[0].entity
    'Q167646'
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Correction]:
        """All corrections in the order they were made, read under the lock."""
        if not self.path.is_file():
            return []
        if not os.access(self.path, os.W_OK):  # read-only: no worker writes it
            return self.read_locked()
        with self.locked():
            return self.read_locked()

    def read_locked(self) -> list[Correction]:
        """The same, for a caller that holds the lock. A line that cannot be read is an error that does not quote it."""
        try:
            return read_corrections(self.path) if self.path.stat().st_size else []
        except DataError as error:
            raise StoreError(
                f"{self.path}, line {error.line}: this line is not a correction. `deixis correct MODEL "
                f"{self.path}` prints the reason. Fix or delete the line."
            ) from None

    @contextmanager
    def locked(self) -> Iterator[FileIO]:
        """The file, opened for appending under an exclusive lock, which ends with the process that holds it."""
        with FileIO(self.path, "a+") as stream:  # unbuffered: a failed write is not retried when the file is closed
            if sys.platform != "win32":
                fcntl.flock(stream, fcntl.LOCK_EX)
            _finish(stream, self.path)
            yield stream

    def write(self, stream: FileIO, records: Sequence[Mapping[str, Any]]) -> None:
        """Appends records durably (fsync). All of them are written, or none."""
        lines = "".join(json.dumps(dict(record), ensure_ascii=False) + "\n" for record in records)
        left, size = memoryview(lines.encode("utf-8")), stream.seek(0, os.SEEK_END)
        try:
            while left:
                left = left[stream.write(left) :]
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(size)
            raise


def _finish(stream: FileIO, path: Path) -> None:
    """Completes a last line without a line break: a whole record gets one, a partial record is removed.

    A partial record is left by a worker that was killed while writing; its request was not answered.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 1))
    if stream.read(1) in (b"", b"\n"):
        return
    stream.seek(0)
    data = stream.readall()
    start = data.rfind(b"\n") + 1
    try:
        json.loads(data[start:])
    except ValueError:
        stream.truncate(start)
        location = {"file": str(path), "line": data.count(b"\n") + 1}
        logger.warning("partial correction at the end of the file removed", extra={"record": location})
    else:
        stream.write(b"\n")
