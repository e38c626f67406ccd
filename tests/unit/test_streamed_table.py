"""Tables that are too large to be held: protected from their distinct rows, and rewritten in pieces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from forging import reseal
from sordino.cli import main
from sordino.data import parquet_pieces, read_counted
from sordino.data.counted import Counted
from sordino.data.in_turn import Parted
from sordino.data.read_table import read_table
from sordino.data.table import Table
from sordino.errors import InputError
from sordino.kinds import verbs
from sordino.release.templates.result import StreamedRelease

TEMPLATES = sordino.TemplatePolicy(
    [
        sordino.Template(["Job", "Age"], "Disease", ["flu", "hiv"], "0.6"),
        sordino.Template(["Age", "City"], "Disease", ["hiv"], "0.2"),
    ],
    class_column="Town",
)
RANGES = sordino.TemplatePolicy(
    [sordino.Template(["Job", "Age"], "Disease", at_most="0.3", rarest="0.5")], bins={"Age": {"quantile": 3}}
)
TREE = {"Job": {"any": {"office": ["clerk", "guard"], "ward": ["nurse", "cook"]}}}
UP = sordino.TemplatePolicy([sordino.Template(["Job", "Pay"], "Disease", ["hiv"], "0.15")], hierarchies=TREE)
POLICIES: dict[str, Any] = {"templates": TEMPLATES, "ranges": RANGES, "a hierarchy": UP}


def rows(seed: int, number: int = 900) -> Any:
    """Few combinations; texts that mean nothing beside nulls, NaN, two zeros, and a column that tells rows apart."""
    rng = np.random.default_rng(seed)
    share = np.array([8, 4, 2, 1, 1]) / 16
    return pa.table(
        {
            "Id": np.arange(number) * 7,
            "Job": rng.choice(["clerk", "nurse", "cook", "?", None], number, p=share),
            "Age": pa.array(rng.choice([20, 30, 40, 50], number), type=pa.int16()),
            "Pay": rng.choice([1.5, float("nan"), -0.0, 0.0], number),
            "City": pa.array(rng.choice(["Rome", "Bern"], number)).dictionary_encode(),
            "Town": rng.choice(["a", "b"], number),
            "Note": rng.choice(["x", "*", "?", None], number),
            "Disease": rng.choice(["flu", "hiv", "cold", "none"], number, p=[0.5, 0.1, 0.3, 0.1]),
        }
    )


@pytest.fixture(params=["file", "folder", "duckdb"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    table = rows(1)
    if request.param == "folder":
        for year, part in (("2023", table.slice(0, 500)), ("2024", table.slice(500))):
            (tmp_path / "t" / f"year={year}").mkdir(parents=True)
            parquet.write_table(part, tmp_path / "t" / f"year={year}" / "a.parquet")
        return str(tmp_path / "t")
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=130)
    if request.param == "file":
        return str(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 't.parquet'}'")
    return f"duckdb:{tmp_path / 't.duckdb'}?table=t"


def huge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(read_counted, "HUGE", 1)
    patch.setattr(parquet_pieces, "GROUP", 128)


def cells(table: Table) -> list[tuple[str | None, ...]]:
    columns = [list(column.cells()) for column in table.columns]
    return list(zip(*columns, strict=True))


def told(result: Any) -> dict[str, Any]:
    """But for the hint at the other method, for which small tables are tried."""
    return {key: value for key, value in result.to_dict().items() if key not in ("seconds", "remarks")}


@pytest.mark.parametrize("method", ["disclosure", "disclosure-local"])
@pytest.mark.parametrize("name", POLICIES)
def test_what_is_published_is_what_a_table_in_memory_shows(
    name: str, method: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = POLICIES[name]
    whole = sordino.protect(source, policy, seed=3, method=method)
    whole.write(tmp_path / "whole")
    assert whole.changed > 0
    huge(monkeypatch)
    release = sordino.protect(source, policy, seed=3, method=method)
    assert isinstance(release, StreamedRelease)
    assert isinstance(release.source, Counted)
    assert len(release.data) < release.data.people == 900
    assert isinstance(release.data, Parted) == (method == "disclosure-local" and not release.audit_before.holds)
    assert told(release.audit_before) == told(whole.audit_before)
    assert told(release.audit_after) == told(whole.audit_after)
    assert told(release.utility) == told(whole.utility)
    assert release.changed == whole.changed
    counted = Counter((change["column"], change["from"], change["to"]) for change in whole.changes.to_pylist())
    assert counted == {(r["column"], r["from"], r["to"]): r["rows"] for r in release.changes.to_pylist()}
    release.write(tmp_path / "out")
    assert Counter(cells(_published(tmp_path / "out"))) == Counter(cells(_published(tmp_path / "whole")))
    assert parquet.read_metadata(tmp_path / "out/publish/data.parquet").num_row_groups == 8
    verdict = sordino.verify(tmp_path / "out")
    assert verdict.holds
    assert any("too large to be written again" in note for note in verdict.notes)
    assert sordino.audit(tmp_path / "out").holds
    pages = [(tmp_path / out / "publish/report.html").read_text() for out in ("out", "whole")]
    one, other = (page.split("<h2")[1:] for page in pages)
    columns = [[part for part in page if "different values" in part] for page in (one, other)]
    assert columns[0] == columns[1] != []


def _published(folder: Path) -> Table:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_counted, "HUGE", 1 << 60)
        return read_table(folder / "publish" / "data.parquet")


def test_records_lead_back_and_the_order_is_of_the_rows_and_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows(2)
    huge(monkeypatch)
    for name, given in (("t", table), ("turned", table.take(pa.array(np.arange(len(table))[::-1])))):
        parquet.write_table(given, tmp_path / f"{name}.parquet")
        for seed in (1, 2):
            sordino.protect(tmp_path / f"{name}.parquet", TEMPLATES, seed=seed).write(tmp_path / f"{name}-{seed}")
    ids = {
        out: parquet.read_table(tmp_path / out / "publish/data.parquet").column("Id").to_pylist()
        for out in ("t-1", "t-2", "turned-1")
    }
    assert ids["t-1"] == ids["turned-1"] != ids["t-2"]
    assert ids["t-1"] != sorted(ids["t-1"])
    back = parquet.read_table(tmp_path / "t-1/keep/records.parquet")
    assert back.column("published").to_pylist() == list(range(1, 901))
    assert [7 * record for record in back.column("record").to_pylist()] == ids["t-1"]
    first, again = ((tmp_path / "t-1/publish/data.parquet").read_bytes() for _ in range(2))
    sordino.protect(tmp_path / "t.parquet", TEMPLATES, seed=1).write(tmp_path / "t-1", force=True)
    assert first == again == (tmp_path / "t-1/publish/data.parquet").read_bytes()


def test_every_row_shows_what_it_shows_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows take their shares in turn, as they come: the same ones, held or read in pieces."""
    parquet.write_table(rows(4), tmp_path / "t.parquet", row_group_size=70)
    how: dict[str, Any] = {"method": "disclosure-local", "ids": "keep"}
    held = cells(sordino.protect(tmp_path / "t.parquet", TEMPLATES, **how).data)
    before = cells(read_table(tmp_path / "t.parquet"))
    shown: dict[tuple[str | None, ...], set[tuple[str | None, ...]]] = {}
    for old, new in zip(before, held, strict=True):
        shown.setdefault((*old[1:6], old[7]), set()).add(new[1:])
    assert max(map(len, shown.values())) > 1  # some equal rows differ
    huge(monkeypatch)
    sordino.protect(tmp_path / "t.parquet", TEMPLATES, **how).write(tmp_path / "out")
    assert cells(_published(tmp_path / "out")) == held


