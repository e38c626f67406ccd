"""Baskets that are read in pieces: what is read, refused and audited is the same as of those that are held."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from sordino.audit import spilled as spilled_audit
from sordino.data import private, read_spilled
from sordino.data.baskets import Baskets
from sordino.data.databases.address import address_of
from sordino.data.how_read import how_read
from sordino.data.read import read_baskets
from sordino.data.sources import streams
from sordino.data.spilled import Spilled
from sordino.errors import InputError
from sordino.kinds import verbs
from sordino.policy.answer import Answer
from tables import random_table

POLICY = sordino.InferencePolicy(["1", "4", "7"], "0.6")


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ROWS", 64)


@pytest.fixture(scope="module")
def records() -> list[list[str]]:
    return [sorted(record) for record in random_table(300, 30, 7, seed=3)]


@pytest.fixture(scope="module")
def files(records: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same records as lists, lists with ids, rows in any order, a folder in partitions, and in a database."""
    place = tmp_path_factory.mktemp("spilled")
    everybody = range(len(records))
    parquet.write_table(pa.table({"items": [[*record, *record[:1], None] for record in records]}), place / "l.parquet")
    parquet.write_table(pa.table({"id": everybody, "items": records}), place / "ids.parquet")
    rows = [(u, item) for u, record in enumerate(records) for item in (record or [None])]
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    long = pa.table({"customer": [rows[k][0] for k in order], "item": [rows[k][1] for k in order]})
    parquet.write_table(long.set_column(1, "item", long["item"].dictionary_encode()), place / "long.parquet")
    for year, some in (("2023", long.slice(0, 400)), ("2024", long.slice(400))):
        (place / "folder" / f"year={year}").mkdir(parents=True)
        parquet.write_table(some, place / "folder" / f"year={year}" / "a.parquet")
    with duckdb.connect(str(place / "x.duckdb")) as connection:
        connection.execute(f"CREATE TABLE bought AS FROM '{place / 'long.parquet'}'")
    return place


def contents(data: Baskets | Spilled) -> list[frozenset[str]]:
    """The records, in an order of their own."""
    if isinstance(data, Baskets):
        return sorted(data, key=sorted)
    found = []
    for piece in data.pieces():
        for a, b in zip(piece.ptr[:-1].tolist(), piece.ptr[1:].tolist(), strict=True):
            names = [data.names[code] for code in data.code[piece.items[a:b]]]
            assert len(set(names)) == len(names)
            found.append(frozenset(names))
    return sorted(found, key=sorted)


