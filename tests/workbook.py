"""Small Excel workbooks, written by hand: what a cell holds is what the test says, and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>'
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# Number format 14 is a date.
STYLES = (
    f'<?xml version="1.0"?><styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
    "</cellXfs></styleSheet>"
)


class Raw(str):
    """The XML of a cell, as it is."""


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: Sequence[str] = (), after: str = "") -> bytes:
    """A workbook of these sheets; `after` is XML behind the cells of each."""
    out = io.BytesIO()
    listed, related = "", ""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("xl/styles.xml", STYLES)
        for number, (name, rows) in enumerate(sheets.items(), 1):
            state = ' state="hidden"' if name in hidden else ""
            listed += f'<sheet name="{escape(name)}" sheetId="{number}"{state} r:id="rId{number}"/>'
            related += f'<Relationship Id="rId{number}" Type="{kind}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            cells = "".join(
                f'<row r="{r}">'
                + "".join(_cell(value, f"{chr(64 + c)}{r}") for c, value in enumerate(row, 1))
                + "</row>"
                for r, row in enumerate(rows, 1)
            )
            text = f'<?xml version="1.0"?><worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData>{after}</worksheet>'
            archive.writestr(f"xl/worksheets/sheet{number}.xml", text)
        related += f'<Relationship Id="rId99" Type="{kind}/styles" Target="styles.xml"/>'
        archive.writestr(
            "xl/workbook.xml",
            f'<?xml version="1.0"?><workbook xmlns="{MAIN}" xmlns:r="{kind}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f"{related}</Relationships>",
        )
    return out.getvalue()


def date(days: int) -> Raw:
    """A day, as Excel counts them."""
    return Raw(f' s="1"><v>{days}</v>')


def _cell(value: object, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, Raw):
        return f'<c r="{place}"{value}</c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
