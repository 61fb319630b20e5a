"""Spreadsheets to records: the first sheet that is not empty, read as the CSV file it would be saved as.

python-calamine (extra `excel`) reads .xlsx, .xlsm, .xlsb, .xls and .ods. A sheet is in memory as a whole, so the
unpacked size of a workbook is limited.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

from deixis.errors import DataError
from deixis.kb.formats.signatures import ZIP_DAMAGE
from deixis.kb.formats.table_rows import Records, Row, read_rows
from deixis.kb.read_options import ReadOptions
from deixis.store.files import unpacked

_CELL = 32  # bytes of a cell in memory, empty or not
_REFERENCE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]+)([0-9]+)["']""")
_FAR = re.compile(rb"""\br\s*=\s*["'](?:[A-Za-z]{2}|[A-Za-z][0-9]{7})""")
_CHUNK, _OVERLAP = 1 << 20, 64


def read_excel(path: Path, options: ReadOptions | None = None) -> Records:
    """The records of a workbook, numbered as its rows are."""
    options = options or ReadOptions()
    with unpacked(path, options.max_whole) as file:
        try:
            _check_size(file, path, options)
            with CalamineWorkbook.from_path(file) as workbook:
                yield from read_rows(_rows(workbook), path, options=options)
        except (CalamineError, *ZIP_DAMAGE) as error:
            raise DataError(f"not a workbook that can be read: {error}; save it as .xlsx or CSV", path=path) from error


def _rows(workbook: CalamineWorkbook) -> Iterator[tuple[int, Row]]:
    for index in range(len(workbook.sheet_names)):
        if workbook.sheets_metadata[index].typ != SheetTypeEnum.WorkSheet:
            continue
        sheet = workbook.get_sheet_by_index(index)
        if sheet.start is not None:
            yield from enumerate(sheet.iter_rows(), start=1)
            return


def _check_size(file: Path, path: Path, options: ReadOptions) -> None:
    if not zipfile.is_zipfile(file):
        return  # .xls
    with zipfile.ZipFile(file) as archive:
        size = sum(each.file_size for each in archive.infolist())
        what = "when unpacked"
        if size <= options.max_whole:
            sheets = [each for each in archive.infolist() if each.filename.startswith("xl/worksheets/")]
            size = max((_size_in_memory(archive, sheet) for sheet in sheets), default=0)
            what = "in memory, because a cell far from the others makes the sheet large"
    if size > options.max_whole:
        limit = f"at most {options.max_whole / 1e9:.1f} GB are read"
        higher = f"--limits unpacked={(size // options.max_whole + 1) * options.max_unpacked}"
        raise DataError(f"{size / 1e9:.1f} GB {what}, {limit}; save it as CSV, or raise the limit: {higher}", path=path)


def _size_in_memory(archive: zipfile.ZipFile, sheet: zipfile.ZipInfo) -> int:
    """Bytes of the rectangle around all cells of a sheet; 0 if it has at most 26 columns and a million rows."""
    if not any(_FAR.search(text) for text in _texts(archive, sheet)):
        return 0
    n_rows, last_column = 0, b""
    for text in _texts(archive, sheet):
        for column, row in _REFERENCE.findall(text):
            n_rows = max(n_rows, int(row[:12]))
            last_column = max(last_column, column.upper(), key=lambda name: (len(name), name))
    n_columns = sum((letter - 64) * int(26**power) for power, letter in enumerate(reversed(last_column[-6:])))
    return n_rows * n_columns * _CELL


def _texts(archive: zipfile.ZipFile, sheet: zipfile.ZipInfo) -> Iterator[bytes]:
    """The pieces of a sheet, each with the end of the one before."""
    end = b""
    with archive.open(sheet) as stream:
        while chunk := stream.read(_CHUNK):
            yield end + chunk
            end = chunk[-_OVERLAP:]
