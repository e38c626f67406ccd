"""Packed files, workbooks and folders: the same records whatever they lie in, and what is not clear is refused."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from forging import reseal
from sordino.data.how_read import how_read
from sordino.errors import InputError
from workbook import Raw, date, workbook

TEXT = b"user,item\n1,a\n1,b\n2,a\n"
RECORDS = [{"a", "b"}, {"a"}]
MERGED = '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>'


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


PACKERS = {".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd, ".zip": lambda data: zipped(x__csv=data)}


@pytest.mark.parametrize("ending", PACKERS)
def test_the_same_records_however_they_are_packed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(PACKERS[ending](TEXT))
    baskets = sordino.read_baskets(path)
    assert list(baskets) == RECORDS
    assert how_read(baskets).split("header, from ")[1].startswith(("a ", "an xz file", "'x.csv' in a zip file"))
    assert sordino.read_table(path).names == ("user", "item")
    release = sordino.protect(path, sordino.InferencePolicy(["b"], "0.5"), seed=1)
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds
    assert (tmp_path / "out" / "publish" / "data.csv").exists()  # published unpacked


@pytest.mark.parametrize("ending", PACKERS)
def test_damaged_and_cut_and_misnamed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.csv{ending}"
    packed = PACKERS[ending](TEXT * 50)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="damaged"):
        sordino.read_baskets(path)
    path.write_bytes(TEXT)
    with pytest.raises(InputError, match="but the content is not"):
        sordino.read_baskets(path)
    plain = tmp_path / "x.csv"
    plain.write_bytes(packed)
    with pytest.raises(InputError, match=f"Let its name end in {ending}"):
        sordino.read_baskets(plain)


@pytest.mark.parametrize("ending", PACKERS)
def test_bombs(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(PACKERS[ending](b"a,b\n" * 1_000_000))
    monkeypatch.setenv("SORDINO_MAX_BYTES", "1000000")
    with pytest.raises(InputError, match="unpacks to more than 1,000,000 bytes"):
        sordino.read_baskets(path)


def test_streams_one_after_the_other(tmp_path: Path) -> None:
    for ending in (".bz2", ".xz", ".zst"):
        path = tmp_path / f"x.csv{ending}"
        path.write_bytes(PACKERS[ending](TEXT) + PACKERS[ending](b"3,c\n"))
        assert len(sordino.read_baskets(path)) == 3


@pytest.mark.parametrize("between", [b"X", b"\0" * 16, b"BZ"])
def test_damage_behind_a_stream_is_no_end(tmp_path: Path, between: bytes) -> None:
    """What follows would not be read, and nobody would know."""
    path = tmp_path / "x.csv.bz2"
    path.write_bytes(bz2.compress(TEXT) + between + bz2.compress(b"3,c\n"))
    with pytest.raises(InputError, match="damaged"):
        sordino.read_baskets(path)


def test_a_zip_file_with_two_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a.csv", TEXT)
        archive.writestr("a.csv", b"a,b\n")
    with pytest.raises(InputError, match="there are 2 files of this name in it"):
        sordino.read_baskets(f"{path}#a.csv")


def test_a_zip_file_of_several(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(a__csv=TEXT, b__csv=b"a,b\nc\n"))
    with pytest.raises(InputError, match=r"holds 2 files: a.csv, b.csv\n.*x.zip#a.csv"):
        sordino.read_baskets(path)
    assert list(sordino.read_baskets(f"{path}#a.csv")) == RECORDS
    with pytest.raises(InputError, match=r"there is no 'c\.csv' in it"):
        sordino.read_baskets(f"{path}#c.csv")
    path.write_bytes(zipped(a__csv__gz=b""))
    with pytest.raises(InputError, match="packed once more"):
        sordino.read_baskets(path)


def test_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    rows = [["user", "item", "day", "paid"], [1, "a", date(45292), True], [1.0, "b; c", date(45293), False], [2, "a"]]
    path.write_bytes(workbook({"Sales": rows}))
    table = sordino.read_table(path)
    assert [[column.text(column.codes[u]) for column in table.columns] for u in range(3)] == [
        ["1", "a", "2024-01-01", "true"],
        ["1", "b; c", "2024-01-02", "false"],
        ["2", "a", "(missing)", "(missing)"],
    ]
    assert "from the sheet 'Sales' of an Excel workbook" in how_read(table)
    baskets = sordino.read_baskets(path, record="user", item="item")
    assert list(baskets) == [{"a", "b; c"}, {"a"}]
    sordino.protect(baskets, sordino.InferencePolicy(["b; c"], "0.5"), seed=1).write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds


def test_sheets_by_name(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    rows = [["user", "item"], [1, "a"], [1, "b"], [2, "a"]]
    path.write_bytes(workbook({"One": [["x"]], "Two": rows, "Notes": [["y"]]}, hidden=["Notes"]))
    with pytest.raises(InputError, match=r"2 sheets: 'One', 'Two'\n.*x.xlsx#One"):
        sordino.read_baskets(path)
    assert list(sordino.read_baskets(f"{path}#Two")) == RECORDS
    with pytest.raises(InputError, match=r"there is no sheet 'Tow'\. Did you mean 'Two'"):
        sordino.read_baskets(f"{path}#Tow")
    path.write_bytes(workbook({"Two": rows, "Notes": [["y"]]}, hidden=["Notes"]))
    assert "1 hidden sheet not read" in how_read(sordino.read_baskets(path))


def test_baskets_in_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook({"S": [["a", "b", "c"], ["a"], [], ["c", "b"]]}))
    baskets = sordino.read_baskets(path, layout="baskets")
    assert list(baskets) == [{"a", "b", "c"}, {"a"}, {"b", "c"}]
    assert "1 empty row left out" in how_read(baskets)


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        (workbook({"S": [["a", "b"], ["c", "d"]]}, after=MERGED), "merged"),
        (workbook({"S": [["a", "b"], ["c", Raw("><f>1+1</f>")]]}), "formulas without values"),
        (workbook({"S": [["a", "b"], [12345678901234567, "d"]]}), "more digits than are kept"),
        (workbook({"S": [["a", "b"], [Raw(' t="n"><f>A1</f><v>-9007199254740993</v>'), "d"]]}), "more digits"),
        (workbook({"S": [[]]}), "is empty"),
        (b"PK\x03\x04 nonsense", "not a readable Excel workbook"),
        (b"a,b\n", "not a readable Excel workbook"),
    ],
)  # fmt: skip
def test_sheets_that_do_not_say_what_they_hold(tmp_path: Path, sheet: bytes, said: str) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(sheet)
    with pytest.raises(InputError, match=said):
        sordino.read_table(path)


def test_long_numbers_that_are_kept(tmp_path: Path) -> None:
    """As text, as what a formula made a text, or because all their digits survive."""
    held = ["12345678901234567", Raw(' t="str"><f>A1</f><v>12345678901234567</v>'), 2**60, 10**18]
    (tmp_path / "x.xlsx").write_bytes(workbook({"S": [["id"], *([each] for each in held)]}))
    assert len(sordino.read_table(tmp_path / "x.xlsx")) == 4


def test_a_sheet_of_two_far_corners(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    small = workbook({"S": [["a", "b"], ["c", "d"]]})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(small)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'"B2"', b'"XFD1048576"'))
    path.write_bytes(out.getvalue())
    with pytest.raises(InputError, match="a sheet of the workbook unpacks to more than"):
        sordino.read_table(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "sales"
    for year, rows in ((2023, {"user": ["1", "1"], "item": ["a", "b"]}), (2024, {"user": ["2"], "item": ["a"]})):
        (root / f"year={year}").mkdir(parents=True)
        parquet.write_table(pa.table(rows), root / f"year={year}" / "part-0.parquet")
    (root / "_SUCCESS").write_text("")
    return root


def test_a_folder_of_parquet(folder: Path, tmp_path: Path) -> None:
    baskets = sordino.read_baskets(folder)
    assert list(baskets) == RECORDS
    assert how_read(baskets).endswith("from a folder of 2 Parquet files. Not read: the column 'year'.")
    by_year = sordino.read_baskets(folder, record="year", item="item")
    assert by_year.ids == ("2023", "2024")
    table = sordino.read_table(str(folder))
    assert [(column.name, column.kind) for column in table.columns] == [
        ("user", "text"),
        ("item", "text"),
        ("year", "integer"),
    ]
    policy = sordino.InferencePolicy(["b"], "0.4")
    assert not sordino.audit(str(folder), policy).holds
    sordino.protect(folder, policy, seed=1).write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds
    assert sordino.audit(tmp_path / "out").holds  # a release is still a release
    assert sordino.inspect(folder).kind == "baskets"


def test_a_folder_is_read_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_MAX_BYTES", "40")
    with pytest.raises(InputError, match="the folder of Parquet files unpacks to more than 40 bytes"):
        sordino.read_baskets(folder)
    monkeypatch.delenv("SORDINO_MAX_BYTES")
    (folder / "year=2024" / "more.csv").write_text("user,item\n3,hiv\n")
    with pytest.raises(InputError, match="1 of 3 files in this folder are not Parquet"):
        sordino.read_baskets(folder)
    (folder / "year=2024" / "more.csv").unlink()
    parquet.write_table(pa.table({"user": ["1"], "thing": ["a"]}), folder / "year=2024" / "part-1.parquet")
    with pytest.raises(InputError, match="have not the same columns"):
        sordino.read_baskets(folder)
    (folder / "year=2024" / "part-1.parquet").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        sordino.read_baskets(folder)


def test_a_folder_with_data_that_others_leave_out(folder: Path) -> None:
    parquet.write_table(pa.table({"user": ["3"], "item": ["hiv"]}), folder / "_part.parquet")
    with pytest.raises(InputError, match="1 Parquet files in this folder have names"):
        sordino.read_baskets(folder)
    (folder / "_part.parquet").unlink()
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "0.json").write_text("{}")
    with pytest.raises(InputError, match="this is a Delta table"):
        sordino.read_baskets(folder)


def test_the_digest_of_a_folder_is_that_of_its_files(folder: Path) -> None:
    before: Any = sordino.read_baskets(folder).origin.sha256
    assert sordino.read_baskets(folder).origin.sha256 == before
    parquet.write_table(pa.table({"user": ["2"], "item": ["c"]}), folder / "year=2024" / "part-0.parquet")
    assert sordino.read_baskets(folder).origin.sha256 != before


def test_no_release_is_packed_otherwise(tmp_path: Path) -> None:
    """A verifier that unpacked what other checkers do not would give another answer than they."""
    table = sordino.read_table([{"job": job, "ill": ill} for job in "ab" for ill in ("yes", "no", "no")])
    policy = sordino.TemplatePolicy([sordino.Template(["job"], "ill", "yes", "0.5")])
    sordino.protect(table, policy, seed=1).write(tmp_path / "out")
    publish = tmp_path / "out" / "publish"
    assert sordino.verify(publish).holds
    old = next(path for path in publish.iterdir() if path.name.startswith("data."))
    packed = publish / f"{old.name}.zst"
    packed.write_bytes(zstd(old.read_bytes()))
    old.unlink()

    def renamed(document: dict[str, Any]) -> None:
        text = json.dumps(document).replace(f'"{old.name}"', f'"{packed.name}"')
        document.update(json.loads(text))
        document["files"].pop(old.name, None)

    reseal(publish, renamed)
    verdict = sordino.verify(publish)
    assert not verdict.holds
    assert "malformed" in verdict.reason  # names of data files are pinned
