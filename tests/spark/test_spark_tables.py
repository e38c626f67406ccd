"""Tables on a cluster: counted there, decided here, applied there; the same answers as on one machine."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_protect import hashes, parquet

import sordino
import sordino.spark
from sordino.errors import InputError, Unsatisfiable
from sordino.policy.answer import Answer

GIVEN = ("job", "age", "town")
POLICY = sordino.TemplatePolicy([sordino.Template(GIVEN, "illness", ["flu", "HIV"], "1/2")], class_column="rating")
SCHEMA = "person string, job string, age int, town string, illness string, rating string, note double"
NAMES = [part.split()[0] for part in SCHEMA.split(", ")][1:]
FAIR = sordino.DiversityPolicy("illness", ["job", "town"], 2, mined=False)


def drawn(seed: int, rows: int = 240) -> list[tuple[Any, ...]]:
    """People with few jobs, ages and towns, so that many are equal; some cells are missing, in several spellings."""
    rng = np.random.default_rng(seed)

    def pick(values: list[Any], shares: list[float]) -> Any:
        return values[int(rng.choice(len(values), p=shares))]

    return [
        (
            f"p{k}",
            pick(["nurse", "cook", "?", None], [0.5, 0.4, 0.05, 0.05]),
            pick([30, 40, 50], [0.5, 0.3, 0.2]),
            pick(["Ulm", "Bonn", "NA"], [0.6, 0.3, 0.1]),
            pick(["cold", "flu", "HIV", None], [0.55, 0.3, 0.1, 0.05]),
            pick(["good", "bad"], [0.5, 0.5]),
            pick([1.5, None], [0.9, 0.1]),
        )
        for k in range(rows)
    ]


ROWS = drawn(3)


def frame(spark: Any, rows: list[tuple[Any, ...]] = ROWS) -> Any:
    return spark.createDataFrame(rows, SCHEMA)


def local(rows: list[tuple[Any, ...]] = ROWS) -> Any:
    """The same as one machine reads it."""
    types = [pa.string(), pa.int32(), pa.string(), pa.string(), pa.string(), pa.float64()]
    columns = list(zip(*rows, strict=True))[1:]
    return pa.table({n: pa.array(c, t) for n, c, t in zip(NAMES, columns, types, strict=True)})


def worst(rows: list[dict[str, Any]], given: tuple[str, ...], value: str) -> Fraction:
    """The largest share of an illness among people who show the same, counted plainly."""
    together: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in rows:
        together[tuple(row[name] for name in given)].append(row["illness"])
    return max(Fraction(held.count(value), len(held)) for held in together.values())


@pytest.mark.parametrize("seed", [1, 2])
def test_the_audit_is_that_of_one_machine(spark: Any, seed: int) -> None:
    rows = drawn(seed, 90)
    more = sordino.Template(["town"], "illness", at_most="0.4", rarest="50%")
    bins = {"age": {"edges": [35]}}
    for policy in (POLICY, sordino.TemplatePolicy([POLICY.templates[0], more], bins=bins)):
        found, here = sordino.spark.audit(frame(spark, rows), policy), sordino.audit(local(rows), policy)
        assert found.answer == here.answer
        assert (found.people_at_risk, found.inferences, found.above) == (
            here.people_at_risk,
            here.inferences,
            here.above,
        )
        assert [(t.broken, t.people, t.lowest) for t in found.templates] == [
            (t.broken, t.people, t.lowest) for t in here.templates
        ]
        assert (found.records, found.columns - 1) == (here.records, here.columns)  # there, ids are a column
    found, here = sordino.spark.audit(frame(spark, rows), FAIR), sordino.audit(local(rows), FAIR)
    assert (found.answer, found.people_at_risk, found.possible) == (here.answer, here.people_at_risk, here.possible)
    assert (found.matching_l, found.plain_l, found.worst_share) == (here.matching_l, here.plain_l, here.worst_share)


@pytest.fixture(scope="module", params=["disclosure", "disclosure-local"])
def release(request: pytest.FixtureRequest, spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    folder = tmp_path_factory.mktemp("table") / "out"
    made = sordino.spark.protect(frame(spark), POLICY, record="person", method=request.param, seed=7)
    made.write(folder)
    return made, folder


def test_what_is_published_is_safe_and_nothing_was_invented(release: tuple[Any, Path]) -> None:
    made, folder = release
    rows = sorted(parquet(folder / "publish" / "data"), key=lambda row: row["record"])
    assert [row["record"] for row in rows] == list(range(1, len(ROWS) + 1))
    assert list(rows[0]) == ["record", *NAMES]
    before = [dict(zip(NAMES, row[1:], strict=True)) for row in ROWS]
    for value in ("flu", "HIV"):
        assert worst(rows, GIVEN, value) <= Fraction(1, 2) < worst(before, GIVEN, "flu")
    known = {row["published"]: before[int(row["record"][1:])] for row in parquet(folder / "keep" / "records")}
    assert len(known) == len(ROWS)
    changes = {(row["published"], row["column"]): row for row in parquet(folder / "keep" / "changes")}
    for row in rows:
        for name in NAMES:
            old = known[row["record"]][name]
            old = None if old in ("?", "NA") else old
            change = changes.get((row["record"], name))
            assert (change is None) == (str(row[name]) == str(old)), name
            if change is not None:
                assert (change["from"], change["to"]) == (None if old is None else str(old), "*")
                assert name in GIVEN
    assert made.changed == len(changes) > 0
    assert [known[row["record"]] for row in rows] != before  # not in the order of the source
    assert json.loads((folder / "keep" / "audit.json").read_text())["after"]["holds"] is True
    assert (folder / "keep").stat().st_mode & 0o077 == 0
    assert sordino.read_policy(folder / "keep" / "policy.toml") == POLICY


def test_it_loses_what_one_machine_loses(release: tuple[Any, Path]) -> None:
    made, _ = release
    here = sordino.protect(local(), POLICY, method=made.method, seed=7)
    masked = len(ROWS) * len(GIVEN)
    assert made.cells == masked
    if made.method == "disclosure":  # the other method depends on the order of the rows
        assert made.changed == here.changed
    else:
        assert abs(made.changed - here.changed) <= 0.03 * masked


def test_the_honest_release_is_proved_in_both_ways(spark: Any, release: tuple[Any, Path]) -> None:
    _, folder = release
    here, there = sordino.spark.verify(folder), sordino.spark.verify(folder, session=spark)
    assert (here.answer, there.answer) == (Answer.HOLDS, Answer.HOLDS), (here, there)
    assert (here.items, here.searched) == (there.items, there.searched)
    assert here.items == 2
    stricter = sordino.TemplatePolicy([sordino.Template(GIVEN, "illness", ["flu"], "1/10")])
    for session in (None, spark):
        assert sordino.spark.verify(folder, POLICY, session=session).holds
        assert sordino.spark.verify(folder, stricter, session=session).answer is Answer.FAILS
        assert sordino.spark.verify(folder, FAIR, session=session).answer is Answer.FAILS


def forged(folder: Path, change: Any, to: Path) -> Path:
    """A copy of a release in which the rows are what `change` makes of them, with checksums that fit."""
    shutil.copytree(folder, to)
    files = sorted((to / "publish" / "data").glob("*.parquet"))
    schema = pq.read_schema(files[0])
    rows = change([row for path in files for row in pq.read_table(path).to_pylist()])
    manifest = json.loads((to / "publish" / "manifest.json").read_text())
    for path in files[1:]:
        del manifest["files"][f"data/{path.name}"]
        path.unlink()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), files[0])
    content = files[0].read_bytes()
    entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest["files"][f"data/{files[0].name}"] = entry
    (to / "publish" / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return to


def _told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Somebody with the flu lives alone in a town."""
    lucky = next(k for k, row in enumerate(rows) if row["illness"] == "flu")
    return [*rows[:lucky], {**rows[lucky], "town": "Jena"}, *rows[lucky + 1 :]]


