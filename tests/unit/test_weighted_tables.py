"""Distinct rows with weights mean what the rows themselves mean: in audits with ranges, and for the method that decides
on combinations."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino.audit.template import audit_table
from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.engine.spark.rows import Counted, expanded
from sordino.engine.spark.templates import _decided
from sordino.protect.registry import find_method

Row = tuple[int, str, str, str]


def drawn(seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    ages, jobs, ills = (30, 34, 41, 60), ("nurse", "cook", "smith"), ("cold", "flu", "HIV")
    return [
        (
            int(rng.choice(ages)),
            str(rng.choice(jobs)),
            str(rng.choice(ills, p=[0.6, 0.3, 0.1])),
            str(rng.choice(["good", "bad"])),
        )
        for _ in range(200)
    ]


def table_of(rows: list[Row]) -> Table:
    names = ("age", "job", "illness", "rating")
    return sordino.read_table(pa.table({n: list(c) for n, c in zip(names, zip(*rows, strict=True), strict=True)}))


def weighted_table(rows: list[Row]) -> Table:
    counts = Counter(rows)
    distinct = sorted(counts)
    weight = np.array([counts[row] for row in distinct], dtype=np.int64)
    table = table_of(distinct)
    return replace(table, columns=tuple(replace(column, weight=weight) for column in table.columns))


POLICY = sordino.TemplatePolicy(
    [sordino.Template(["age", "job"], "illness", ["flu", "HIV"], "2/5")],
    class_column="rating",
    bins={"age": {"quantile": 3}},
)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_audit_with_ranges_counts_weights(seed: int) -> None:
    """The column of ranges is the first, which is asked for the weights of the table."""
    rows = drawn(seed)
    whole, few = audit_table(table_of(rows), POLICY), audit_table(weighted_table(rows), POLICY)
    assert len(set(rows)) < len(rows)
    assert (few.records, few.people_at_risk, few.above) == (whole.records, whole.people_at_risk, whole.above)
    assert few.ranges == whole.ranges
    assert [(t.broken, t.people) for t in few.templates] == [(t.broken, t.people) for t in whole.templates]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_disclosure_decides_on_weights_as_on_rows(seed: int) -> None:
    rows = drawn(seed)
    method = find_method("disclosure", "template").load_table()
    kept = []
    for table in (table_of(rows), weighted_table(rows)):
        resolved = POLICY.resolve(table)
        kept.append(method(table, resolved, seed=0, jobs=1, watch=Watch(), then_maximal=True))
    whole, few = kept[0], expanded(kept[1])[0]
    shown = [Counter(zip(*(column.cells() for column in table.columns), strict=True)) for table in (whole, few)]
    assert shown[0] == shown[1]
    assert audit_table(whole, POLICY, missing="accept").holds


def test_what_was_decided_is_told_row_by_row() -> None:
    """By hand: two equal rows of which one shows its job, and one row that shows nothing."""
    rows: list[Row] = [(30, "cook", "cold", "good")] * 2 + [(30, "smith", "flu", "bad")]
    table = weighted_table(rows)
    policy = sordino.TemplatePolicy([sordino.Template(["job"], "illness", ["flu"], "1/2")])
    whole, row = expanded(table)
    resolved = policy.resolve(whole)
    job = whole.column("job")
    kept = whole.with_column(job.replaced(np.array([0, 2, 2]), ["*"]))
    found = _decided(Counted(table, table.to_arrow()), resolved, kept, row)
    assert found.columns == ("job",)
    assert (found.cells, found.changed) == (3, 2)
    key = found.key.select(["row", "many", "o0", "m0"]).to_pylist()
    assert [line["many"] for line in key] == [True, False]
    assert key[1] == {"row": 1, "many": False, "o0": "smith", "m0": "*"}
    several = sorted((line["first"], line["upto"], line["m0"]) for line in found.several.to_pylist())
    assert several in ([(0, 1, "*"), (1, 2, "cook")], [(0, 1, "cook"), (1, 2, "*")])
