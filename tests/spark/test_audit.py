"""The audit on a cluster is the audit of one machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sordino
import sordino.spark
from sordino.audit.by_rarest import divide, rank_items, ship
from sordino.engine.spark.routing import labels
from sordino.engine.spark.shipping import repeated, ship_all
from sordino.errors import InputError, PolicyError


def drawn(seed: int, records: int = 60, items: int = 9) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.05, 0.6, items)
    return [[f"i{k}" for k in np.flatnonzero(rng.random(items) < chance)] for _ in range(records)]


def same(found: Any, local: Any) -> None:
    assert found.answer == local.answer
    assert found.people_at_risk == local.people_at_risk
    assert dict(found.exposure_by_knowledge) == dict(local.exposure_by_knowledge)
    assert (found.records, found.items) == (local.records, local.items)
    assert found.frequent == local.frequent


@pytest.mark.parametrize("groups", [1, 3, 40])
def test_every_group_gets_what_it_is_owed(groups: int) -> None:
    baskets = sordino.Baskets.from_sets(drawn(groups, 200, 14))
    code, rank = rank_items(baskets.supports)
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    items = rank[baskets.items][np.lexsort((rank[baskets.items], owner))]
    sensitive = np.arange(len(code)) % 3 == 0
    bounds = divide(baskets.supports[code], len(baskets), groups)
    rows = ship_all(baskets.indptr, items, sensitive, bounds)
    for g in range(len(bounds) - 1):
        part = ship(baskets.indptr, items, sensitive, bounds, g, np.arange(len(baskets)))
        mine = np.flatnonzero(rows.group == g)
        assert rows.record[mine].tolist() == part.record.tolist()
        for k, row in enumerate(mine):
            got = rows.items[rows.ptr[row] : rows.ptr[row + 1]].tolist()
            assert got == part.items[part.ptr[k] : part.ptr[k + 1]].tolist()
            assert len(got) + rows.cut[row] == baskets.lengths[rows.record[row]]


def test_records_count_as_often_as_they_weigh() -> None:
    part = repeated(np.array([7, 9]), np.array([2, 1]), np.array([0, 2, 3]), np.array([4, 5, 6], dtype=np.int32))
    assert part.record.tolist() == [7, 7, 9]
    assert part.items.tolist() == [4, 5, 4, 5, 6]
    assert part.ptr.tolist() == [0, 2, 4, 5]


def test_every_group_has_a_task_of_its_own(spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    for pieces in (1, 5, 32):
        rows = spark.createDataFrame([(label,) for label in labels(spark, pieces) for _ in range(3)], "label int")
        tasks = (
            rows.repartition(pieces, "label").select(F.spark_partition_id().alias("p"), "label").distinct().collect()
        )
        assert len({row["p"] for row in tasks}) == len({row["label"] for row in tasks}) == pieces


@pytest.mark.parametrize(("seed", "groups"), [(1, 1), (2, 8), (3, 32)])
def test_random_tables_as_on_one_machine(spark: Any, seed: int, groups: int) -> None:
    records = drawn(seed)
    frame = spark.createDataFrame([(r,) for r in records], "items array<string>")
    for policy in (
        sordino.InferencePolicy(["i1", "i4", "i7"], "1/2"),
        sordino.InferencePolicy(["i0", "i2", "i3"], "0.3", knowledge=2, adaptive=True),
    ):
        same(sordino.spark.audit(frame, policy, groups=groups), sordino.audit(records, policy))


def test_rows_of_one_item_each(spark: Any) -> None:
    rows = [(1, 5), (1, 7), (2, 5), (2, 7), (2, 7), (3, 5), (4, None)]
    frame = spark.createDataFrame(rows, "person int, product int")
    policy = sordino.InferencePolicy(["7"], "1/2")
    found = sordino.spark.audit(frame, policy, items="product", record="person", groups=2)
    same(found, sordino.audit([["5", "7"], ["5", "7"], ["5"], []], policy))
    assert [(f.antecedent, f.consequent, f.people) for f in found.findings] == [(("5",), "7", 2)]


def test_texts_for_a_missing_value_are_no_items(spark: Any) -> None:
    records = [["a", "NA"], ["?", "b"], ["b", "a", "NA", "null"], ["NA"]] * 9
    frame = spark.createDataFrame([(record,) for record in records], "items array<string>")
    for sensitive in (["a"], ["a", "NA"]):
        policy = sordino.InferencePolicy(sensitive, "0.4")
        held = sordino.read_baskets(frame.toArrow(), expected=sensitive)
        assert len(held.names) == len(sensitive) + 1
        same(sordino.spark.audit(frame, policy), sordino.audit(held, policy))


def test_skewed_records_and_ten_thousand_sensitive_items(spark: Any) -> None:
    """Nearly all records are equal, one item is in all of them, and most of the items are sensitive and rare."""
    rng = np.random.default_rng(1)
    rare = [["all", *(f"s{k}" for k in np.unique(rng.integers(0, 10_000, 30)))] for _ in range(300)]
    records = [*([["all", "bread"]] * 700), *([["all", "bread", "s1"]] * 300), *rare, ["all"]]
    frame = spark.createDataFrame([(r,) for r in records], "items array<string>")
    policy = sordino.InferencePolicy([f"s{k}" for k in range(10_000)], "1/2", knowledge=2)
    same(
        sordino.spark.audit(frame, policy, groups=8, missing="accept"),
        sordino.audit(records, policy, missing="accept"),
    )


def test_choices_of_single_persons_hold_if_they_hold_for_all(spark: Any) -> None:
    """By the audit of one machine, which follows each of them; where that is not enough, nothing is claimed."""
    records = drawn(4)
    people = [(str(k), record) for k, record in enumerate(records)]
    frame = spark.createDataFrame(people, "person string, items array<string>")
    choices = {"1": ["i1"], "2": ["i1", "i4"], "3": ["i99"]}  # nobody has the last one
    answers = []
    for rho in ("1/10", "99/100"):
        policy = sordino.InferencePolicy(["i7"], rho, per_record=choices, rho_of={"i4": rho}, knowledge=1)
        assert set(policy.for_everybody().sensitive) == {"i1", "i4", "i7", "i99"}
        found = sordino.spark.audit(frame, policy, record="person", groups=2)
        answers.append(str(found.answer))
        held = sordino.Baskets.from_sets(records, ids=[name for name, _ in people])
        if found.holds:
            assert sordino.audit(held, policy, missing="accept").holds
        else:
            assert (found.people_at_risk, found.findings) == (0, ())
            assert "sordino.audit does so" in found.unchecked[0]
    assert answers == ["not checked", "holds"]


def test_what_is_wrong_is_said_before_anything_runs(spark: Any) -> None:
    frame = spark.createDataFrame([([1.5], "x")], "items array<double>, item string")
    policy = sordino.InferencePolicy(["x"], "1/2")
    with pytest.raises(InputError, match="wrong type"):
        sordino.spark.audit(frame, policy)
    with pytest.raises(InputError, match="there is no column 'itms'"):
        sordino.spark.audit(frame, policy, items="itms")
    with pytest.raises(InputError, match="whose it is"):
        sordino.spark.audit(frame, policy, items="item")
    with pytest.raises(InputError, match="not a Spark DataFrame"):
        sordino.spark.audit([["x"]], policy)
    own = sordino.InferencePolicy(["x"], "1/2", per_record={"1": ["x"]})
    with pytest.raises(InputError, match="single persons"):
        sordino.spark.protect(frame, own, items="item")
    with pytest.raises(PolicyError, match="nothing as sensitive"):
        sordino.spark.audit(frame, sordino.InferencePolicy([], "1/2"), items="item")
    listed = spark.createDataFrame([(["a", "x"],)], "items array<string>")
    with pytest.raises(PolicyError, match="occurs in no record"):
        sordino.spark.audit(listed, sordino.InferencePolicy(["y"], "1/2"))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("a", ["b"]), (None, ["x"])], "the record id is missing"),
        ([("a", ["b"]), ("", ["x"])], "the record id is missing"),
        ([("a", ["b"]), ("a", ["x"])], "record ids repeat others"),
        ([("a", ["b"]), ("a ", ["x"])], "1 record id differs from others only by blanks"),
        ([("\u00e9", ["b"]), ("e\u0301", ["x"]), ("a", ["b"])], "1 record id differs from others only by blanks"),
        ([("a", ["x"]), ("b", ["x "])], "1 item differs from others only by blanks"),
    ],
)
def test_ids_that_do_not_tell_people_apart_are_refused(spark: Any, rows: list[Any], told: str) -> None:
    """Two rows of one person would count as two persons, and what they have together would not be seen."""
    frame = spark.createDataFrame(rows, "person string, items array<string>")
    policy = sordino.InferencePolicy(["x"], "1/2")
    for verb in (sordino.spark.audit, sordino.spark.protect):
        with pytest.raises(InputError, match=told):
            verb(frame, policy, record="person")