def _twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "record": 2} if row["record"] == 1 else row for row in rows]


def _one_less(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["record"] != len(rows)]


FORGERIES = {"a cell": (_told, "template 1"), "an id": (_twice, "number"), "a row less": (_one_less, "number of rows")}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(spark: Any, release: tuple[Any, Path], tmp_path: Path, name: str) -> None:
    change, reason = FORGERIES[name]
    folder = forged(release[1], change, tmp_path / "forged")
    for session in (None, spark):
        verdict = sordino.spark.verify(folder, session=session)
        assert verdict.answer is Answer.FAILS
        assert reason in verdict.reason, verdict


def test_what_is_missing_or_too_much_is_seen(spark: Any, release: tuple[Any, Path], tmp_path: Path) -> None:
    for number, spoil in enumerate(
        (
            lambda publish: sorted((publish / "data").glob("*.parquet"))[0].unlink(),
            lambda publish: (publish / "names.txt").write_text("somebody"),
            lambda publish: (publish / "README.txt").write_text("Nobody can be found in it."),
            lambda publish: (publish / "manifest.json").write_text(
                (publish / "manifest.json").read_text().replace('"at_most": "0.5"', '"at_most": "0.9"')
            ),
        )
    ):
        folder = tmp_path / str(number)
        shutil.copytree(release[1], folder)
        spoil(folder / "publish")
        for session in (None, spark):
            assert sordino.spark.verify(folder, session=session).answer is Answer.FAILS, number


