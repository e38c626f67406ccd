"""Results as frames: what is published and nothing else, in the types that came in; and as pages in print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sordino

RECORDS = [{"a", "x"}, {"a"}, {"b", "x"}, {"b"}, {"a", "b", "c"}, set()]
POLICY = sordino.InferencePolicy(["x"], "0.4")
LONG = pd.DataFrame(
    {"customer": [7, 7, 9, 9, 12, 12, 15], "product": ["a", "x", "a", "b", "b", "x", "c"], "day": [1] * 7}
)
BANK = {"job": ["cook", "cook", "clerk", "clerk"], "age": [30, 41, 30, 52], "debt": ["yes", "yes", "no", "no"]}
TEMPLATE = sordino.TemplatePolicy([sordino.Template(["job"], "debt", "yes", "0.5")])


def test_baskets_as_lists_and_back() -> None:
    baskets = sordino.read_baskets(RECORDS)
    table = baskets.to_arrow()
    assert table.column_names == ["items"]
    assert [set(row) for row in table["items"].to_pylist()] == RECORDS
    assert list(sordino.read_baskets(table)) == list(map(frozenset, RECORDS))
    assert list(sordino.read_baskets(pl.DataFrame(baskets))) == list(map(frozenset, RECORDS)), "by the capsule alone"
    assert pa.table(baskets).equals(table)


def test_long_rows_stay_long_with_their_types() -> None:
    baskets = sordino.read_baskets(LONG, record="customer", item="product")
    frame = baskets.to_pandas()
    assert list(frame.columns) == ["customer", "product"]
    assert frame["customer"].dtype == np.int64
    pairs = set(zip(frame["customer"], frame["product"], strict=True))
    assert pairs == set(zip(LONG["customer"], LONG["product"], strict=True))
    assert set(baskets.to_polars().rows()) == pairs


def test_tables_keep_types_and_missing_values() -> None:
    table = sordino.read_table({**BANK, "city": ["x", None, "y", "x"]})
    frame = table.to_pandas()
    assert frame["age"].tolist() == BANK["age"]
    assert table.to_arrow()["city"].to_pylist() == ["x", None, "y", "x"]
    assert table.to_arrow().schema.field("age").type == pa.int64()
    assert sordino.read_table(table.to_polars()).same_cells(table)


@pytest.mark.parametrize("ids", ["shuffle", "keep"])
def test_a_release_hands_on_what_is_published(tmp_path: Path, ids: str) -> None:
    """Against the written file: never the order or the ids of the source unless they are published."""
    release = sordino.protect(LONG, POLICY, record="customer", item="product", ids=ids, seed=4)
    release.write(tmp_path / "out")
    (file,) = (tmp_path / "out" / "publish").glob("data.*")
    written = sordino.read_baskets(file, layout="list", record="customer", item="product")
    frame = release.to_pandas()
    assert written.ids is not None
    rows = [(int(u), i) for u, record in zip(written.ids, written, strict=True) for i in sorted(record) or [None]]
    assert list(zip(frame["customer"], frame["product"], strict=True)) == rows
    assert (set(frame["customer"]) == {7, 9, 12, 15}) is (ids == "keep")
    audit = sordino.audit(release, POLICY, record="customer", item="product", missing="accept")
    assert audit.holds


def test_a_table_and_a_grouped_release(tmp_path: Path) -> None:
    release = sordino.protect(BANK, TEMPLATE, seed=3)
    release.write(tmp_path / "out")
    (file,) = (tmp_path / "out" / "publish").glob("data.*")
    assert release.to_polars().rows() == sordino.read_table(file).to_polars().rows()
    sick = {"sex": ["m", "f"] * 6, "disease": ["flu", "cold", "gout"] * 4}
    groups = sordino.protect(sick, sordino.DiversityPolicy("disease", ["sex"], 2, mined=False), seed=3)
    assert groups.to_arrow().num_rows == 12
    assert groups.to_arrow().column_names == list(groups.data.names)


@pytest.mark.parametrize("method", ["lgps", "cahd"])
def test_records_in_groups_say_which(method: str) -> None:
    records = [{"a", "x"}, {"a"}, {"b"}, {"b"}, {"c"}, {"b", "c"}] * 4
    release = sordino.protect(records, POLICY, method=method, seed=1)
    frame = release.to_arrow()
    told = release.published_groups
    assert frame["group"].to_pylist() == told.group.tolist()
    assert [frozenset(row) for row in frame["items"].to_pylist()] == list(told.baskets)


def test_how_records_lie_can_be_said_to_every_verb() -> None:
    held = sordino.read_baskets(LONG, record="customer", item="product")
    form: dict[str, Any] = {"record": "customer", "item": "product"}
    assert sordino.audit(LONG, POLICY, **form).people_at_risk == sordino.audit(held, POLICY).people_at_risk
    assert sordino.compare(LONG, POLICY, **form).records == 4
    with pytest.raises(sordino.InputError, match="no option 'record'"):
        sordino.audit(BANK, TEMPLATE, record="job")


def test_print_shows_a_page_and_repr_stays_short() -> None:
    strict = sordino.InferencePolicy(["x"], "0.3")
    audit = sordino.audit(RECORDS, strict)
    assert str(audit).startswith("NOT SAFE: ")
    assert "People at risk" in str(audit)
    assert "sordino protect" not in str(audit), "this is no command line"
    assert "\n" not in repr(audit)
    release = sordino.protect(RECORDS, strict, seed=1)
    assert "What it cost" in str(release)
    assert "\n" not in repr(release)
    assert str(release.utility).splitlines()[0]
    assert "AuditResult(" not in str(release) + str(audit)
    assert str(sordino.compare(RECORDS, POLICY)).startswith("Take '")
    for result in (sordino.audit(BANK, TEMPLATE), sordino.protect(BANK, TEMPLATE, seed=1)):
        assert "\n" in str(result)
        assert "(holds=" not in str(result)
