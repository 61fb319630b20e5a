"""SQLite databases to records: the rows of a query, or of the only table, as the CSV file they would be saved as."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from deixis.errors import DataError
from deixis.kb.formats.table_rows import TABLE, Records, Row, read_rows
from deixis.kb.read_options import ReadOptions
from deixis.store.files import unpacked

_LONG = "; a higher limit: --limits line=1GB"
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def read_sqlite(path: Path, options: ReadOptions | None = None) -> Records:
    """The records of a query, a `select`, or of the only table or view; the names of the columns are line 1.

    The database is opened for reading only, and a query that would do anything but read is refused.
    """
    options = options or ReadOptions()
    query, line = options.query, 0
    with unpacked(path, options.max_unpacked) as file:
        try:
            with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
                database.text_factory = bytes  # text that is not UTF-8 is an error of its row, not of the query
                chosen = query or f"select * from {_quoted(_only_table(database, path))}"
                database.set_authorizer(_only_reading)
                database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(options.max_line, 10**9))
                for line, record in read_rows(_rows(database, chosen, path), path, TABLE, options):  # noqa: B007
                    yield line, record
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
            shown = f"the query {query!r} fails" if query else "not a database that can be read"
            reason = f"{shown}: {error}" + (_LONG if isinstance(error, sqlite3.DataError) else "")
            raise DataError(reason, path=path, line=line + 1 if line else None) from error


def _rows(database: sqlite3.Connection, query: str, path: Path) -> Iterator[tuple[int, Row]]:
    cursor = database.execute(query)
    if cursor.description is None:
        raise DataError(f"the query {query!r} gives no rows; write a 'select ...'", path=path)
    yield 1, [column[0] for column in cursor.description]
    yield from enumerate(cursor, start=2)


def _only_table(database: sqlite3.Connection, path: Path) -> str:
    rows = database.execute("select name from sqlite_master where type in ('table', 'view') order by rowid")
    tables: list[str] = [name.decode("utf-8", "replace") for (name,) in rows if not name.startswith(b"sqlite_")]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise DataError("the database has no table: no entities", path=path)
    shown = ", ".join(tables[:20]) + (f" and {len(tables) - 20} more" if len(tables) > 20 else "")
    example = f'--query "select * from {_quoted(tables[0])}"'
    raise DataError(f"the database has {len(tables)} tables ({shown}); say which by a query: {example}", path=path)


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"' if not table.isidentifier() else table


def _only_reading(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