def test_columns_are_of_the_same_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decimal numbers of a database, which no template names, and numbers of which only the missing ones are shown."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT ['f', 'f', 't', 't'][n] AS Job, ['nan', 'nan', '0', '1'][n]::DOUBLE AS Pay, "
            "['hiv', 'cold', 'cold', 'flu'][n] AS Disease, (n / 4)::DECIMAL(6, 2) AS Share FROM range(1, 5) t(n)"
        )
    source = f"duckdb:{tmp_path / 't.duckdb'}?table=t"
    policy = sordino.TemplatePolicy(
        [
            sordino.Template(["Job"], "Disease", ["flu", "hiv"], "0.6"),
            sordino.Template(["Pay", "Job"], "Disease", ["flu", "hiv"], "0.6"),
        ]
    )
    found = []
    for out in ("whole", "out"):
        sordino.protect(source, policy, seed=5, method="disclosure-local").write(tmp_path / out)
        assert sordino.verify(tmp_path / out).holds
        found.append(parquet.read_table(tmp_path / out / "publish/data.parquet").sort_by("Share"))
        huge(monkeypatch)
    assert found[0].schema == found[1].schema
    assert found[0].to_pylist() == found[1].to_pylist()
    assert found[0].column("Pay").to_pylist() == [None, None, "*", "*"]


