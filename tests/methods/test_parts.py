"""Large tables in parts: which record goes where, and that the union, with what is put back, is safe and no worse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from sordino.cli import main
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect import fewest, parts
from sordino.protect.kernels.common import begin
from sordino.protect.workspace import Workspace
from tables import Case, examples, quiet_tables

NAMED = begin  # the kernel that lets a ledger begin with what the parts deleted


def resolved(baskets: Baskets, *sensitive: str) -> Any:
    return sordino.InferencePolicy(sensitive, "0.5").resolve(baskets, missing="accept")


def test_a_record_goes_where_its_rarest_harmless_item_says() -> None:
    records = [{"a", "rare", "x"}, {"rare"}, {"a", "b", "x"}, {"b", "y"}, {"x", "y"}, set(), {"a"}, {"a", "rare", "y"}]
    baskets = Baskets.from_sets(records)
    part = parts.part_of(baskets, resolved(baskets, "x", "y"), 1000)
    assert part[0] == part[1] == part[7]  # by "rare"
    assert part[2] == part[3]  # by "b"
    assert len({int(part[0]), int(part[2]), int(part[6])}) == 3
    assert part[4] == part[5] == 0  # nothing harmless
    back = Baskets.from_sets(records[::-1])
    assert parts.part_of(back, resolved(back, "x", "y"), 1000).tolist() == part.tolist()[::-1]
    without = Baskets.from_sets([record - {"x", "y"} for record in records])  # what is sensitive does not decide
    assert parts.part_of(without, resolved(without, "x", "y"), 1000).tolist() == part.tolist()


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(quiet_tables(), st.integers(2, 5))
def test_the_union_is_safe_and_putting_back_loses_no_more(case: Case, number: int) -> None:
    baskets = Baskets.from_sets(case.records)
    policy = case.policy.resolve(baskets, missing="accept")
    how: dict[str, Any] = {"jobs": 1, "watch": Watch(), "even": 0.0, "effort": fewest.EFFORT}
    union = parts.protect_in_parts(baskets, policy, number, again=0, **how)
    more = parts.protect_in_parts(baskets, policy, number, again=1, **how)
    assert more.occurrences >= union.occurrences
    for after in (union, more):
        assert all(new <= old for old, new in zip(case.records, after, strict=True))
        assert oracle.holds(list(after), case.policy.sensitive, policy.thresholds, case.policy.knowledge)


def test_the_same_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(5)
    records = [{f"i{k}" for k in rng.zipf(1.4, 6) % 60} for _ in range(800)]
    policy = sordino.InferencePolicy([f"i{k}" for k in range(0, 60, 3)], "0.4")
    whole = sordino.protect(records, policy, seed=1, jobs=1)
    some = [sordino.protect(records, policy, seed=1, jobs=jobs, parts=4) for jobs in (1, 3)]
    assert list(some[0].data) == list(some[1].data)
    assert some[0].deletions <= whole.deletions * 1.1
    assert some[0].remarks == ("Made in 4 parts, and audited as a whole (--parts 1: in one).",)


def test_putting_back_brings_back_what_parts_could_not_know() -> None:
    """In parts of their own both records with a would have had no alibi; together they have."""
    baskets = Baskets.from_sets([{"a", "x"}, {"a"}, {"b"}])
    policy = resolved(baskets, "x")
    kept = np.array([True, False, True, True])  # x is deleted from the first record
    union = Baskets.from_sets([{"a"}, {"a"}, {"b"}])
    space = Workspace(baskets, policy, jobs=1, watch=Watch())
    assert list(space.put_back(union, kept, even=0.0, effort=1000, again=1)) == [{"a", "x"}, {"a"}, {"b"}]


def test_many_records_are_divided_by_themselves_and_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parts, "LARGE", 30)
    monkeypatch.setattr(parts, "SIZE", 15)
    data = tmp_path / "shop.dat"
    data.write_text("a b x\na b\na x\nc d\n" * 10)
    assert parts.usual_parts(29) == 1
    assert parts.usual_parts(40) == 3
    words = ["protect", str(data), "--sensitive", "x", "--rho", "0.5", "--seed", "1"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    assert "40 records are made safe in 3 parts (--parts), each by itself." in capsys.readouterr().err
    assert '"parts": 3' in (tmp_path / "out" / "keep" / "audit.json").read_text()
    assert main([*words, "--parts", "1", "--out", str(tmp_path / "one")]) == 0
    assert "made safe in" not in capsys.readouterr().err
    assert '"parts": 1' in (tmp_path / "one" / "keep" / "audit.json").read_text()
    assert sordino.verify(tmp_path / "out").holds


@pytest.mark.parametrize("number", [0, -1, "many", 1.5, 10_001])
def test_numbers_that_are_none(number: object) -> None:
    with pytest.raises(InputError, match="parts must be a whole number"):
        sordino.protect([{"a", "x"}, {"b"}], sordino.InferencePolicy(["x"], "0.5"), parts=number)


def test_not_for_choices_of_single_persons() -> None:
    policy = sordino.InferencePolicy(["x"], "0.5", per_record={0: ["a"]})
    with pytest.raises(InputError, match="part_size"):
        sordino.protect([{"a", "x"}, {"b", "x"}, {"a"}], policy, parts=2)
