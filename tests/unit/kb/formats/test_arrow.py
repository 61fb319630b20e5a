"""Parquet and Arrow, and tables in memory of the libraries that have them."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import THINGS, arrow_table

FLAT = {"id": [1, 2], "title": ["Paris", "Troy"], "aliases": ["City of Light|Lutèce", None], "count": [5, None]}


def of_duckdb(_):
    return duckdb.sql("select 1 as id, 'Paris' as title, ['City of Light', 'Lutèce'] as aliases, 5 as count")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, of_duckdb])
def test_a_table_of_any_library_is_a_knowledge_base(make):
    kb = KnowledgeBase.from_table(make(FLAT))
    assert kb.title(0) == "Paris" and kb.entity("1").count == 5
    assert [alias.text for alias in kb.entity("1").aliases] == ["City of Light", "Lutèce"]


def test_columns_of_lists_and_structures_keep_their_shape():
    aliases = [[{"text": "Parigi", "lang": "it", "count": 3}, {"text": "Lutèce", "lang": None, "count": None}]]
    descriptions = pa.array([[("en", "capital"), ("de", "Hauptstadt")]], pa.map_(pa.string(), pa.string()))
    table = pa.table({"ID": ["Q90"], "Title": ["Paris"], "aliases": aliases, "descriptions": descriptions})
    entity = KnowledgeBase.from_table(table).entity("Q90")
    assert [(alias.text, alias.lang, alias.count) for alias in entity.aliases] == [
        ("Parigi", "it", 3),
        ("Lutèce", "", 0),
    ]
    assert entity.descriptions == {"en": "capital", "de": "Hauptstadt"}


def test_what_is_wrong_with_a_row_is_said_with_its_number():
    with pytest.raises(DataError, match=r"records, line 2: 'title' is empty|records, line 2: no 'title'"):
        KnowledgeBase.from_table(pa.table({"id": ["1", "2"], "title": ["a", None]}))
    with pytest.raises(DataError, match="no column or field of names found among 'x'"):
        KnowledgeBase.from_table(pa.table({"x": ["1"]}))
    with pytest.raises(DataError, match="not a table but list; give a data frame"):
        KnowledgeBase.from_table([1])


def test_a_column_that_is_there_twice_is_an_error():
    table = pa.Table.from_arrays([pa.array(["1"]), pa.array(["a"]), pa.array(["b"])], names=["id", "title", "Title"])
    with pytest.raises(DataError, match="a column is there twice: title"):
        KnowledgeBase.from_table(table)


def test_files_are_read_in_batches(tmp_path):
    table = pa.table({"id": list(range(10_000)), "title": [f"t{n}" for n in range(10_000)]})
    parquet.write_table(table, tmp_path / "list.parquet", row_group_size=300)
    kb = KnowledgeBase.read(tmp_path / "list.parquet")
    assert len(kb) == 10_000 and kb.ids[9_999] == "9999"


def test_a_bad_row_of_a_file_is_named(tmp_path):
    table = arrow_table(THINGS).to_pydict() | {"count": [1, -1, 0]}
    parquet.write_table(pa.table(table), tmp_path / "list.parquet")
    with pytest.raises(DataError, match=r"list\.parquet, line 3: 'count' must be a whole number from 0"):
        KnowledgeBase.read(tmp_path / "list.parquet")
