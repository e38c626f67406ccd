"""Reading baskets: which format and layout a source has, and bad bytes in any."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import scipy.sparse as sp

from reading import SECRET, refused, sets
from sordino.data.read import read_baskets
from sordino.data.sources import bytes as opening

DATA = Path(os.environ.get("SORDINO_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


class TestRecognition:
    @pytest.mark.parametrize(
        ("content", "form"),
        [
            (b"1 2\n3\n", ("fimi", "fimi")),
            (b"a b,c\n", ("csv", "baskets")),
            (b"tid,item\n1,tea\n", ("csv", "long")),
            (b"tid;item\n1;tea\n", ("csv", "long")),
            (b'["a"]\n', ("jsonl", "list")),
            (b'\xef\xbb\xbf{"tid": 1, "item": "a"}\n', ("jsonl", "long")),
        ],
    )
    @pytest.mark.parametrize("zipped", [False, True])
    def test_content_tells(
        self, put: Any, monkeypatch: pytest.MonkeyPatch, content: bytes, form: tuple[str, str], zipped: bool
    ) -> None:
        content = gzip.compress(content) if zipped else content
        named = read_baskets(put("x.unknown", content))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        piped = read_baskets("-")
        for baskets in (named, piped):
            assert (baskets.origin.format, baskets.origin.layout, baskets.origin.gzipped) == (*form, zipped)
        assert piped.origin.path == "-"
        assert piped.origin.sha256 == hashlib.sha256(content).hexdigest()
        assert piped.fingerprint == named.fingerprint

    def test_parquet_on_standard_input(self, parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        content = parquet({"tid": ["1"], "item": ["tea"]}).read_bytes()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert sets(read_baskets("-")) == [{"tea"}]

    def test_errors_on_standard_input_say_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'["zebra"]\n[')))
        assert refused("-").where == "standard input, line 2"

    def test_stated_columns_make_it_long(self, put: Any) -> None:
        assert read_baskets(put("x.txt", "a b\n1 tea\n".replace(" ", ";")), record="a", item="b").ids == ("1",)

    def test_layouts_that_do_not_fit(self, put: Any) -> None:
        assert "Did you mean 'baskets'?" in refused(put("x.csv", SECRET), layout="basket").what
        assert "does not fit" in refused(put("x.csv", SECRET), layout="list").what
        assert "does not fit" in refused(put("x.jsonl", '["zebra"]'), layout="baskets").what
        assert "no columns" in refused(put("x.dat", SECRET), record="a").what
        assert "no columns" in refused(put("x.csv", SECRET), layout="baskets", item="a").what

    def test_one_content_in_every_form(self, put: Any, parquet: Any) -> None:
        """Names, codes and fingerprint depend on the content only."""
        read = [
            read_baskets(put("x.dat", "10 9\n\n9 2\n")),
            read_baskets(put("x.csv", "10,9\n\n9,2\n")),
            read_baskets(put("y.csv", "tid,item\na,10\na,9\nb,\nc,9\nc,2\n")),
            read_baskets(put("x.jsonl", "[10, 9]\n[]\n[9, 2]\n")),
            read_baskets(parquet({"items": [["10", "9"], [], ["9", "2"]]})),
            read_baskets(sp.csr_array(([1, 1, 1, 1], ([0, 0, 2, 2], [10, 9, 9, 2])), shape=(3, 12))),
            read_baskets([{10, 9}, [], (9, 2)]),
            read_baskets(pl.DataFrame({"items": [[10, 9], [], [9, 2]]})),
        ]
        assert {baskets.names for baskets in read} == {("2", "9", "10")}
        assert {tuple(baskets.items.tolist()) for baskets in read} == {(1, 2, 0, 1)}
        assert {tuple(baskets.indptr.tolist()) for baskets in read} == {(0, 2, 2, 4)}
        assert len({baskets.fingerprint for baskets in read}) == 1


class TestBadBytes:
    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl", "x.unknown", "x.parquet"])
    def test_empty_file(self, put: Any, name: str) -> None:
        assert "no records" in refused(put(name, b"")).what
        assert "no records" in refused(put(name + ".gz", gzip.compress(b""))).what
        assert "no records" in refused(put(name + ".gz", b"")).what

    def test_only_a_byte_order_mark(self, put: Any) -> None:
        assert "no records" in refused(put("x.dat", b"\xef\xbb\xbf")).what

    def test_empty_file_stated_long(self, put: Any) -> None:
        assert "no records" in refused(put("x.csv", b""), layout="long").what

    def test_gzip_cut_short_or_damaged(self, put: Any) -> None:
        whole = gzip.compress(b"zebra 1 2\n" * 1000)
        assert "cut short" in refused(put("x.dat.gz", whole[:-9])).what
        assert "cut short" in refused(put("x.dat.gz", whole[:5])).what
        assert "damaged" in refused(put("x.dat.gz", whole[:-8] + bytes(8))).what
        assert "damaged" in refused(put("x.dat.gz", whole[:10] + b"\xff" * 20)).what
        assert "not gzip" in refused(put("x.dat.gz", b"zebra\n")).what

    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl"])
    def test_nul_byte(self, put: Any, name: str) -> None:
        error = refused(put(name, b"zebra\nzebra\nze\0bra\n"))
        assert "binary" in error.what
        assert error.where is not None
        assert error.where.endswith(f"{name}, line 3")

    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl"])
    def test_invalid_utf8(self, put: Any, name: str) -> None:
        error = refused(put(name, b"\xef\xbb\xbfzebra\r\nzebra \xe9t\xe9\r\n"))
        assert "UTF-8" in error.what
        assert "Save the file as UTF-8" in str(error)
        assert error.where is not None
        assert error.where.endswith(f"{name}, line 2")

    def test_utf16(self, put: Any) -> None:
        assert "UTF-16" in refused(put("x.csv", "zebra,a\n".encode("utf-16"))).what

    def test_bare_carriage_return(self, put: Any) -> None:
        error = refused(put("x.dat", b"zebra\r\n1\r2\r"))
        assert "carriage return" in error.what
        assert error.where is not None
        assert error.where.endswith("line 2")

    def test_line_limit(self, put: Any) -> None:
        limit = opening.LINE_LIMIT
        assert limit == 10_000_000
        path = put("x.dat", b"1\n2 " + b"3" * (limit - 2) + b"\n4\n")
        error = refused(path)
        assert "10,000,000" in error.what
        assert error.where is not None
        assert error.where.endswith("x.dat, line 2")
        path.write_bytes(b"1\n2 " + b"3" * (limit - 3) + b"\n4\n")
        assert len(read_baskets(path)) == 3

    def test_overlong_last_line_without_newline(self, put: Any) -> None:
        error = refused(put("x.csv", b"1\n" + b"3" * opening.LINE_LIMIT))
        assert error.where is not None
        assert error.where.endswith("line 2")

    def test_missing_file(self, put: Any) -> None:
        path = put("retail.dat", "1\n")
        error = refused(path.with_name("retial.dat"))
        assert "no such file" in error.what
        assert "Did you mean 'retail.dat'?" in error.what
        assert "no such file" in refused(path.parent / "nowhere" / "x.dat").what

    def test_folder(self, tmp_path: Path) -> None:
        assert "folder" in refused(tmp_path).what

    def test_unusable_name(self) -> None:
        assert "file name" in refused("a\0b").what

    @pytest.mark.parametrize(
        ("raised", "word"), [(PermissionError(13, "x"), "permission"), (OSError(5, "I/O error"), "I/O error")]
    )
    def test_unreadable_file(self, put: Any, monkeypatch: pytest.MonkeyPatch, raised: OSError, word: str) -> None:
        def fail(_: Path) -> bytes:
            raise raised

        path = put("x.dat", SECRET)
        monkeypatch.setattr(Path, "read_bytes", fail)
        assert word in refused(path).what


def test_reading_does_not_import_what_it_does_not_need(put: Any) -> None:
    path, text = put("x.jsonl", json.dumps(["a"])), put("x.dat", b"a b\n")
    code = (
        "import sys\nfrom sordino.data.read import read_baskets\nimport sordino.data.write\n"
        "heavy = {'pandas', 'polars', 'scipy', 'numba', 'pyarrow', 'duckdb'}\nprint(sorted(heavy & set(sys.modules)))\n"
        f"read_baskets({str(path)!r})\nprint(sorted(heavy & set(sys.modules)))\n"
        f"old = read_baskets({str(text)!r})\nfrom dataclasses import replace\n"
        "from sordino.release.baskets.changes import changes_table, find_deletions\n"
        "new = replace(old, indptr=old.indptr[[0, 0]], items=old.items[:0])\n"
        "table = changes_table(old, find_deletions(old, new), old.indptr[:-1] + 1)\n"
        "assert table.column('item').to_pylist() == ['a', 'b']\nprint(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert done.stdout.split("\n")[:3] == ["[]", "[]", "['pyarrow']"]


@pytest.mark.parametrize(
    ("name", "records", "items", "occurrences", "seconds"),
    [
        ("Retail.dat.gz", 88_162, 16_470, 908_576, 1.0),
        ("BMS-POS-part-275k.dat.gz", 275_000, 1_515, 1_807_587, 2.0),
        ("BMS-WebView-2.dat.gz", 77_512, 3_340, 358_278, 1.0),
        ("groceries.csv.gz", 9_835, 169, 43_367, 0.5),
    ],
)
def test_public_data(name: str, records: int, items: int, occurrences: int, seconds: float) -> None:
    """Sizes as the README of the data states them; the time is the best of three, with much room."""
    path = DATA / name
    if not path.exists():
        pytest.skip("the shared data is absent; set SORDINO_DATA to its folder")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        baskets = read_baskets(path)
        times.append(time.perf_counter() - start)
    assert (len(baskets), baskets.distinct_items, baskets.occurrences, baskets.repeated) == (
        records,
        items,
        occurrences,
        0,
    )
    with gzip.open(path, "rt") as file:
        first = file.readline().rstrip("\n")
    assert baskets.record(0) == set(first.split("," if ".csv" in name else " "))
    assert min(times) < seconds


class TestForeignFiles:
    """What people have in the place of text: told by its first bytes, whatever its name."""

    def test_a_zip_file_and_an_excel_sheet(self, put: Any) -> None:
        import zipfile

        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("xl/workbook.xml", "zebra,a\n" * 100)
        for name in ("x.csv", "x.dat", "x.jsonl"):
            error = refused(put(name, content.getvalue()))
            assert "zip file or an Excel workbook" in error.what
            assert "Let its name end in .zip or .xlsx." in str(error)
        assert "not a readable Excel workbook" in refused(put("x.xlsx", content.getvalue())).what

    @pytest.mark.parametrize(
        ("start", "word"),
        [
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel"),
            (b"BZh91AY&SY\xff", "bzip2"),
            (b"\xfd7zXZ\0", "xz"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
            (b"SQLite format 3\0\xff", "SQLite"),
            (b"%PDF-1.7\n\xff", "PDF"),
        ],
    )
    def test_others(self, put: Any, start: bytes, word: str) -> None:
        assert word in refused(put("x.csv", start + b"zebra\0")).what

    def test_parquet_under_another_name(self, parquet: Any, put: Any) -> None:
        content = parquet({"tid": ["1"], "item": ["zebra"]}).read_bytes()
        assert "Parquet" in refused(put("y.csv", content)).what

    def test_text_that_begins_alike(self, put: Any) -> None:
        assert sets(read_baskets(put("x.csv", "BZh,PK\nPK\n"))) == [{"BZh", "PK"}, {"PK"}]


def test_names_that_the_system_does_not_take(tmp_path: Path) -> None:
    assert "too long" in refused(tmp_path / ("x" * 300)).what
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert "symbolic links" in refused(tmp_path / "loop.csv").what


def test_a_small_parquet_file_that_unpacks_to_much(parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet({"tid": ["1"] * 200_000, "item": ["zebra"] * 200_000})
    assert path.stat().st_size < 20_000
    assert len(read_baskets(path)) == 1
    monkeypatch.setenv("SORDINO_MAX_BYTES", "1000000")
    error = refused(path)
    assert "1,000,000 bytes" in error.what
    assert "SORDINO_MAX_BYTES" in str(error)


def test_invalid_utf8_across_pieces(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is checked piece by piece; a letter may lie on both sides of an edge."""
    text = "a\u00e9\u20ac\n" * 30
    for piece in (1, 2, 3, 7):
        monkeypatch.setattr(opening, "AT_ONCE", piece)
        assert len(read_baskets(put("x.dat", text))) == 30
        error = refused(put("x.dat", text.encode() + b"zebra\xe2\x82\n"))
        assert error.where is not None
        assert error.where.endswith("line 31")
        assert "UTF-8" in refused(put("x.dat", text.encode() + b"zebra\xe2\x82")).what
