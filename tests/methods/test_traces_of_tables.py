"""No trace of what was deleted from tables; how that is seen is said in test_traces.py."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from sordino.data.table import Table
from sordino.protect.registry import methods_for
from sordino.release.diversity.protect import _published
from sordino.release.numbering import row_numbers
from traces import IDS, SEED, differing, published

# Tables under templates


def people(chance: np.random.Generator) -> list[dict[str, Any]]:
    jobs = ["nurse", "clerk", "cook", "pilot, retired", "Ärztin"]
    return [
        {
            "job": None if chance.integers(12) == 0 else jobs[int(chance.integers(5))],
            "age": 20 + int(chance.integers(8)),
            "income": 1000.5 + 10 * int(chance.integers(4)),
            "city": ("X", "Y", "Z")[int(chance.integers(3))],
            "illness": ("flu", "hiv", "none")[int(chance.integers(3))],
            "class": ("good", "bad")[int(chance.integers(2))],
        }
        for _ in range(60)
    ]


TEMPLATES = sordino.TemplatePolicy(
    [
        sordino.Template(["job", "age"], "illness", "hiv", "0.5"),
        sordino.Template(["city", "income"], "illness", "flu", "0.45"),
    ],
    class_column="class",
)
FORMS: dict[str, Callable[[list[dict[str, Any]], Path], object]] = {}


def form(name: str) -> Callable[[Callable[[list[dict[str, Any]], Path], object]], None]:
    return lambda write: FORMS.__setitem__(name, write)


def csv_lines(rows: list[dict[str, Any]], between: str) -> str:
    def field(value: Any) -> str:
        text = "?" if value is None else str(value)
        return f'"{text}"' if "," in text else text

    lines = [between.join(rows[0]), *(between.join(map(field, row.values())) for row in rows)]
    return "\n".join(lines) + "\n"


@form("comma.csv")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    path.write_text(csv_lines(rows, ","))
    return path


@form("blank.csv.gz")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    path.write_bytes(gzip.compress(csv_lines(rows, "; ").encode()))
    return path


@form("t.jsonl")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


@form("t.parquet")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    parquet.write_table(pa.Table.from_pylist(rows), path)
    return path


@form("coded.parquet")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    table = pa.Table.from_pylist(rows)
    place = table.column_names.index("job")
    jobs = pa.array(["nobody's", *sorted({row["job"] for row in rows if row["job"]})])
    codes = pa.array([None if row["job"] is None else jobs.to_pylist().index(row["job"]) for row in rows], pa.int8())
    parquet.write_table(table.set_column(place, "job", pa.DictionaryArray.from_arrays(codes, jobs)), path)
    return path


@form("memory")
def _(rows: list[dict[str, Any]], path: Path) -> object:
    del path
    return rows


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("method", methods_for("template"))
@pytest.mark.parametrize("name", FORMS)
def test_a_run_on_a_published_table_publishes_the_same(name: str, method: str, ids: str, tmp_path: Path) -> None:
    rows = people(np.random.default_rng(4))
    release = sordino.protect(FORMS[name](rows, tmp_path / name), TEMPLATES, method=method, ids=ids, seed=SEED)
    assert release.utility.cells.suppressed > 0
    first = published(release, tmp_path / "1")
    (data,) = (path for path in (tmp_path / "1" / "publish").iterdir() if path.name.startswith("data."))
    options = {"delimiter": ";"} if name.startswith("blank") else {}
    table = sordino.read_table(data, **options)
    rerun = sordino.protect(table, TEMPLATES, method=method, ids=ids, seed=SEED)
    assert rerun.unchanged
    assert differing(first, published(rerun, tmp_path / "2")) == []


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("method", methods_for("template"))
@pytest.mark.parametrize("name", FORMS)
def test_tables_that_differ_in_suppressed_cells(name: str, method: str, ids: str, tmp_path: Path) -> None:
    compared = 0
    for turn in range(4):
        chance = np.random.default_rng([6, turn])
        rows = people(chance)
        release = sordino.protect(FORMS[name](rows, tmp_path / name), TEMPLATES, method=method, ids=ids, seed=SEED)
        hidden = [(row["row"], row["column"]) for row in release.changes.to_pylist()]
        first = published(release, tmp_path / f"{turn}")
        for attempt in range(3):
            other = [dict(row) for row in rows]
            if attempt < 2:  # other values of the column, or one that nobody else has
                for k, column in (hidden[j] for j in chance.choice(len(hidden), size=1 + attempt, replace=False)):
                    values = [row[column] for row in rows if row[column] is not None]
                    other[k][column] = values[int(chance.integers(len(values)))]
            else:  # every suppressed job under another name
                shown = {text for text in release.data.column("job").cells() if text is not None}
                for row in other:
                    if row["job"] is not None and row["job"] not in shown:
                        row["job"] = f"{row['job']}, as it were"
            rerun = sordino.protect(FORMS[name](other, tmp_path / name), TEMPLATES, method=method, ids=ids, seed=SEED)
            if rerun.data.same_cells(release.data):
                assert differing(first, published(rerun, tmp_path / f"{turn}-{attempt}")) == []
                compared += 1
    assert compared >= 3, compared


def test_the_order_of_rows_leaves_no_trace(tmp_path: Path) -> None:
    compared = 0
    for turn, method in enumerate(methods_for("template") * 3):
        rows = people(np.random.default_rng([7, turn]))
        seen: dict[Any, dict[str, bytes]] = {}
        for k, source in enumerate((rows, rows[::-1], sorted(rows, key=str))):
            data = FORMS["t.parquet"](source, tmp_path / "t.parquet")
            release = sordino.protect(data, TEMPLATES, method=method, seed=SEED)
            files = published(release, tmp_path / f"{turn}-{k}")
            content = tuple(sorted(str(release.data.row(u)) for u in range(len(rows))))
            compared += content in seen
            assert differing(seen.setdefault(content, files), files) == []
    assert compared > 0


def test_shuffled_rows_know_nothing_of_the_order_of_the_source() -> None:
    chance = np.random.default_rng(1)
    rows = people(chance)

    def shuffled(source: list[dict[str, Any]], seed: int) -> list[Any]:
        table = sordino.read_table(source)
        number = row_numbers(table, "shuffle", seed)
        assert sorted(number.tolist()) == list(range(1, len(rows) + 1))
        return [table.row(u) for u in number.argsort().tolist()]

    first = shuffled(rows, 0)
    plain_order = [sordino.read_table(rows).row(u) for u in range(len(rows))]
    assert first not in (plain_order, sorted(plain_order, key=str), sorted(plain_order, key=str)[::-1])
    assert shuffled(rows, 1) != first
    for _ in range(3):
        assert shuffled([rows[u] for u in chance.permutation(len(rows))], 0) == first


# Grouped tables


DIVERSITY = sordino.DiversityPolicy("illness", ["job", "age"], 2, mined=False)


@pytest.mark.parametrize("form_", ["permuted", "tables"])
@pytest.mark.parametrize("method", methods_for("diversity"))
@pytest.mark.parametrize("name", FORMS)
def test_columns_that_are_not_published_leave_no_trace(name: str, method: str, form_: str, tmp_path: Path) -> None:
    """Not even in the random choices of the method, the names of columns, or the types that are written."""
    rows = [
        {k: row[k] for k in ("city", "job", "age", "illness", "income")} for row in people(np.random.default_rng(9))
    ]
    rows = [{**row, "job": row["job"] or "none"} for row in rows]
    others = [
        rows,
        [{**row, "city": row["city"] * 3, "income": 7.25} for row in rows],
        [{**row, "city": k, "Group": "a, b"} for k, row in enumerate(rows)],
    ]
    found = []
    for k, source in enumerate(others):
        data = FORMS[name](source, tmp_path / name)
        release = sordino.protect(data, DIVERSITY, method=method, seed=SEED, form=form_)
        found.append(published(release, tmp_path / str(k)))
    assert differing(found[0], found[1]) == []
    assert differing(found[0], found[2]) == []


def test_whose_value_is_whose_leaves_no_trace() -> None:
    """With the same groups, neither the order of the rows nor who has which value of a group enters."""
    chance = np.random.default_rng(2)
    rows = [{k: row[k] for k in ("job", "age", "illness")} for row in people(chance)]
    group = chance.integers(0, 12, size=len(rows))

    def shown(source: list[dict[str, Any]], groups: Any) -> tuple[list[Any], list[int]]:
        table: Table = sordino.read_table(source)
        data, _, row = _published(table, DIVERSITY, np.asarray(groups, dtype=np.int64), SEED)
        return [data.row(u) for u in range(len(data))], row.tolist()

    first, where = shown(rows, group)
    quasi = [(row["job"], str(row["age"])) for row in rows]
    assert [line[:2] for line in first] == [quasi[u] for u in where]
    order = chance.permutation(len(rows))
    assert shown([rows[u] for u in order], group[order])[0] == first
    names = chance.permutation(12)
    assert shown(rows, names[group])[0] == first
    dealt = [dict(row) for row in rows]
    for g in range(12):
        members = np.flatnonzero(group == g)
        values = [rows[u]["illness"] for u in members]
        for u, value in zip(members, chance.permutation(values), strict=True):
            dealt[u]["illness"] = str(value)
    assert dealt != rows
    assert shown(dealt, group)[0] == first