def test_the_order_of_the_source_if_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(rows(2), tmp_path / "t.parquet")
    huge(monkeypatch)
    sordino.protect(tmp_path / "t.parquet", TEMPLATES, ids="keep").write(tmp_path / "out")
    assert parquet.read_table(tmp_path / "out/publish/data.parquet").column("Id").to_pylist() == [
        7 * k for k in range(900)
    ]
    assert not (tmp_path / "out/keep/records.parquet").exists()
    assert sordino.verify(tmp_path / "out").holds


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    parquet.write_table(rows(3), tmp_path / "t.parquet")
    (tmp_path / "policy.toml").write_text(
        'kind = "template"\n[[template]]\ngiven = ["Job", "Age"]\nsensitive = "Disease"\n'
        'values = ["hiv"]\nat_most = "0.2"\n'
    )
    huge(monkeypatch)
    words = ["protect", str(tmp_path / "t.parquet"), "--policy", str(tmp_path / "policy.toml"), "--seed", "1"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    assert "900" in capsys.readouterr().out
    history = json.loads((tmp_path / "out/keep/audit.json").read_text())
    assert history["before"]["records"] == history["after"]["records"] == 900
    assert main(["verify", str(tmp_path / "out"), "--policy", str(tmp_path / "policy.toml")]) == 0


def test_a_forged_file_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the source in the place of those that were published, with checksums made anew."""
    parquet.write_table(rows(1), tmp_path / "t.parquet")
    huge(monkeypatch)
    sordino.protect(tmp_path / "t.parquet", TEMPLATES, seed=1).write(tmp_path / "out")
    data = tmp_path / "out/publish/data.parquet"
    names = parquet.read_table(data).column_names
    parquet.write_table(parquet.read_table(tmp_path / "t.parquet").select(names), data, store_schema=False)
    reseal(data.parent)
    verdict = sordino.verify(tmp_path / "out")
    assert not verdict.holds
    assert "does not hold" in verdict.reason


@pytest.mark.parametrize("method", ["disclosure", "disclosure-local"])
def test_a_source_that_changes_meanwhile(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge(monkeypatch)
    for seed, number in ((5, 900), (1, 901), (1, 899)):
        parquet.write_table(rows(1), tmp_path / "t.parquet")
        release = sordino.protect(tmp_path / "t.parquet", TEMPLATES, seed=1, method=method)
        parquet.write_table(rows(seed, number), tmp_path / "t.parquet")
        with pytest.raises(InputError, match="the source changed"):
            release.write(tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_other_sources_hold_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    huge(monkeypatch)
    assert verbs.read(rows(1), TEMPLATES, verb="protect", method="disclosure").data.weight is None


def test_what_cannot_be_published_as_a_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = rows(1).append_column("List", pa.array([[1, 2]] * 900))
    parquet.write_table(table, tmp_path / "t.parquet")
    huge(monkeypatch)
    with pytest.raises(InputError, match="wrong type: the column 'List'"):
        sordino.protect(tmp_path / "t.parquet", TEMPLATES, seed=1)


def test_it_has_no_rows_to_hand_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(rows(1), tmp_path / "t.parquet")
    huge(monkeypatch)
    with pytest.raises(InputError, match="too large to be held"):
        sordino.protect(tmp_path / "t.parquet", TEMPLATES, seed=1).to_arrow()
