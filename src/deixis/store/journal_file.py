"""The SQLite file of a journal: opened for reading or writing, its schema checked, its errors in words to act on.

The file is only ever opened by SQLite: closing any other descriptor of it would drop this process's locks.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from deixis.errors import StoreError
from deixis.store.durable import fsync_file, fsync_folder, temporary_sibling
from deixis.store.regular_files import check_regular

APPLICATION_ID = 0x6478_6A6C  # "dxjl"
SCHEMA_VERSION = 1
LOG_PAGES = 16_000  # of the log beside a journal, until SQLite puts them into it, which takes longer than a change
N_HEADER = 100  # bytes that every SQLite file begins with; SQLite takes a shorter one for an empty file
READ_TIMEOUT = 10.0  # seconds that a reader waits where another process recovers the file after a crash
SCHEMA = (
    "CREATE TABLE model (model_id TEXT NOT NULL, start INTEGER NOT NULL)",
    "CREATE TABLE changes (generation INTEGER PRIMARY KEY, time TEXT NOT NULL, author TEXT NOT NULL, "
    "reason TEXT NOT NULL, verb TEXT NOT NULL, undoes_first INTEGER, undoes_last INTEGER)",
    "CREATE TABLE items (generation INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, "
    "before TEXT, after TEXT, before_generation INTEGER, before_number INTEGER, after_generation INTEGER, "
    "after_number INTEGER, PRIMARY KEY (generation, number)) WITHOUT ROWID",
    "CREATE TABLE state (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT, position_generation INTEGER, "
    "position_number INTEGER, generation INTEGER NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID",
    "CREATE INDEX state_by_generation ON state (generation)",
    "CREATE INDEX items_by_key ON items (kind, key, generation)",
)
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}


def open_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that only reads; None where there is no journal yet."""
    if not _has_content(path):
        return None
    try:
        connection = _readable(path, "mode=rw" if os.access(path, os.W_OK) else "mode=ro")
    except sqlite3.OperationalError as error:
        if _code(error) not in _UNWRITABLE:
            raise
        connection = _in_read_only_folder(path)
    connection.execute("PRAGMA query_only=ON")
    if _is_begun(connection, path):
        return connection
    connection.close()
    return None


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection that writes durably to a file that is there. It may be busy."""
    _has_content(path)
    connection = _connected(path, "mode=rw", timeout=0)
    try:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "trusted_schema=OFF", f"wal_autocheckpoint={LOG_PAGES}"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def make_journal(path: Path, model_id: str, start: int) -> None:
    """Makes the file of a journal without changes, all of it at once: an empty file is never one that was just begun.

    If another process makes it meanwhile, that one stays.
    """
    try:
        with temporary_sibling(path) as folder:
            made = folder / path.name
            with closing(_connected(made, "mode=rwc")) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("BEGIN")
                _make_tables(connection, model_id, start)
                connection.execute("COMMIT")
            fsync_file(made)
            _link_unless_there(made, path)
        fsync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, str(error)) from error


def _link_unless_there(made: Path, path: Path) -> None:
    """Gives the file its name if nothing has it."""
    try:
        os.link(made, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            made.rename(path)


def begin_journal(connection: sqlite3.Connection, path: Path, model_id: str, start: int) -> None:
    """Makes the tables of a file without any, within the transaction that is open; those of others are checked."""
    if not _is_begun(connection, path):
        _make_tables(connection, model_id, start)


def _make_tables(connection: sqlite3.Connection, model_id: str, start: int) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO model VALUES (?, ?)", (model_id, start))


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process is writing."""
    return _code(error) in _BUSY


def in_words(error: sqlite3.Error, path: Path) -> StoreError:
    """The error in words, with the way out."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"The disk of {path} is full: the change was not written. Make room and repeat it.")
    if code in _UNWRITABLE:
        return _unwritable(path, str(error))
    if code in _BUSY:
        return StoreError(f"{path} is locked by another process. Repeat this when the other one has ended.")
    if code in _DAMAGED or not isinstance(error, sqlite3.OperationalError):
        return damaged(path, str(error))
    return StoreError(f"{path} cannot be used: {error}. Is the disk full or gone? No change was lost; repeat yours.")


def _unwritable(path: Path, problem: str) -> StoreError:
    return StoreError(
        f"{path} cannot be written: {problem}. The model can be used as it is; to change it, make its folder and "
        "the folder that it is in writable, or copy model and journal elsewhere."
    )


def damaged(path: Path, problem: str) -> StoreError:
    """The error that a file is no whole journal."""
    return StoreError(
        f"{path} is damaged or is no journal ({problem}). The model itself is whole, without the changes since it was "
        f"built or compacted. Restore {path.name} from a copy; or move it away (mv {path} {path}.damaged) to go on "
        "without them."
    )


def _has_content(path: Path) -> bool:
    """Whether there is a file; one that is none, is empty or was cut off is an error."""
    try:
        check_regular(path)
        n_bytes = path.stat().st_size
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    if n_bytes < N_HEADER:
        raise damaged(path, f"only {n_bytes} bytes of it are left" if n_bytes else "nothing is left of it: 0 bytes")
    return True


def _connected(path: Path, mode: str, timeout: float = READ_TIMEOUT) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?{mode}"
    # Every use is under a lock of the journal, so threads may share it; transactions are begun by hand.
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)


def _readable(path: Path, mode: str) -> sqlite3.Connection:
    """A connection that was read from: only then is it known whether the files beside the journal can be made."""
    connection = _connected(path, mode)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _in_read_only_folder(path: Path) -> sqlite3.Connection:
    """A connection where no file can be made beside the journal, which readers of a live one need."""
    log = path.with_name(path.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        return _connected(path, "mode=ro&immutable=1")
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with tempfile.TemporaryDirectory(prefix="deixis-journal-") as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder, file.name))
        with closing(_connected(Path(folder, path.name), "mode=rw")) as copy:
            copy.backup(memory)
    return memory


def _is_begun(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has tables; those of anything but a journal of this version are an error."""
    tables = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not tables and not application_id:
        return False
    if application_id != APPLICATION_ID:
        raise damaged(path, "it is a database of another program")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} has version {version}; this Deixis reads up to {SCHEMA_VERSION}. Use the newer Deixis that wrote "
            "it: pip install --upgrade deixis"
        )
    if tables != set(SCHEMA):
        raise damaged(path, "its tables are not those of a journal")
    return True


def _code(error: sqlite3.Error) -> int:
    """The primary code of what SQLite reported."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF
