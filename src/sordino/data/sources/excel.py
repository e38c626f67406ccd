"""Excel workbooks (.xlsx, .xlsm): one sheet, as the CSV that Excel would save it as.

What lies in a workbook is checked before its reader sees it: the XML parts are unpacked within the limit and handed
over unpacked, and a sheet whose cells would not fit into memory as a full rectangle is refused. So are sheets that do
not say what they hold: merged cells, formulas whose values were never stored, and numbers with more digits than a
spreadsheet keeps, of which two would be read as one.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import zipfile
from typing import Any

from sordino.data.sources.limits import check_size
from sordino.errors import InputError, MissingExtra, did_you_mean

__all__ = ["EXCEL", "is_workbook", "read_sheet"]

EXCEL = (".xlsx", ".xlsm")
PLACE = re.compile(rb'<c\b[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
NO_VALUE = re.compile(rb"<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
LONG = re.compile(rb"<c\b([^>]*)>(?:<f\b[^>]*(?:/>|>[^<]*</f>))?<v>(-?[0-9]{16,300})</v>")
TYPED = re.compile(rb"""\bt=["'](?!n["'])""")  # a cell that holds no number
CELL_BYTES = 32  # that a cell of the rectangle takes in memory, empty or not
SHOWN = 20  # names of sheets listed at most


def is_workbook(data: bytes) -> bool:
    """Whether these bytes are a zip file with a workbook inside."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def read_sheet(data: bytes, wanted: str | None, where: str) -> tuple[bytes, str]:
    """A sheet as CSV, and how it is called for users. Without a name, the only visible one."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("python-calamine", "excel", "Reading Excel workbooks") from None
    damaged = InputError("this is not a readable Excel workbook: damaged, or protected by a password", where=where)
    bare = _bare(data, where, damaged)
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(bare)) as workbook:
            sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
            seen = [sheet.name for sheet in sheets if sheet.visible == calamine.SheetVisibleEnum.Visible]
            name = _chosen(seen, [sheet.name for sheet in sheets], wanted, where)
            sheet = workbook.get_sheet_by_name(name)
            if sheet.merged_cell_ranges:
                raise InputError(
                    f"the sheet '{name}' has merged cells, of which only the first has a value",
                    where=where,
                    hint="Unmerge them, fill each cell, and let the header be the first row.",
                )
            rows = [[_text(cell) for cell in row] for row in sheet.to_python()]
    except (calamine.CalamineError, OSError, ValueError):  # their texts may quote cells
        raise damaged from None
    filled = [row for row in rows if any(row)]
    if not filled:
        raise InputError(f"the sheet '{name}' is empty", where=where)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(filled)
    hidden = len(sheets) - len(seen)
    notes = [f"the sheet '{name}' of an Excel workbook"]
    void = len(rows) - len(filled)
    notes += [f"{void:,} empty row{'' if void == 1 else 's'} left out"] if void else []
    notes += [f"{hidden:,} hidden sheet{'' if hidden == 1 else 's'} not read"] if hidden and wanted is None else []
    return text.getvalue().encode(), ", ".join(notes)


def _bare(data: bytes, where: str, damaged: InputError) -> bytes:
    """The same workbook with nothing but its XML, not packed: all that there is, is within the limit."""
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as bare:
            parts = [info for info in archive.infolist() if info.filename.endswith((".xml", ".rels"))]
            check_size(sum(info.file_size for info in parts), "the workbook", where)
            for info in parts:
                content = archive.read(info)  # not a byte more than it says
                if info.filename.startswith("xl/worksheets/") and info.filename.endswith(".xml"):
                    _check_cells(content, where)
                bare.writestr(info.filename, content)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, RuntimeError, NotImplementedError):
        raise damaged from None
    return out.getvalue()


def _check_cells(content: bytes, where: str) -> None:
    """InputError if the rectangle of a sheet is far too large, formulas have no values, or numbers lose digits."""
    width = height = 0
    for place in PLACE.finditer(content):
        letters, row = place.groups()
        column = 0
        for letter in letters:
            column = 26 * column + letter - 64
        width, height = max(width, column), max(height, int(row))
    check_size(width * height * CELL_BYTES, "a sheet of the workbook", where)
    if NO_VALUE.search(content):
        raise InputError(
            "a sheet has formulas without values: the program that wrote it did not compute them",
            where=where,
            hint="Open it in Excel or LibreOffice, save it, and try again.",
        )
    for attributes, digits in LONG.findall(content):
        if TYPED.search(attributes) is None and int(float(digits)) != int(digits):
            raise InputError(
                "a sheet has numbers of more digits than are kept there: two that differ may be read as one",
                where=where,
                hint="Store ids of more than 15 digits as text.",
            )


def _chosen(seen: list[str], names: list[str], wanted: str | None, where: str) -> str:
    listed = ", ".join(f"'{name}'" for name in seen[:SHOWN])
    if wanted is not None:
        if wanted not in names:
            near = did_you_mean(wanted, names)
            raise InputError(f"there is no sheet '{wanted}'.{near}", where=where, hint=f"The sheets are: {listed}.")
        return wanted
    if len(seen) == 1:
        return seen[0]
    if not seen:
        raise InputError("the workbook has no visible sheet of cells", where=where)
    raise InputError(
        f"the workbook has {len(seen):,} sheets: {listed}",
        where=where,
        hint=f"Say which to read: '{where}#{seen[0]}'",
    )


def _text(cell: Any) -> str:
    """A cell as Excel would write it into CSV: whole numbers without a point, dates as 2024-01-31."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat(sep=" ")
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell).replace("\r\n", "\n").replace("\r", "\n").strip()
