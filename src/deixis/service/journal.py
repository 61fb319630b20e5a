"""The file of corrections that a service was told: what `deixis learn MODEL FILE` takes, and loads after a restart."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from deixis.documents.corrections import Correction, read_corrections

if sys.platform != "win32":
    import fcntl


class Journal:
    """Corrections one a line, added to by one worker at a time.

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
        """All corrections, in the order they were told, with nobody writing meanwhile."""
        if not self.path.is_file():
            return []
        with open(self.path, "rb") as stream:
            if sys.platform != "win32":
                fcntl.flock(stream, fcntl.LOCK_SH)
            return self.read_locked()

    def read_locked(self) -> list[Correction]:
        """The same, for who holds the lock."""
        return read_corrections(self.path) if self.path.stat().st_size else []

    @contextmanager
    def locked(self) -> Iterator[IO[bytes]]:
        """The file open at its end, nobody else reading or writing; the lock ends with the process that holds it."""
        with open(self.path, "ab") as stream:
            if sys.platform != "win32":
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield stream

    def write(self, stream: IO[bytes], records: Sequence[Mapping[str, Any]]) -> None:
        """Adds records for good: a power cut does not lose them once this is done."""
        lines = "".join(json.dumps(dict(record), ensure_ascii=False) + "\n" for record in records)
        stream.write(lines.encode("utf-8"))
        stream.flush()
        os.fsync(stream.fileno())
