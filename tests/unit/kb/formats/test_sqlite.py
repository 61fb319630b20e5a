"""SQLite: the only table, a query, and nothing that writes."""

import sqlite3

import pytest

from deixis.errors import ConfigError, DataError
from deixis.kb.formats import open_records
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import ReadOptions


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "my lists #1?.db"
    database = sqlite3.connect(path)
    database.execute("create table cities (code, name, other)")
    database.execute("insert into cities values (1, 'Paris', 'Lutèce|City of Light'), (2, 'Troy', null)")
    database.execute('create table "old ones" (id, title)')
    database.commit()
    database.close()
    return path


def test_of_several_tables_a_query_must_choose(path):
    with pytest.raises(DataError, match=r"has 2 tables \(cities, old ones\); say which by a query"):
        KnowledgeBase.read(path)
    query = "select code as id, name as title, other as aliases from cities order by code"
    opened = open_records(path, ReadOptions(query=query))
    format, records = opened.format, opened.records
    assert format == "sqlite"
    assert list(records) == [
        (2, {"id": "1", "title": "Paris", "aliases": "Lutèce|City of Light"}),
        (3, {"id": "2", "title": "Troy", "aliases": None}),
    ]


@pytest.mark.parametrize(
    "query",
    [
        "delete from cities",
        "attach 'other.db' as other",
        "pragma journal_mode = wal",
        "select load_extension('x')",
        "select * from nowhere",
        "select",
        "vacuum into 'copy.db'",
        "create table x (id)",
        "select 1; select 2",
        "",
    ],
)
def test_a_query_can_only_read(path, query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = path.read_bytes()
    with pytest.raises(DataError, match="the query|has 2 tables"):
        list(open_records(path, ReadOptions(query=query)).records)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_query_is_for_databases_only(tmp_path):
    (tmp_path / "kb.csv").write_text("id,title\n1,Paris\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="A query is for SQLite databases"):
        open_records(tmp_path / "kb.csv", ReadOptions(query="select 1"))


def test_text_that_is_not_utf8_is_an_error_of_its_row(tmp_path):
    database = sqlite3.connect(tmp_path / "kb.sqlite")
    database.execute("create table cities (id, title)")
    database.execute("insert into cities values (1, 'Paris'), (2, cast(x'636166e9' as text))")
    database.commit()
    database.close()
    with pytest.raises(DataError, match=r"line 3: not valid UTF-8: byte 0xe9"):
        KnowledgeBase.read(tmp_path / "kb.sqlite")
    assert len(KnowledgeBase.read(tmp_path / "kb.sqlite", skip_bad=True)) == 1


def test_a_database_without_tables_has_no_entities(tmp_path):
    database = sqlite3.connect(tmp_path / "kb.sqlite")
    database.execute("pragma user_version = 1")
    database.commit()
    database.close()
    with pytest.raises(DataError, match="the database has no table"):
        KnowledgeBase.read(tmp_path / "kb.sqlite")
