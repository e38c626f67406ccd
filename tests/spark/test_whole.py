"""Parts put together on a cluster: it gains where it can, what does not hold is repaired, and else the parts remain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sordino
import sordino.spark
from sordino.engine.spark import whole
from sordino.engine.spark.frames import Coded, classes_of, coded_by, read_frame, totals_of
from sordino.engine.spark.place import Held
from sordino.policy.inference import ResolvedInference

POLICY = sordino.InferencePolicy([f"i{k}" for k in range(0, 100, 3)], "0.5")


def drawn(seed: int, records: int = 800) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [sorted({f"i{k}" for k in rng.zipf(1.3, 5) % 100}) for _ in range(records)]


RECORDS = drawn(3)
SAME = ("rid", "first", "weight", "codes")


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame([(record,) for record in RECORDS], "items array<string>")


def protected(frame: Any, mode: str) -> Any:
    return sordino.spark.protect(frame, POLICY, mode=mode, parts=4, seed=1, missing="accept")


def everything(rows: Any, *_: object, **__: object) -> Any:
    return rows.selectExpr(*SAME, "codes as kept")


def as_it_is(rows: Any, *_: object, **__: object) -> Any:
    return rows


def classes(frame: Any) -> tuple[Coded, ResolvedInference]:
    read = read_frame(frame, "items", None, POLICY.sensitive)
    totals = totals_of(read)
    coded = classes_of(coded_by(read.frame.select("items"), totals.names), totals)
    return coded, POLICY.resolve(totals, missing="accept")


def shown_by(release: Any) -> list[list[str]]:
    return [row["items"] for row in release.dataframe.toArrow().to_pylist()]


@pytest.fixture(scope="module")
def parts(frame: Any) -> Any:
    return protected(frame, "parts")


def test_putting_back_gains(frame: Any, parts: Any) -> None:
    release = protected(frame, "whole")
    local = sordino.protect(RECORDS, POLICY, seed=1, jobs=1, missing="accept")
    assert sordino.audit(shown_by(release), POLICY, missing="accept").holds
    lost_by_dividing = parts.deletions - local.deletions
    assert lost_by_dividing > 10
    assert release.deletions - local.deletions < lost_by_dividing / 2


def test_the_audit_sees_who_is_at_risk_and_only_they_lose_something(frame: Any) -> None:
    coded, resolved = classes(frame)
    rows = coded.frame.selectExpr("rid", "0L as first", "weight", "codes", "codes as kept")  # nothing is deleted
    guilty = whole._guilty(rows, coded.totals, resolved, 4)
    local = sordino.audit(RECORDS, POLICY, missing="accept")
    names = coded.totals.names
    risky = {tuple(sorted(names[c] for c in row["shown"])) for row in guilty.to_pylist()}
    assert sum(tuple(sorted(record)) in risky for record in RECORDS) == local.people_at_risk > 0
    for row in guilty.to_pylist():
        gone = set(row["shown"]) - set(row["rest"])
        assert gone
        assert {names[c] for c in gone} <= set(POLICY.sensitive)
    after = [row.asDict() for row in whole._less(rows, guilty).collect()]
    rest = {tuple(row["shown"]): row["rest"] for row in guilty.to_pylist()}
    assert len(after) == rows.count()
    for row in after:
        assert row["kept"] == rest.get(tuple(row["codes"]), row["codes"])


def test_what_the_audit_finds_is_repaired(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything was given back to people who showed nothing, and nobody repaired it: this is left to the audits."""
    monkeypatch.setattr(whole, "_tried", everything)
    coded, resolved = classes(frame)
    nothing = coded.frame.selectExpr("rid", "0L as first", "weight", "codes", "array_except(codes, codes) as kept")
    with Held() as held:
        rows, audits = whole.put_back(nothing, coded, resolved, 4, held, only=False)
        kept = [row for row in rows.collect() for _ in range(row["weight"])]
    assert audits > 1  # the first one found somebody
    shown = [[coded.totals.names[c] for c in row["kept"]] for row in kept]
    assert sum(map(len, shown)) > 0.7 * sum(map(len, RECORDS))
    assert all(set(row["kept"]) <= set(row["codes"]) for row in kept)
    assert sordino.audit(shown, POLICY, missing="accept").holds


def test_what_cannot_be_repaired_leaves_the_parts(frame: Any, parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "_tried", everything)
    monkeypatch.setattr(whole, "_less", as_it_is)
    monkeypatch.setattr(whole, "_repaired", as_it_is)
    release = protected(frame, "whole")
    assert release.deletions == parts.deletions
    assert sorted(shown_by(release)) == sorted(shown_by(parts))
