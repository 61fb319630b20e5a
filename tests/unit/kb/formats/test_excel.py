"""Spreadsheets: rows by their header, whatever stands around the table, and workbooks that are none."""

import io
import random
import zipfile
from datetime import datetime

import openpyxl
import pytest

from deixis.errors import DataError
from deixis.kb.formats import open_records
from deixis.kb.formats.excel import read_excel
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import ReadOptions
from tests.contracts.test_list_formats import mutated
from tests.list_files import LISTS, THINGS


def saved(workbook, folder):
    path = folder / "list.xlsx"
    workbook.save(path)
    return path


def test_the_table_may_stand_anywhere_on_the_first_sheet_that_has_one(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.create_chartsheet("chart")
    sheet = workbook.create_sheet("list")
    for cell, value in {"B3": "id", "C3": "title", "B4": 1, "C4": "Paris", "B6": 2, "C6": "Troy"}.items():
        sheet[cell] = value
    assert list(open_records(saved(workbook, tmp_path)).records) == [
        (4, {"id": "1", "title": "Paris"}),
        (6, {"id": "2", "title": "Troy"}),
    ]


def test_cells_are_read_as_they_are_shown(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.append(["id", "title", "aliases", "description"])
    workbook.active.append([7, "=1+1", 'a "quoted", one|two\nlines', datetime(2026, 1, 2)])
    workbook.active["B2"].data_type = "s"
    ((_, record),) = open_records(saved(workbook, tmp_path)).records
    assert record["id"] == "7"
    assert record["aliases"] == 'a "quoted", one|two\nlines'
    assert record["description"].startswith("2026-01-02")


def test_a_bad_row_is_named_as_the_spreadsheet_numbers_it(tmp_path):
    workbook = openpyxl.Workbook()
    for row in (["id", "title"], [1, "Paris"], [], [None, "Troy"]):
        workbook.active.append(row)
    with pytest.raises(DataError, match=r"list\.xlsx, line 4: no 'id'"):
        KnowledgeBase.read(saved(workbook, tmp_path))


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path):
    path = LISTS["excel"].file(THINGS, tmp_path)
    with pytest.raises(DataError, match="GB when unpacked, at most"):
        list(read_excel(path, ReadOptions(max_unpacked=16_000)))


@pytest.mark.parametrize("seed", range(40))
def test_a_workbook_with_damaged_sheets_is_read_or_an_error(tmp_path, seed):
    path = LISTS["excel"].file(THINGS, tmp_path)
    chance, damaged = random.Random(seed), io.BytesIO()
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(damaged, "w") as copy:
        chosen = chance.choice(whole.namelist())
        for name in whole.namelist():
            copy.writestr(name, mutated(whole.read(name), chance) if name == chosen else whole.read(name))
    path.write_bytes(damaged.getvalue())
    try:
        assert len(KnowledgeBase.read(path)) <= len(THINGS)
    except DataError as error:
        assert str(path) in str(error) and error.reason.isprintable()


def test_entities_in_a_sheet_are_not_expanded(tmp_path):
    path, changed = LISTS["excel"].file(THINGS, tmp_path), io.BytesIO()
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(changed, "w") as copy:
        for name in whole.namelist():
            text = whole.read(name)
            if name == "xl/sharedStrings.xml":
                text = b'<!DOCTYPE sst [<!ENTITY x "expanded">]>' + text.replace(b"City of Light", b"&x;")
            copy.writestr(name, text)
    path.write_bytes(changed.getvalue())
    try:
        names = KnowledgeBase.read(path).names_of(0)
    except DataError as error:
        names = [error.reason]
    assert not any("expanded" in name for name in names)


def test_a_cell_far_from_the_others_is_refused_before_memory_is_taken_for_all_between(tmp_path):
    workbook = openpyxl.Workbook()
    for cell, value in {"A1": "id", "B1": "title", "A2": 1, "B2": "Paris", "XFD1048576": "far"}.items():
        workbook.active[cell] = value
    with pytest.raises(DataError, match=r"list\.xlsx: 549\.8 GB in memory, .* --limits unpacked=\d+"):
        KnowledgeBase.read(saved(workbook, tmp_path))


def test_a_sheet_of_many_columns_is_read(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.append(["id", "title", *(f"property {number}" for number in range(100))])
    workbook.active.append([1, "Paris", *range(100)])
    assert KnowledgeBase.read(saved(workbook, tmp_path)).entity(0).title == "Paris"
