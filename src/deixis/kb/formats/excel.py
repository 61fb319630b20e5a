"""Spreadsheets to records: the first sheet that is not empty, read as the CSV file it would be saved as.

python-calamine (extra `excel`) reads .xlsx, .xlsm, .xlsb, .xls and .ods. A sheet is in memory as a whole, so the
unpacked size of a workbook is limited.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

from deixis.errors import DataError
from deixis.kb.formats.table_rows import Records, Row, read_rows
from deixis.kb.read_options import ReadOptions
from deixis.store.files import unpacked

_SHARE = 16  # of the limit of other files, because a sheet is held in memory; a million rows have less than 1 GB


def read_excel(path: Path, options: ReadOptions | None = None) -> Records:
    """The records of a workbook, numbered as its rows are."""
    options = options or ReadOptions()
    with unpacked(path) as file:
        try:
            _check_size(file, path, options.max_unpacked // _SHARE)
            with CalamineWorkbook.from_path(file) as workbook:
                yield from read_rows(_rows(workbook), path, options=options)
        except (CalamineError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError) as error:
            raise DataError(f"not a workbook that can be read: {error}; save it as .xlsx or CSV", path=path) from error


def _rows(workbook: CalamineWorkbook) -> Iterator[tuple[int, Row]]:
    for index in range(len(workbook.sheet_names)):
        if workbook.sheets_metadata[index].typ != SheetTypeEnum.WorkSheet:
            continue
        sheet = workbook.get_sheet_by_index(index)
        if sheet.start is not None:
            yield from enumerate(sheet.iter_rows(), start=1)
            return


def _check_size(file: Path, path: Path, max_unpacked: int) -> None:
    if not zipfile.is_zipfile(file):
        return  # .xls
    with zipfile.ZipFile(file) as archive:
        size = sum(each.file_size for each in archive.infolist())
    if size > max_unpacked:
        limit = f"at most {max_unpacked / 1e9:.1f} GB are read"
        way_out = f"save it as CSV, or raise the limit: --limits unpacked={size * _SHARE / 1e9:.0f}GB"
        raise DataError(f"{size / 1e9:.1f} GB when unpacked, {limit}; {way_out}", path=path)
