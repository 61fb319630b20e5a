"""The journal of a model: every change since it was built, in an SQLite file beside its folder (`model.journal`).

Each change is one durable transaction with a generation (1, 2, 3 without gaps), author, reason and what it replaced.
It knows neither entities nor corrections: values are JSON, and None where there is nothing. Readers never wait and
always see one generation; writers, of any process, take turns.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from deixis.errors import StoreError
from deixis.store.change import Change, ChangeItem, JournalHead, Position, Snapshot, StateEntry
from deixis.store.durable import fsync_folder
from deixis.store.journal_file import (
    begin_journal,
    damaged,
    in_words,
    is_busy,
    make_journal,
    open_to_read,
    open_to_write,
)
from deixis.store.journal_rows import as_json, change_in, entry_in, item_in, item_rows, position_in

logger = logging.getLogger(__name__)

SUFFIX = ".journal"
TIMEOUT = 30.0
"""Seconds that a writer waits for another one."""
SAY_AFTER = 1.0  # seconds after which it says that it waits
PAUSE = 0.005  # seconds between two tries
Version = tuple[int, int, int] | None


class Journal:
    """The changes of the model with this id; `start` is the generation that its folder includes.

    Examples
    --------
    >>> import tempfile
    >>> journal = Journal(Path(tempfile.mkdtemp()) / "model.journal", "4f2a")
    >>> with journal.writing() as writer:
    ...     change = writer.append(Change("add", (ChangeItem("entity", "Q90", None, {"id": "Q90"}),), author="eve"))
    >>> change.generation, journal.generation, journal.snapshot().entries[0].value
    (1, 1, {'id': 'Q90'})
    """

    def __init__(self, path: Path, model_id: str, start: int = 0, *, timeout: float = TIMEOUT) -> None:
        self.path, self.model_id, self.start, self.timeout = path, model_id, start, timeout
        self._reading, self._writing = threading.RLock(), threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._reader_file: tuple[int, int] | None = None
        self._writer_file: tuple[int, int] | None = None

    def close(self) -> None:
        """Closes the file; the journal opens it again when it is used."""
        with self._writing:
            self._close_writer()
        self._close_reader()

    def version(self) -> Version:
        """Another value whenever something was written, by any process: microseconds. None if there is no journal."""
        with self._reading, self._errors():
            connection = self._connection()
            if connection is None or self._reader_file is None:
                return None
            (number,) = connection.execute("PRAGMA data_version").fetchone()
            return *self._reader_file, number

    @property
    def generation(self) -> int:
        """The number of the last change, or the one that the folder includes if there is none."""
        with self._reading, self._errors():
            connection = self._connection()
            return self.start if connection is None else _generation(connection)

    def snapshot(self, since: int = -1) -> Snapshot:
        """What holds now, of one generation; only what changes after `since` put, if that is given."""
        with self._reading, self._errors():
            connection = self._connection()
            if connection is None:
                return Snapshot(self.start, ())
            with _transaction(connection, "BEGIN"):
                rows = connection.execute(
                    "SELECT kind, key, value, position_generation, position_number, generation FROM state "
                    "WHERE generation > ? ORDER BY position_generation, position_number",
                    (since,),
                ).fetchall()
                return Snapshot(_generation(connection), tuple(map(entry_in, rows)))

    def changes(
        self, first: int = 0, last: int | None = None, limit: int | None = None, *, has_items: bool = True
    ) -> list[Change]:
        """The changes from `first` to `last`, the newest first, with their items or without."""
        with self._reading, self._errors():
            connection = self._connection()
            if connection is None:
                return []
            with _transaction(connection, "BEGIN"):
                rows = connection.execute(
                    "SELECT verb, author, reason, undoes_first, undoes_last, generation, time FROM changes "
                    "WHERE generation BETWEEN ? AND ? ORDER BY generation DESC LIMIT ?",
                    (first, 2**62 if last is None else last, -1 if limit is None else limit),
                ).fetchall()
                return [change_in(row, self._items(connection, row[5]) if has_items else ()) for row in rows]

    def entry(self, kind: str, key: str) -> StateEntry | None:
        """What holds for a key; None if no change touched it."""
        with self._reading, self._errors():
            connection = self._connection()
            query = (
                "SELECT kind, key, value, position_generation, position_number, generation FROM state "
                "WHERE kind = ? AND key = ?"
            )
            row = None if connection is None else connection.execute(query, (kind, key)).fetchone()
            return None if row is None else entry_in(row)

    def last_touching(self, kind: str, key: str) -> int:
        """The last change that touched a key; 0 if none did."""
        with self._reading, self._errors():
            connection = self._connection()
            query = "SELECT max(generation) FROM items WHERE kind = ? AND key = ?"
            return 0 if connection is None else connection.execute(query, (kind, key)).fetchone()[0] or 0

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The right to write, for as long as the block runs; what it appended is durable when it has ended.

        Nobody else writes meanwhile, in this or another process. If the block raises, nothing was written.
        """
        if not self._writing.acquire(timeout=self.timeout):
            raise self._too_long()
        try:
            with self._errors():
                connection = self._begun()
                with _transaction(connection):
                    self._check(connection)
                    yield Writer(connection, self.path)
        finally:
            self._writing.release()

    def problems(self) -> list[str]:
        """What a full check of the file finds; nothing if it is whole."""
        with self._reading, self._errors():
            connection = self._connection()
            if connection is None:
                return []
            answers = [row[0] for row in connection.execute("PRAGMA quick_check")]
            gaps = connection.execute(
                "SELECT count(*), coalesce(max(generation) - min(generation) + 1, 0) FROM changes"
            ).fetchone()
            missing = [] if gaps[0] == gaps[1] else [f"{gaps[1] - gaps[0]} changes are missing"]
            return [each for each in answers if each != "ok"] + missing

    def _connection(self) -> sqlite3.Connection | None:
        """The open file, opened again where another one is in its place now."""
        file = _file(self.path)
        if self._reader is None or file != self._reader_file:
            self._close_reader()
            connection = None if file is None else open_to_read(self.path)
            if connection is not None:
                self._check(connection)
            self._reader, self._reader_file = connection, None if connection is None else file
        return self._reader

    def _close_reader(self) -> None:
        with self._reading:
            if self._reader is not None:
                self._reader.close()
            self._reader = self._reader_file = None

    def _check(self, connection: sqlite3.Connection) -> None:
        row = connection.execute("SELECT model_id, start FROM model").fetchone()
        if row is None:
            raise damaged(self.path, "it does not say which model it belongs to")
        if row[0] != self.model_id:
            raise StoreError(
                f"{self.path} belongs to another model than the one beside it (its id begins with {row[0][:8]}, the "
                f"model's with {self.model_id[:8]}). Nothing was changed. Put the right model beside it; or, to use "
                f"this one without those changes, move the journal away: mv {self.path} {self.path}.old"
            )
        generation = _generation(connection)
        if not row[1] <= self.start <= generation:
            raise StoreError(
                f"{self.path} has the changes {row[1] + 1} to {generation}, but the model folder beside it includes "
                f"those up to {self.start}: one of them is an older copy. Put the newer one in its place; or, to use "
                f"the model as it is, move the journal away: mv {self.path} {self.path}.old"
            )

    def _begun(self) -> sqlite3.Connection:
        """A connection with the right to write, waited for."""
        begin, is_said = time.monotonic(), False
        while True:
            try:
                connection = self._begin()
                if connection is not None:
                    return connection
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
            waited = time.monotonic() - begin
            if waited > self.timeout:
                raise self._too_long()
            if waited > SAY_AFTER and not is_said:
                is_said = True
                logger.warning("waiting for another process that is writing to %s", self.path)
            time.sleep(PAUSE)

    def _begin(self) -> sqlite3.Connection | None:
        """The same, at once or not at all: None where another file took the place of the one that was opened."""
        file = _file(self.path)
        if self._writer is None or file != self._writer_file:
            self._close_writer()
            if file is None:
                make_journal(self.path, self.model_id, self.start)
            self._writer, self._writer_file = open_to_write(self.path), file or _file(self.path)
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            if _file(self.path) == self._writer_file:
                begin_journal(self._writer, self.path, self.model_id, self.start)
                return self._writer
        except sqlite3.OperationalError as error:
            if is_busy(error) and not self._writer.in_transaction:
                raise
            self._close_writer()
            raise
        except BaseException:
            self._close_writer()
            raise
        self._close_writer()
        return None

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = self._writer_file = None

    def _items(self, connection: sqlite3.Connection, generation: int) -> tuple[ChangeItem, ...]:
        rows = connection.execute(
            "SELECT kind, key, before, after, before_generation, before_number, after_generation, after_number "
            "FROM items WHERE generation = ? ORDER BY number",
            (generation,),
        )
        return tuple(item_in(row, self.path) for row in rows)

    def _too_long(self) -> StoreError:
        return StoreError(
            f"Another process has been writing to {self.path} for more than {self.timeout:g} seconds. Nothing was "
            "changed; repeat this when it has ended, or end it."
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise in_words(error, self.path) from error


class Writer:
    """The right to write to a journal; see `Journal.writing`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path = connection, path

    @property
    def generation(self) -> int:
        """The number of the last change."""
        return _generation(self._connection)

    def append(self, change: Change) -> Change:
        """Writes a change; it gets the next generation and the time. Items without a position get the newest one."""
        generation = self.generation + 1
        items = [
            replace(
                item,
                before_position=self._position(item),
                after_position=(generation, number) if change.undoes is None else item.after_position,
            )
            for number, item in enumerate(change.items)
        ]
        written = replace(change, generation=generation, time=_now(), items=tuple(items))
        undoes = written.undoes or (None, None)
        facts = (generation, written.time, written.author, written.reason, written.verb, *undoes)
        self._connection.execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)", facts)
        self._connection.executemany(
            "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", item_rows(generation, items)
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)",
            (
                (item.kind, item.key, as_json(item.after), *(item.after_position or (None, None)), generation)
                for item in items
            ),
        )
        return written

    def _position(self, item: ChangeItem) -> Position | None:
        query = "SELECT position_generation, position_number FROM state WHERE kind = ? AND key = ?"
        row = self._connection.execute(query, (item.kind, item.key)).fetchone()
        return None if row is None else position_in(row)


def journal_of(folder: str | os.PathLike[str]) -> Path:
    """Where the journal of a model folder is: beside it, wherever links lead.

    Examples
    --------
    >>> journal_of("/models/cities").name
    'cities.journal'
    """
    target = Path(os.path.realpath(folder))
    return target.parent / f"{target.name}{SUFFIX}"


def journal_head(path: Path) -> JournalHead | None:
    """What a journal says of itself, whichever model it belongs to; None if there is none."""
    try:
        connection = open_to_read(path)
        if connection is None:
            return None
        with closing(connection), _transaction(connection, "BEGIN"):
            row = connection.execute("SELECT model_id FROM model").fetchone()
            counts = connection.execute("SELECT count(*), coalesce(min(time), '') FROM changes").fetchone()
            if row is None:
                raise damaged(path, "it does not say which model it belongs to")
            return JournalHead(row[0], _generation(connection), *counts)
    except sqlite3.Error as error:
        raise in_words(error, path) from error


def set_aside(path: Path, *, has_changes: bool = True) -> Path | None:
    """Moves a journal to a free name, its own and `.old`, or removes it; for one who has the right to write to it."""
    numbers = ("", *(f".{number}" for number in range(2, 1000)))
    names = (path.with_name(f"{path.name}.old{number}") for number in numbers)
    target = next(each for each in names if not each.exists())
    for suffix in ("-wal", "-shm", ""):
        file = path.with_name(path.name + suffix)
        if has_changes and suffix != "-shm" and file.exists():
            file.rename(target.with_name(target.name + suffix))
        else:
            file.unlink(missing_ok=True)
    fsync_folder(path.parent)
    return target if has_changes else None


def merge_log(path: Path) -> None:
    """Puts what SQLite's log beside a journal has into the journal itself, so that it is one file; if nobody has it."""
    try:
        with closing(open_to_write(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:  # two files are as good
        logger.debug("the log of %s stays beside it: %s", path, error)


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str | None = None) -> Iterator[None]:
    """A transaction, begun here or before, that ends with the block."""
    if begin is not None:
        connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _generation(connection: sqlite3.Connection) -> int:
    query = "SELECT coalesce((SELECT max(generation) FROM changes), (SELECT start FROM model))"
    return int(connection.execute(query).fetchone()[0])


def _file(path: Path) -> tuple[int, int] | None:
    """Which file is there, if any."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