SOURCES: dict[str, dict[str, Any]] = {
    "l.parquet": {},
    "ids.parquet": {},
    "long.parquet": {},
    "folder": {},
    "x.duckdb": {"table": "bought"},
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_is_read_and_audited(name: str, files: Path) -> None:
    source: object = files / name
    if "table" in SOURCES[name]:
        source = address_of(str(source), None, "bought")
    held, spilled = read_baskets(source), read_spilled.read_spilled(source)
    assert spilled is not None
    assert len(spilled.sizes) > 3
    assert contents(spilled) == contents(held)
    assert spilled.names == held.names
    assert spilled.supports.tolist() == held.supports.tolist()
    assert (len(spilled), spilled.repeated) == (len(held), held.repeated)
    assert how_read(spilled) == how_read(held)
    whole = sordino.audit(source, POLICY)
    parts = sordino.audit(source, POLICY, parts=6)
    assert parts.answer is whole.answer is Answer.FAILS
    assert parts.people_at_risk == whole.people_at_risk
    assert parts.exposure_by_knowledge == whole.exposure_by_knowledge
    assert parts.findings[0] == whole.findings[0]


@pytest.mark.parametrize("missing", [None, (), ("b",)])
def test_the_same_texts_are_missing(missing: tuple[str, ...] | None, tmp_path: Path) -> None:
    records = [["a", "NA"], ["?", "b"], ["b", "a", "NA"]] * 90
    parquet.write_table(pa.table({"items": records}), tmp_path / "l.parquet")
    pairs = [(u, item) for u, record in enumerate(records) for item in record]
    parquet.write_table(
        pa.table({"record": [u for u, _ in pairs], "item": [i for _, i in pairs]}), tmp_path / "r.parquet"
    )
    for name in ("l.parquet", "r.parquet"):
        held = read_baskets(tmp_path / name, missing=missing)
        spilled = read_spilled.read_spilled(tmp_path / name, missing=missing)
        assert spilled is not None
        assert contents(spilled) == contents(held)
        assert dict(spilled.origin.missing) == dict(held.origin.missing)
        assert bool(spilled.origin.missing) == (missing != ())


def test_held_records_are_audited_in_parts_too(records: list[list[str]]) -> None:
    whole, parts = sordino.audit(records, POLICY), sordino.audit(records, POLICY, parts=6)
    assert parts.exposure_by_knowledge == whole.exposure_by_knowledge
    assert "audited in 6 groups" in parts.remarks[-1]


def test_large_parquet_is_read_in_pieces_unasked(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def data(**stated: Any) -> object:
        return verbs.read(files / "l.parquet", POLICY, verb="audit", **stated).data

    assert isinstance(data(), Baskets)
    monkeypatch.setattr("sordino.kinds.inference.LARGE", 300)
    assert isinstance(data(), Spilled)
    assert isinstance(data(parts=1), Baskets)
    assert isinstance(verbs.read(files / "l.parquet", POLICY, verb="protect").data, Baskets)
    absent = sordino.InferencePolicy(["1"], "0.6", absent="any")
    assert isinstance(verbs.read(files / "l.parquet", absent, verb="audit").data, Baskets)


def test_each_group_is_small(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """Nothing larger than a group is ever audited, and its files go when it is taken."""
    monkeypatch.setattr(spilled_audit, "AT_ONCE", 500)
    seen = []
    take = spilled_audit._Files.take

    def watched(self: Any, group: int) -> Any:
        part = take(self, group)
        seen.append(len(part.items))
        assert not list(self.folder.glob(f"{group}-*"))
        return part

    monkeypatch.setattr(spilled_audit._Files, "take", watched)
    spilled = read_spilled.read_spilled(files / "l.parquet")
    assert spilled is not None
    spilled_audit.audit_spilled(spilled, POLICY.resolve(spilled))
    assert len(seen) == spilled_audit.usual_groups(spilled.occurrences) > 4
    assert max(seen) < 1000


def test_time_is_over(files: Path) -> None:
    result = sordino.audit(files / "l.parquet", POLICY, parts=3, time_limit=0)
    assert result.answer is Answer.NOT_CHECKED
    assert not result.complete


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"id": [1, 1], "items": [["a"], ["b"]]}, "1 of 2 record ids repeat others"),
        ({"customer": [1, None], "item": ["a", "b"]}, "the record id is missing"),
        ({"items": [["a"], ["a "]]}, "1 item differs from others only by blanks"),
        ({"customer": ["a", "z", "z "], "item": ["b", "c", "d"]}, "1 record id differs from others only by blanks"),
        ({"customer": [" z", "a", "z "], "item": ["b", "c", "d"]}, "1 record id differs from others only by blanks"),
        ({"customer": ["e\u0301", "\u00e9"], "item": ["b", "c"]}, "1 record id differs from others only by blanks"),
        ({"id": ["z", "z "], "items": [["a"], ["b"]]}, "1 record id differs from others only by blanks"),
        ({"items": [[1.5], [2.5]]}, "wrong type"),
        ({"items": pa.array([], pa.list_(pa.string()))}, "there are no records"),
        ({"x": ["a"], "y": ["b"]}, "which"),
    ],
)
def test_the_same_is_refused(table: dict[str, Any], message: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table(table), tmp_path / "x.parquet")
    for read in (read_baskets, read_spilled.read_spilled):
        with pytest.raises(InputError, match=message):
            read(tmp_path / "x.parquet")