def test_the_same_bytes_whatever_the_order_of_the_rows(spark: Any, release: tuple[Any, Path], tmp_path: Path) -> None:
    made, folder = release
    shuffled = frame(spark, ROWS[::-1]).repartition(5)
    again = sordino.spark.protect(shuffled, POLICY, record="person", method=made.method, seed=7)
    again.write(tmp_path / "again")
    assert hashes(tmp_path / "again") == hashes(folder)


def test_ranges_and_hierarchies(spark: Any, tmp_path: Path) -> None:
    tree = {"nurse": ("health", "any"), "cook": ("food", "any")}
    policy = sordino.TemplatePolicy(
        [sordino.Template(["job", "age"], "illness", ["HIV"], "1/8")],
        bins={"age": {"edges": [35]}},
        hierarchies={"job": tree},
    )
    made = sordino.spark.protect(frame(spark), policy, record="person", seed=1)
    made.write(tmp_path / "out")
    rows = parquet(tmp_path / "out" / "publish" / "data")
    assert {row["age"] for row in rows} <= {"under 35", "35 and over", "*"}
    assert worst(rows, ("job", "age"), "HIV") <= Fraction(1, 8)
    for session in (None, spark):
        assert sordino.spark.verify(tmp_path / "out", session=session).holds
    raw = forged(tmp_path / "out", lambda rows: [{**row, "age": "37"} for row in rows], tmp_path / "raw")
    for session in (None, spark):
        assert "ranges" in sordino.spark.verify(raw, session=session).reason


