"""The ledger of an output folder (SQLite): which shards are linked, from what and how, and which documents were bad.

Only the process that runs the work writes it. An output takes its name first, and its row is written after that: what
has a row is whole, and what was stopped between the two is linked again to the same bytes.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deixis.batch.settings import Job
from deixis.batch.shards import Shard, sha256_of
from deixis.errors import DataError, StoreError, WriteError
from deixis.store.durable import NO_LOCKS, fsync_folder, lock_folder, replace_durably

OWN = "_deixis"
"""The folder inside the output folder that holds the ledger and all that is no output."""
LEDGER, BAD, PARTIAL = "ledger.sqlite3", "bad.jsonl", "partial"
PATIENCE = 10.0  # seconds: the processes of a run that was killed end within one
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_VERSION = 1
_TABLES = """
create table if not exists shards (
    output text primary key, input text, first integer, format text, input_hash text, model_id text,
    generation integer, settings text, n_documents integer, n_bad integer, output_hash text
);
create table if not exists bad (output text, line integer, reason text);
create index if not exists bad_of_output on bad (output);
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a linked shard came to: its documents, the lines that were bad and why, and the hash of its output."""

    n_documents: int
    bad: tuple[tuple[int | None, str], ...]
    output_hash: str


class Ledger:
    """What is linked in a folder already; open it with `open_ledger`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = folder / OWN
        self._rows = sqlite3.connect(self.own / LEDGER, isolation_level=None)
        self._rows.execute("pragma synchronous = full")
        (version,) = self._rows.execute("pragma user_version").fetchone()
        if version > _VERSION:
            raise StoreError(f"The ledger {self.own / LEDGER} is from a newer version of Deixis. Update Deixis.")
        self._rows.executescript(f"{_TABLES}pragma user_version = {_VERSION};")

    def has(self, shard: Shard, job: Job) -> bool:
        """Whether the shard is linked from the same bytes in the same way, and its output is as it was written."""
        row = self._rows.execute(
            "select first, format, input_hash, model_id, generation, settings, output_hash from shards "
            "where output = ?",
            (shard.output,),
        ).fetchone()
        return row is not None and row[:6] == _key(shard, job) and self._is_whole(shard.output, row[6])

    def commit(self, shard: Shard, job: Job, partial: Path, entry: Entry) -> None:
        """Gives an output that is on disk its name, and then the ledger its row."""
        target = self.folder / shard.output
        with naming(target):
            _make_folders(target.parent, self.folder)
            os.replace(partial, target)
            fsync_folder(target.parent)
        with self._changing():
            self._rows.execute("delete from bad where output = ?", (shard.output,))
            self._rows.execute(
                "insert or replace into shards values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (shard.output, shard.path, *_key(shard, job), entry.n_documents, len(entry.bad), entry.output_hash),
            )
            self._rows.executemany("insert into bad values (?, ?, ?)", [(shard.output, *each) for each in entry.bad])

    def remove_others(self, shards: Iterable[Shard]) -> int:
        """Removes outputs of the same files that no shard has any more: a file that is shorter now has fewer.

        Returns how many outputs of other files are left in the folder.
        """
        outputs = {shard.output for shard in shards}
        stems = {_stem(output) for output in outputs}
        others = [output for (output,) in self._rows.execute("select output from shards") if output not in outputs]
        old = [output for output in others if _stem(output) in stems]
        for output in old:
            (self.folder / output).unlink(missing_ok=True)
            with self._changing():
                self._rows.execute("delete from shards where output = ?", (output,))
                self._rows.execute("delete from bad where output = ?", (output,))
        return len(others) - len(old)

    def totals(self, shards: Iterable[Shard]) -> tuple[int, int]:
        """How many documents are linked of these shards, and how many were bad."""
        counts = {
            output: (n_documents, n_bad)
            for output, n_documents, n_bad in self._rows.execute("select output, n_documents, n_bad from shards")
        }
        rows = [counts.get(shard.output, (0, 0)) for shard in shards]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)

    def write_bad(self) -> Path | None:
        """Writes the documents that were bad, with file, line and reason; None if there were none."""
        path, partial = self.own / BAD, self.own / PARTIAL / BAD
        rows = self._rows.execute(
            "select input, line, reason from bad join shards using (output) order by output, line, reason"
        )
        n_rows = 0
        with naming(path):
            with open(partial, "w", encoding="utf-8") as stream:
                for file, line, reason in rows:
                    record = {"file": file, "line": line, "reason": reason}
                    stream.write(json.dumps(record, ensure_ascii=False) + "\n")
                    n_rows += 1
            if not n_rows:
                partial.unlink()
                path.unlink(missing_ok=True)
                return None
            replace_durably(partial, path)
        return path

    def close(self) -> None:
        """Ends the work with it."""
        self._rows.close()

    def _is_whole(self, output: str, output_hash: str) -> bool:
        path = self.folder / output
        return path.is_file() and sha256_of(path) == output_hash

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with naming(self.own / LEDGER):
            self._rows.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._rows.execute("rollback")
                raise
            self._rows.execute("commit")


@contextmanager
def open_ledger(folder: Path) -> Iterator[Ledger]:
    """The ledger of an output folder, which nobody else changes while the block runs; what a dead run left is removed.

    A folder with other things in it is refused.
    """
    if folder.is_file():
        raise DataError("is a file; the links of several processes go to a folder", path=folder)
    if folder.is_dir() and not (folder / OWN).is_dir() and any(folder.iterdir()):
        raise DataError("this folder holds other things than links; choose another or an empty one", path=folder)
    with naming(folder):
        (folder / OWN).mkdir(parents=True, exist_ok=True)
    descriptor = _locked(folder / OWN)
    try:
        partial = folder / OWN / PARTIAL
        shutil.rmtree(partial, ignore_errors=True)
        with naming(folder):
            partial.mkdir(exist_ok=True)
            ledger = Ledger(folder)
        try:
            yield ledger
        finally:
            ledger.close()
            shutil.rmtree(partial, ignore_errors=True)
    finally:
        if descriptor != NO_LOCKS:
            os.close(descriptor)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the disk while the block runs name the file that could not be written, and what to do."""
    try:
        yield
    except OSError as error:
        way_out = "make room" if error.errno in NO_ROOM else "see to that"
        raise WriteError(
            f"cannot be written: {error.strerror}; {way_out}, and run the same again", path=path
        ) from error
    except sqlite3.OperationalError as error:
        raise WriteError(f"cannot be written: {error}; make room, and run the same again", path=path) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"The ledger {path} is damaged ({error}). Remove it, and run the same again.") from error


def _key(shard: Shard, job: Job) -> tuple[int, str, str, str, int, str]:
    """All that an output depends on."""
    return shard.part.first, shard.format, shard.part.sha256, job.model_id, job.generation, job.settings


def _stem(output: str) -> str:
    return output.rpartition("-")[0]


def _make_folders(path: Path, top: Path) -> None:
    if path != top and not path.is_dir():
        _make_folders(path.parent, top)
        path.mkdir()
        fsync_folder(path.parent)


def _locked(folder: Path) -> int:
    end = time.monotonic() + PATIENCE
    while (descriptor := lock_folder(folder)) is None:
        if time.monotonic() > end:
            raise StoreError(f"Another run links into {folder.parent}. Wait for its end, or choose another folder.")
        time.sleep(0.1)
    return descriptor
