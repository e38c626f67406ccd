"""Large tables are audited as their distinct rows with counts: the answers are those of the table itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from sordino.data import read_counted
from sordino.data.how_read import how_read
from sordino.data.table import Table
from sordino.errors import PolicyError
from sordino.kinds import verbs

TEMPLATES = sordino.TemplatePolicy(
    [
        sordino.Template(["Job", "Age"], "Disease", ["flu", "hiv"], "0.6"),
        sordino.Template(["Age", "City"], "Disease", ["hiv"], "0.45"),
        sordino.Template(["Job"], "City", ["Rome"], "0.5"),
    ],
    class_column="Job",
)
RAREST = sordino.TemplatePolicy(
    [sordino.Template(["Job", "Age"], "Disease", at_most="0.1", rarest="0.5")], bins={"Age": {"quantile": 3}}
)
POLICIES: dict[str, Any] = {
    "templates": TEMPLATES,
    "rarest values and ranges": RAREST,
    "diversity": sordino.DiversityPolicy("Disease", ["Job", "City", "Age"], l=3),
    "diversity, nothing mined": sordino.DiversityPolicy("Disease", ["Job", "City"], l=4, mined=False),
    "diversity in ranges": sordino.DiversityPolicy("Disease", ["Job", "Age"], l=3, bins={"Age": {"quantile": 4}}),
}


def rows(seed: int, number: int = 900) -> Any:
    """Few distinct combinations, some texts that mean nothing, nulls, and a column that tells all rows apart."""
    rng = np.random.default_rng(seed)
    share = np.array([8, 4, 2, 1, 1]) / 16
    return pa.table(
        {
            "Id": np.arange(number),
            "Job": rng.choice(["clerk", "nurse", "cook", "?", None], number, p=share),
            "Age": rng.choice([20, 30, 40, 50], number),
            "Pay": rng.choice([1.5, float("nan"), -0.0, 0.0], number),
            "City": pa.array(rng.choice(["Rome", "Bern"], number)).dictionary_encode(),
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
    parquet.write_table(table, tmp_path / "t.parquet")
    if request.param == "file":
        return str(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 't.parquet'}'")
    return f"duckdb:{tmp_path / 't.duckdb'}?table=t"


def answers(result: Any) -> dict[str, Any]:
    return {key: value for key, value in result.to_dict().items() if key != "seconds"}


@pytest.mark.parametrize("name", POLICIES)
def test_the_answers_are_the_same(name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = POLICIES[name]
    whole = sordino.audit(source, policy, missing="accept")
    assert (whole.people_at_risk > 0) == (name != "diversity in ranges"), whole
    monkeypatch.setattr(read_counted, "LARGE", 900)
    data = verbs.read(source, policy, verb="audit").data
    assert isinstance(data, Table)
    assert data.weight is not None
    assert len(data) < 450
    assert data.people == 900
    assert answers(sordino.audit(source, policy, missing="accept")) == answers(whole)
    assert "900 rows" in how_read(data)


@pytest.mark.parametrize("seed", range(6))
def test_random_tables(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(rows(seed, 60 + 40 * seed), tmp_path / "t.parquet")
    for policy in POLICIES.values():
        with monkeypatch.context() as patch:
            whole = sordino.audit(tmp_path / "t.parquet", policy, missing="accept")
            patch.setattr(read_counted, "LARGE", 1)
            assert answers(sordino.audit(tmp_path / "t.parquet", policy, missing="accept")) == answers(whole)


DECIMALS: dict[str, Any] = {
    "a value": sordino.TemplatePolicy([sordino.Template(["Job"], "Pay", ["30"], "0.1")]),
    "the rarest value": sordino.TemplatePolicy([sordino.Template(["Job"], "Pay", at_most="0.4", rarest="0.34")]),
    "ranges": sordino.TemplatePolicy([sordino.Template(["Pay"], "Ill", ["hiv"], "0.4")], bins={"Pay": {"width": 10}}),
}


@pytest.mark.parametrize("name", DECIMALS)
def test_decimal_numbers_of_a_database_are_numbers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As texts, 30 would occur nowhere beside 30.00, 10.25 would come before 9.50, and there would be no ranges."""
    pays = ["30.00", "9.50", "9.50", "30", "10.25", "10.25"]
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t (Job TEXT, Pay DECIMAL(8, 2), Ill TEXT)")
        ill = ["hiv", "hiv", "flu", "flu", "flu", "hiv"]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", list(zip("nnnccc", pays, ill, strict=True)))
    source, policy = f"duckdb:{tmp_path / 't.duckdb'}?table=t", DECIMALS[name]
    whole = sordino.audit(source, policy)
    assert whole.people_at_risk == 2 + (name == "ranges")
    monkeypatch.setattr(read_counted, "LARGE", 1)
    assert answers(sordino.audit(source, policy)) == answers(whole)


def test_only_audits_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(rows(1), tmp_path / "t.parquet")
    monkeypatch.setattr(read_counted, "LARGE", 1)
    for verb in ("protect", "measure"):
        assert verbs.read(tmp_path / "t.parquet", TEMPLATES, verb=verb).data.weight is None
    assert verbs.read(rows(1), TEMPLATES, verb="audit").data.weight is None
    assert verbs.read(tmp_path / "t.parquet", TEMPLATES, verb="audit", missing=["hiv"]).data.column("Disease").lacking


def test_a_column_that_is_not_there_is_told_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(rows(1), tmp_path / "t.parquet")
    monkeypatch.setattr(read_counted, "LARGE", 1)
    policy = sordino.TemplatePolicy([sordino.Template(["Jobs"], "Disease", ["flu"], "0.5")])
    with pytest.raises(PolicyError, match=r"no column 'Jobs'\. Did you mean 'Job'"):
        sordino.audit(tmp_path / "t.parquet", policy)


def test_small_tables_are_read_as_they_are(tmp_path: Path) -> None:
    parquet.write_table(rows(1), tmp_path / "t.parquet")
    assert verbs.read(tmp_path / "t.parquet", TEMPLATES, verb="audit").data.weight is None