def test_groups_of_people(spark: Any, tmp_path: Path) -> None:
    rule = sordino.NegativeRule({"job": "cook"}, "HIV")
    policy = sordino.DiversityPolicy("illness", ["job", "town"], 2, mined=False, rules=[rule])
    rows = [row for row in ROWS if not (row[1] == "cook" and row[4] == "HIV")]
    made = sordino.spark.protect(frame(spark, rows), policy, record="person", seed=4)
    made.write(tmp_path / "out")
    shown = sorted(parquet(tmp_path / "out" / "publish" / "data"), key=lambda row: row["record"])
    assert set(shown[0]) == {"record", "job", "town", "illness", "Group"}
    assert [row["record"] for row in shown] == list(range(1, len(rows) + 1))
    grouped: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in shown:
        grouped[row["Group"]].append(row)
    assert all(len({row["illness"] for row in group}) >= 2 for group in grouped.values())
    before = {row[0]: dict(zip(NAMES, row[1:], strict=True)) for row in rows}
    clean = {None: None, "?": None, "NA": None}
    owner = {row["published"]: before[row["record"]] for row in parquet(tmp_path / "out" / "keep" / "records")}
    truth = {row["published"]: row["from"] for row in parquet(tmp_path / "out" / "keep" / "changes")}
    for group in grouped.values():
        assert Counter(row["illness"] for row in group) == Counter(truth[row["record"]] for row in group)
    for row in shown:
        old = owner[row["record"]]
        assert (row["job"], row["town"]) == (clean.get(old["job"], old["job"]), clean.get(old["town"], old["town"]))
        assert truth[row["record"]] == old["illness"]
    here, there = (sordino.spark.verify(tmp_path / "out", session=session) for session in (None, spark))
    assert (here.answer, there.answer) == (Answer.HOLDS, Answer.HOLDS), (here, there)
    assert sordino.spark.verify(tmp_path / "out", policy, session=spark).holds

    def alike(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, "illness": "cold"} if row["Group"] == 1 else row for row in rows]

    for change in (alike, _twice, _one_less):
        worse = forged(tmp_path / "out", change, tmp_path / change.__name__)
        for session in (None, spark):
            assert sordino.spark.verify(worse, session=session).answer is Answer.FAILS
    again = sordino.spark.protect(frame(spark, rows[::-1]).repartition(4), policy, record="person", seed=4)
    again.write(tmp_path / "again")
    assert hashes(tmp_path / "again") == hashes(tmp_path / "out")


def test_on_the_command_line(spark: Any, tmp_path: Path) -> None:
    """A table that the session knows, from the audit to the verdict."""
    from typer.testing import CliRunner

    from sordino.cli import app
    from sordino.policy.file import write_policy

    frame(spark).createOrReplaceTempView("patients")
    (tmp_path / "policy.toml").write_text(write_policy(POLICY))
    words = ["--engine", "spark", "--policy", str(tmp_path / "policy.toml"), "--record", "person"]
    found = CliRunner().invoke(app, ["audit", "patients", *words, "--json", "-"])
    assert found.exit_code == 1, found.output
    assert json.loads(found.stdout)["people_at_risk"] == sordino.audit(local(), POLICY).people_at_risk
    out = str(tmp_path / "out")
    made = CliRunner().invoke(app, ["protect", "patients", *words, "--out", out, "--seed", "1", "--then-maximal"])
    assert made.exit_code == 0, made.output
    assert "240 rows are safe to publish" in made.stdout
    for folder in (out, f"{out}/publish"):
        checked = CliRunner().invoke(app, ["verify", folder])
        assert checked.exit_code == 0, checked.output
    (tmp_path / "out" / "publish" / "README.txt").unlink()
    broken = CliRunner().invoke(app, ["verify", out])
    assert broken.exit_code == 1, broken.output
    assert "README.txt" in broken.stdout
    wrong = CliRunner().invoke(app, ["audit", "patients", *words, "--item", "job"])
    assert "--item is for records of items" in str(wrong.exception)


def test_what_cannot_be_is_said(spark: Any) -> None:
    data = frame(spark, ROWS[:40])
    with pytest.raises(InputError, match="'parts' is of no use"):
        sordino.spark.protect(data, POLICY, parts=2)
    with pytest.raises(InputError, match="there is no column 'jobb'"):
        sordino.spark.audit(data, sordino.TemplatePolicy([sordino.Template(["jobb"], "illness", ["flu"])]))
    with pytest.raises(InputError, match="is for policies of kind inference"):
        sordino.spark.protect(data, POLICY, method="mine")
    with pytest.raises(InputError, match="called 'record'"):
        sordino.spark.protect(data.withColumnRenamed("person", "record"), POLICY)
    with pytest.raises(InputError, match="repeat others"):
        sordino.spark.protect(data.unionByName(data), POLICY, record="person")
    with pytest.raises(InputError, match="has no option"):
        sordino.spark.protect(data, POLICY, loudly=True)
    with pytest.raises(Unsatisfiable):
        sordino.spark.protect(data, sordino.TemplatePolicy([sordino.Template(["job"], "illness", ["cold"], "1/100")]))