def test_odd_ids_that_look_like_no_other_are_read(tmp_path: Path) -> None:
    rows = {"customer": ["a", "z ", "e\u0301"], "item": ["b", "c", "d"]}
    parquet.write_table(pa.table(rows), tmp_path / "x.parquet")
    spilled = read_spilled.read_spilled(tmp_path / "x.parquet")
    assert spilled is not None
    assert sorted(map(sorted, contents(spilled))) == [["b"], ["c"], ["d"]]


def test_ids_that_should_be_items_are_told(tmp_path: Path) -> None:
    rows = {"customer": ["hiv", "hiv", "flu"], "item": ["b", "c", "d"]}
    parquet.write_table(pa.table(rows), tmp_path / "x.parquet")
    for read in (read_baskets, read_spilled.read_spilled):
        with pytest.raises(InputError, match="1 of them stands among the record ids"):
            read(tmp_path / "x.parquet", expected=["hiv"])


def test_rows_of_one_id_are_put_together_if_that_is_stated(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"id": [1, 2, 1], "items": [["a"], ["c"], ["b", "a"]]}), tmp_path / "x.parquet")
    spilled = read_spilled.read_spilled(tmp_path / "x.parquet", record="id")
    assert spilled is not None
    assert contents(spilled) == [{"a", "b"}, {"c"}]
    assert spilled.repeated == 1


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"items": [["a"]] * 9}), tmp_path / "x.parquet")
    (tmp_path / "x.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-9])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_spilled.read_spilled(tmp_path / "x.parquet")


@pytest.mark.parametrize("source", ["-", "x.csv", [["a", "b"]]])
def test_what_cannot_be_read_in_pieces(source: object) -> None:
    assert read_spilled.read_spilled(source) is None


@pytest.mark.parametrize("parts", [0, -1, 10_001, True, "3"])
def test_parts_must_be_a_number(parts: Any) -> None:
    with pytest.raises(InputError, match=r"parts must be a whole number from 1 to 10,000"):
        sordino.audit([["a", "b"]], sordino.InferencePolicy(["a"], "0.5"), parts=parts)


class TestTheFolder:
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def test_it_is_its_owners_alone_and_goes(self, tmp_path: Path, files: Path) -> None:
        spilled = read_spilled.read_spilled(files / "l.parquet")
        assert spilled is not None
        place = spilled.folder.path
        assert place.parent == tmp_path
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        del spilled
        assert not place.exists()

    def test_nothing_stays_after_an_error(self, tmp_path: Path) -> None:
        parquet.write_table(pa.table({"items": [["a"], ["a "]]}), tmp_path / "x.parquet")
        with pytest.raises(InputError):
            read_spilled.read_spilled(tmp_path / "x.parquet")
        assert not list(tmp_path.glob("sordino-parts-*"))

    def test_it_goes_when_the_process_is_killed(self, tmp_path: Path) -> None:
        code = (
            f"import os, tempfile; tempfile.tempdir = {str(tmp_path)!r}\n"
            "from sordino.data.private import PrivateFolder\n"
            "made = PrivateFolder(); print(made.path, flush=True); os.kill(os.getpid(), 9)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        place = Path(run.stdout.strip())
        assert place.parent == tmp_path
        for _ in range(100):
            if not place.exists():
                break
            time.sleep(0.1)
        assert not place.exists()

    def test_what_a_power_failure_left_is_removed(self, tmp_path: Path) -> None:
        left, young = tmp_path / "sordino-parts-old", tmp_path / "sordino-parts-new"
        held = private.PrivateFolder()
        for folder in (left, young):
            folder.mkdir()
        for folder in (left, held.path):
            os.utime(folder, (1, 1))
        again = private.PrivateFolder()
        assert not left.exists()
        assert young.exists()
        assert held.path.exists()
        again.remove()
        held.remove()
        assert not held.path.exists()
