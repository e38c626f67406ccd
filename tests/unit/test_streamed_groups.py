"""Tables of many rows under diversity: grouped as distinct rows, published, audited and verified in pieces."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import oracle_diversity as oracle
import sordino
from diseased import QUASI, TREE, people
from forging import reseal
from sordino.cli import main
from sordino.data import dealt, grouped_file, parquet_pieces, read_counted
from sordino.data.counted import Counted
from sordino.data.dealt import Dealt
from sordino.engine.local import Watch
from sordino.errors import InputError, Unsatisfiable
from sordino.knowledge.assumed import assumed, known_rules
from sordino.policy.answer import Answer
from sordino.protect import injector, left_over
from sordino.protect.buckets import possible_in_one_group
from sordino.release.diversity.result import StreamedGroups
from sordino.utility.diversity import measure_groups
from sordino.utility.reconstruction import expected_counts, group_shares
from sordino.verify.knowledge_file import KNOWLEDGE
from tables import examples

FORMS = [("injector", "permuted"), ("injector", "tables"), ("anatomy", "permuted"), ("anatomy", "tables")]


def policy(l: int = 3, **options: Any) -> sordino.DiversityPolicy:  # noqa: E741
    return sordino.DiversityPolicy("Disease", QUASI, l, hierarchies={"Age": TREE}, **options)


def table(number: int = 700, seed: int = 0) -> Any:
    """People of whom few are alone; some of their towns and diseases are missing, in two ways."""
    rows = people(number, seed)
    rng = np.random.default_rng(seed)
    made = pa.Table.from_pylist([{**row, "Age": row["Age"] // 4 * 4} for row in rows])
    for name, lost in (("Town", "?"), ("Disease", None)):
        cells = made.column(name).to_pylist()
        for k in rng.choice(number, number // 12, replace=False).tolist():
            cells[k] = lost if rng.random() < 0.6 else None
        made = made.set_column(made.column_names.index(name), name, pa.array(cells, pa.string()))
    town = made.column_names.index("Town")
    return made.set_column(town, "Town", made.column("Town").dictionary_encode())


def many(patch: pytest.MonkeyPatch) -> None:
    """Every table has many rows, and pieces are small."""
    patch.setattr(read_counted, "MANY", 1)
    patch.setattr(dealt, "PIECE", 60)
    patch.setattr(grouped_file, "PIECE", 50)
    patch.setattr(parquet_pieces, "GROUP", 128)


@pytest.fixture(params=["file", "folder", "duckdb"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    made = table()
    if request.param == "folder":
        for year, part in (("2023", made.slice(0, 300)), ("2024", made.slice(300))):
            (tmp_path / "t" / f"year={year}").mkdir(parents=True)
            parquet.write_table(part, tmp_path / "t" / f"year={year}" / "a.parquet")
        return str(tmp_path / "t")
    parquet.write_table(made, tmp_path / "t.parquet", row_group_size=130)
    if request.param == "file":
        return str(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 't.parquet'}'")
    return f"duckdb:{tmp_path / 't.duckdb'}?table=t"


def shown(folder: Path) -> tuple[list[dict[str, Any]], dict[int, list[str | None]]]:
    """The published rows, and the values of each group; what is missing is None."""
    publish = folder / "publish"
    rows = parquet.read_table(publish / "data.parquet").to_pylist()
    rows = [{name: None if cell == "?" else cell for name, cell in row.items()} for row in rows]
    held: dict[int, list[str | None]] = {}
    if not (publish / "values.parquet").exists():
        for row in rows:
            held.setdefault(row["Group"], []).append(row.pop("Disease"))
    else:
        for row in parquet.read_table(publish / "values.parquet").to_pylist():
            held.setdefault(row["Group"], []).extend([row["Disease"]] * row["Count"])
    return rows, held


def original(number: int = 700, seed: int = 0) -> list[dict[str, Any]]:
    rows = table(number, seed).to_pylist()
    return [{name: None if cell == "?" else cell for name, cell in row.items()} for row in rows]


@pytest.mark.parametrize(("method", "form"), FORMS)
def test_it_holds_by_the_brute_force_on_its_bytes(
    method: str, form: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = policy(mined=method == "injector")
    whole = sordino.protect(source, asked, method=method, form=form, seed=3)
    many(monkeypatch)
    release = sordino.protect(source, asked, method=method, form=form, seed=3)
    assert isinstance(release, StreamedGroups)
    assert isinstance(release.data, Counted)
    assert len(release.data) < release.audit_after.records == 700
    assert _told(release.audit_before) == _told(whole.audit_before)
    assert release.rules == whole.rules
    assert release.utility.records == 700
    folder = release.write(tmp_path / "out")
    manifest = json.loads((folder / "publish/manifest.json").read_text())
    rows, held = shown(folder)
    assert set(rows[0]) == {*QUASI, "Group"}
    known = json.loads((folder / "publish" / KNOWLEDGE).read_text())
    rules = [
        ({a: set(known["groups"].get(a, {}).get(label, [label])) for a, label in rule["if"].items()}, rule["not"])
        for rule in known["rules"]
    ]
    assert bool(rules) == (method == "injector")
    least = plain = 99
    for group, values in held.items():
        members = [
            {name: "(missing)" if cell is None else str(cell) for name, cell in row.items()}
            for row in rows
            if row["Group"] == group
        ]
        texts = ["(missing)" if value is None else value for value in values]
        possible = oracle.possible_by_pairs([oracle.excluded(row, rules) for row in members], texts)
        assert possible is not None
        least, plain = min(least, *map(len, possible)), min(plain, len(set(texts)))
    assert least >= 3
    assert manifest["diversity"] == {"groups": len(held), "plain": plain, "matching": least, "rules": len(rules)}
    assert [row["Group"] for row in rows] == sorted(row["Group"] for row in rows)
    assert Counter(tuple(row[q] for q in QUASI) for row in rows) == Counter(
        tuple(row[q] for q in QUASI) for row in original()
    )
    assert Counter(v for values in held.values() for v in values) == Counter(row["Disease"] for row in original())
    verdict = sordino.verify(folder)
    assert verdict.holds
    assert any("too large to be written again" in note for note in verdict.notes)
    assert sordino.verify(folder, asked).holds == (not asked.mined)
    if asked.mined:
        assert sordino.verify(folder, asked, original=source).holds
        assert sordino.audit(folder, original=source).holds
    audit = sordino.audit(folder)
    assert audit.holds == (not asked.mined)
    assert (audit.matching_l, audit.plain_l, audit.groups, audit.records) == (least, plain, len(held), 700)
    with pytest.MonkeyPatch.context() as patch:  # as a table that is held, it is the same release
        patch.setattr(read_counted, "MANY", 1 << 60)
        assert sordino.verify(folder).holds
        assert _told(sordino.audit(folder)) == _told(audit)


def _told(result: Any) -> dict[str, Any]:
    return {key: value for key, value in result.to_dict().items() if key not in ("seconds", "remarks")}


@pytest.mark.parametrize("form", ["permuted", "tables"])
def test_keep_leads_back_and_the_form_is_that_of_tables_that_fit(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(table(), tmp_path / "t.parquet")
    sordino.protect(tmp_path / "t.parquet", policy(), form=form, seed=1).write(tmp_path / "whole")
    many(monkeypatch)
    folder = sordino.protect(tmp_path / "t.parquet", policy(), form=form, seed=1).write(tmp_path / "out")
    names = [
        {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
        for out in (folder, tmp_path / "whole")
    ]
    assert names[0] == names[1]
    for name in ("publish/data.parquet", "publish/values.parquet", "keep/changes.parquet"):
        if name in names[0]:
            assert parquet.read_schema(folder / name).equals(parquet.read_schema(tmp_path / "whole" / name)), name
    changes = parquet.read_table(folder / "keep/changes.parquet").to_pylist()
    before, (rows, held) = original(), shown(folder)
    assert [change["published"] for change in changes] == list(range(1, 701))
    assert sorted(change["record"] for change in changes) == list(range(700))
    for change, row in zip(changes, rows, strict=True):
        person = before[change["record"]]
        assert (change["from"], change["group"]) == (person["Disease"], row["Group"])
        assert [row[q] for q in QUASI] == [person[q] for q in QUASI]
    told: dict[int, list[str | None]] = {}
    for change in changes:
        told.setdefault(change["group"], []).append(change["to"])
    assert {g: Counter(values) for g, values in told.items()} == {g: Counter(values) for g, values in held.items()}
    assert any(change["from"] != change["to"] for change in changes)


def test_what_is_published_follows_from_the_rows_and_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = table()
    many(monkeypatch)
    for name, given_ in (("t", made), ("turned", made.take(pa.array(np.arange(len(made))[::-1])))):
        parquet.write_table(given_, tmp_path / f"{name}.parquet")
        for seed in (1, 2):
            release = sordino.protect(tmp_path / f"{name}.parquet", policy(), seed=seed, jobs=seed)
            release.write(tmp_path / f"{name}-{seed}")
    data = {
        out: (tmp_path / out / "publish/data.parquet").read_bytes() for out in ("t-1", "t-2", "turned-1", "turned-2")
    }
    assert data["t-1"] == data["turned-1"] != data["t-2"] == data["turned-2"]
    sordino.protect(tmp_path / "t.parquet", policy(), seed=1, jobs=2).write(tmp_path / "again")
    for path in (tmp_path / "again").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "t-1" / path.relative_to(tmp_path / "again")).read_bytes(), path


@pytest.mark.slow
def test_within_a_group_every_order_is_as_likely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many seeds a row shows its own value as often as any other of its group."""
    parquet.write_table(pa.table({"X": ["x", "y", "z"], "S": ["a", "b", "c"]}), tmp_path / "t.parquet")
    many(monkeypatch)
    asked = sordino.DiversityPolicy("S", ["X"], 3, mined=False)
    pairs: Counter[tuple[str, str]] = Counter()
    first: Counter[str] = Counter()
    for seed in range(150):
        release = sordino.protect(tmp_path / "t.parquet", asked, seed=seed)
        assert isinstance(release, StreamedGroups)
        (piece,) = release.shown.pieces(Watch(), "")
        pairs.update(("xyz"[r], "abc"[h]) for r, h in zip(piece.row.tolist(), piece.held.tolist(), strict=True))
        first["xyz"[int(piece.row[0])]] += 1
    assert all(30 <= pairs[x, s] <= 70 for x in "xyz" for s in "abc")  # 1 in 3 of 150 is 50
    assert all(30 <= first[x] <= 70 for x in "xyz")


@pytest.mark.parametrize("first", ["S", "X"])
def test_whose_value_is_whose_leaves_no_trace_for_one_who_knows_the_seed(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One group of all: whoever has which value, the same is published."""
    many(monkeypatch)
    asked = sordino.DiversityPolicy("S", ["X", "Y"], 4, mined=False)
    published = set()
    for turn, values in enumerate(permutations("abcd")):
        cells = {"S": values, "X": ["x", "y", "z", "z"], "Y": [10, 9, 8, 7]}
        names = [first, *(name for name in cells if name != first)]
        parquet.write_table(pa.table({name: pa.array(cells[name]) for name in names}), tmp_path / "t.parquet")
        sordino.protect(tmp_path / "t.parquet", asked, seed=5).write(tmp_path / str(turn))
        published.add((tmp_path / str(turn) / "publish/data.parquet").read_bytes())
    assert len(published) == 1


@pytest.mark.parametrize("form", ["permuted", "tables"])
def test_forgeries_are_found_out(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With checksums made anew: values moved between groups, a person more, groups in another order."""
    parquet.write_table(table(), tmp_path / "t.parquet")
    many(monkeypatch)
    name, column = ("data", "Disease") if form == "permuted" else ("values", "Disease")

    def forged(change: Any, name: str = name) -> Any:
        out = tmp_path / "out"
        sordino.protect(tmp_path / "t.parquet", policy(), form=form, seed=1).write(out, force=True)
        path = out / f"publish/{name}.parquet"
        schema = parquet.read_schema(path)
        made = change(parquet.read_table(path).to_pylist())
        parquet.write_table(pa.Table.from_pylist(made, schema=schema), path, store_schema=name == "data")
        reseal(path.parent)
        return sordino.verify(out)

    def same(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows

    def one_value(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, column: "flu"} if row["Group"] == 1 else row for row in rows]

    def one_more(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*rows[:1], *rows]

    def turned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows[::-1]

    def a_gap(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        last = max(row["Group"] for row in rows)
        return [{**row, "Group": row["Group"] + (row["Group"] == last)} for row in rows]

    assert forged(same).holds
    assert forged(one_value).answer is Answer.FAILS
    assert forged(one_more).answer is Answer.FAILS
    assert forged(turned).answer is Answer.NOT_CHECKED
    assert forged(a_gap).answer is Answer.FAILS
    assert forged(a_gap, "data").answer is Answer.FAILS
    assert forged(one_more, "data").answer is Answer.FAILS
    assert forged(turned, "data").answer is Answer.NOT_CHECKED


def test_a_source_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(monkeypatch)
    for seed, number in ((5, 700), (0, 701), (0, 699)):
        parquet.write_table(table(), tmp_path / "t.parquet")
        release = sordino.protect(tmp_path / "t.parquet", policy(), seed=1)
        parquet.write_table(table(number, seed), tmp_path / "t.parquet")
        with pytest.raises(InputError, match="the source changed"):
            release.write(tmp_path / "out")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["t.parquet"]


def test_a_file_that_reads_back_otherwise_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(table(), tmp_path / "t.parquet")
    many(monkeypatch)
    release = sordino.protect(tmp_path / "t.parquet", policy(), seed=1)
    add = parquet_pieces.ParquetPieces.add

    def less(self: Any, piece: Any) -> None:
        add(self, piece.slice(1) if len(piece) > 20 else piece)

    with monkeypatch.context() as patch:
        patch.setattr(parquet_pieces.ParquetPieces, "add", less)
        with pytest.raises(sordino.errors.InternalError, match="reads back as other rows"):
            release.write(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.parquet"]


def test_l_that_cannot_be_had_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(table(), tmp_path / "t.parquet")
    said = []
    for step in range(2):
        if step:
            many(monkeypatch)
        with pytest.raises(Unsatisfiable) as error:
            sordino.protect(tmp_path / "t.parquet", policy(7), seed=1)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "options", [{"alike": "no"}, {"choice": "nit"}, {"algorithm": "paper"}, {"alike": "no", "choice": "nit"}]
)
def test_every_option_of_the_method(options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(table(), tmp_path / "t.parquet")
    many(monkeypatch)
    monkeypatch.setattr(injector, "AT_ONCE", 150)
    monkeypatch.setattr(left_over, "REACH", 8)
    sordino.protect(tmp_path / "t.parquet", policy(), seed=1, **options).write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds


def test_rules_that_are_wrong_about_somebody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(900).to_pylist()
    for k in (3, 40):
        rows[k] |= {"Sex": "M", "Disease": "ovarian"}
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    asked = policy(2, min_confidence="0.99")
    whole = sordino.protect(tmp_path / "t.parquet", asked, seed=1)
    assert any(dict(rule.conditions) == {"Sex": "M"} and rule.excludes == "ovarian" for rule in whole.rules)
    many(monkeypatch)
    release = sordino.protect(tmp_path / "t.parquet", asked, seed=1)
    assert release.rules == whole.rules
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out", asked, original=tmp_path / "t.parquet").holds


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    parquet.write_table(table(), tmp_path / "t.parquet")
    (tmp_path / "policy.toml").write_text(
        'kind = "diversity"\nsensitive = "Disease"\nquasi = ["Age", "Sex", "Town"]\nl = 3\n'
        "[bins]\nAge = { quantile = 4 }\n"
    )
    many(monkeypatch)
    words = ["protect", str(tmp_path / "t.parquet"), "--policy", str(tmp_path / "policy.toml"), "--seed", "1"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    assert "700" in capsys.readouterr().out
    history = json.loads((tmp_path / "out/keep/audit.json").read_text())
    assert history["before"]["records"] == history["after"]["records"] == history["utility"]["records"] == 700
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert main(["audit", str(tmp_path / "out"), "--original", str(tmp_path / "t.parquet")]) == 0
    with pytest.raises(InputError, match="too large to be held"):
        sordino.protect(tmp_path / "t.parquet", policy(), seed=1).to_arrow()


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3), st.integers(1, 4)), min_size=2),
    st.integers(0, 5),
)
def test_expected_counts_are_those_of_a_look_at_every_person(rows: list[tuple[int, int, int, int]], seed: int) -> None:
    rows = sorted({row[:3]: row for row in rows}.values())
    frame = pa.table({"X": [f"x{r[0]}" for r in rows], "Y": [r[1] for r in rows], "S": [f"s{r[2]}" for r in rows]})
    weight = np.array([r[3] for r in rows])
    asked = sordino.DiversityPolicy("S", ["X", "Y"], 2, mined=False)
    distinct = asked.resolve(sordino.read_table(frame))
    each = asked.resolve(sordino.read_table(frame.take(pa.array(np.repeat(np.arange(len(rows)), weight)))))
    group = np.random.default_rng(seed).integers(0, 3, len(each))
    group = np.unique(group, return_inverse=True)[1]
    one = measure_groups(each, group_shares(group, each.value, len(each.names)), queries=40)
    kind = distinct.codes[0].astype(np.int64) * 3 + distinct.codes[1]
    _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dealt, "PIECE", 4)
        patch.setattr("sordino.utility.reconstruction.AT_ONCE", 3)
        counts = expected_counts(Dealt.of(group, weight), kind, first, distinct.value, len(distinct.names))
    weighted = type(distinct)(
        distinct.policy, distinct.codes, distinct.nodes, distinct.value, distinct.names, distinct.given, (), weight
    )
    other = measure_groups(weighted, counts, queries=40)
    for (name, a), b in zip(one.to_dict().items(), other.to_dict().values(), strict=True):
        if name != "seconds":
            assert a == b or a == pytest.approx(b), name


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 3), max_size=3), st.integers(1, 5)), min_size=1))
def test_the_largest_l_hangs_on_few_of_each_class(classes: list[tuple[int, set[int], int]]) -> None:
    """Against all people, also where rules are wrong about somebody."""
    from sordino.knowledge.exclusion import Exclusion

    sets, kind = np.unique([sum(1 << v for v in excluded) for _, excluded, _ in classes], return_inverse=True)
    value = np.array([v for v, _, _ in classes])
    weight = np.array([n for _, _, n in classes])
    bits = sets.astype(np.uint64).reshape(-1, 1)
    found = injector.largest_l(value, Exclusion(bits, kind.astype(np.int32)), weight=weight)
    everybody = possible_in_one_group(np.repeat(value, weight), np.repeat(kind, weight), bits)
    assert found == max(0, int(everybody.min()))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=1, max_size=30), st.integers(1, 9))
def test_people_are_dealt_as_they_were_told(rows: list[tuple[int, int]], piece: int) -> None:
    weight = np.array([n for _, n in rows])
    person = np.repeat(np.arange(len(rows)), weight)
    group = np.unique((person * 7 + np.arange(len(person))) % 5, return_inverse=True)[1].astype(np.int32)
    made = Dealt.of(group, weight)
    order = np.random.default_rng(0).permutation(len(made))
    told = []
    for place, members in made.pieces(order, piece):
        held: dict[int, list[int]] = {}
        for g, row in zip(place.tolist(), members.tolist(), strict=True):
            held.setdefault(g, []).append(row)
        assert sorted(held) == list(range(len(held)))
        told += [held[g] for g in range(len(held))]
    assert told == [sorted(person[group == g].tolist()) for g in order]


def test_the_same_groups_are_safe_for_rows_and_for_people(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The groups of the streamed path, told person by person, by the audit of tables that are held."""
    from sordino.audit.diversity import audit_groups, audit_pieces

    parquet.write_table(table(), tmp_path / "t.parquet")
    asked = policy()
    counted = read_counted.read_again(tmp_path / "t.parquet", (*QUASI, "Disease"), ("?",))
    resolved = asked.resolve(counted)
    known = assumed(resolved)
    group = np.random.default_rng(1).integers(0, 200, resolved.people)
    group = np.unique(group, return_inverse=True)[1]
    made = Dealt.of(group, resolved.weight)
    monkeypatch.setattr(dealt, "PIECE", 40)
    pieces = ((place, resolved.value[rows], known.exclusion.kind_of[rows]) for place, rows in made.pieces())
    found = audit_pieces(resolved, known, pieces)
    person = np.repeat(np.arange(len(resolved)), resolved.weight)
    cells = tuple(type(column)(column.name, column.codes[person], column.values) for column in counted.columns)
    each = asked.resolve(sordino.Table(cells))
    again = replace(known_rules(each, known.rules), mined=known.mined)
    assert _told(found) == _told(audit_groups(each, again, group, top=0))
    assert not found.holds


CHILD = """
import sys
import sordino
from sordino.data import read_counted
read_counted.MANY = 1
asked = sordino.DiversityPolicy("S", ["A", "B"], 3, mined=False)
steps = []
def tell(what, done, of):
    if what not in steps:
        steps.append(what)
        print(what, flush=True)
try:
    sordino.protect(sys.argv[1], asked, seed=1, progress=tell).write(sys.argv[2], progress=tell)
    print("done", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", ["forming groups", "writing rows", "reading back", "reading rows", "verifying"])
def test_ctrl_c_ends_it_soon_and_leaves_nothing(step: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 600_000
    cells = {"A": rng.integers(0, 100, rows), "B": rng.integers(0, 40, rows), "S": rng.integers(0, 9, rows)}
    (tmp_path / "in").mkdir()
    parquet.write_table(pa.table(cells), tmp_path / "in" / "t.parquet")
    words = [sys.executable, "-c", CHILD, str(tmp_path / "in/t.parquet"), str(tmp_path / "out")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        while (line := child.stdout.readline().strip()) != step:
            assert line, "it ended before"
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        rest = child.stdout.read()
        child.wait(30)
    assert time.monotonic() - began < 4  # two seconds, and a busy machine
    assert rest.split("\n")[-2] == "interrupted"
    for _ in range(100):
        if len(list(tmp_path.iterdir())) == 1:
            break
        time.sleep(0.02)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
