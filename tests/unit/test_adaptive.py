"""Adaptive thresholds: they follow from what is published, every method goes on until they hold, and moves are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sordino
from sordino.release.baskets.thresholds import threshold_remarks

GROUPING = ("lgps", "tdcontrol", "cahd")
# 7 of 10 people have x, so at first it may be inferred with 80 %; a tells it for sure.
FREQUENT = [["a", "x"]] * 5 + [["x"]] * 2 + [["b"]] * 3


@pytest.mark.parametrize("method", GROUPING)
def test_groups_that_are_safe_together_but_not_by_themselves(method: str, tmp_path: Path) -> None:
    """The verifier asks every group; with thresholds that fell while groups were made, the sum alone would hold."""
    records = [["i2"], ["i0"], ["i0", "i1"], ["i0", "i1", "i3", "i4"], ["i0", "i1"]]
    policy = sordino.InferencePolicy(["i1", "i3", "i2"], "0.5", adaptive=True)
    out = sordino.protect(records, policy, method=method).write(tmp_path / "out")
    assert sordino.verify(out, None if method == "cahd" else policy).holds  # permuted data promise less than a policy


@pytest.mark.parametrize("method", GROUPING)
def test_small_tables_with_adaptive_thresholds_can_be_written(method: str, tmp_path: Path) -> None:
    made = 0
    for k in range(40):
        chance = np.random.default_rng([17, k])
        names = [f"i{j}" for j in range(5)]
        records = [[name for name in names if chance.random() < 0.55] for _ in range(5 + k % 4)]
        rule: Any = (True, "0.3", {"i1": "0.4"})[k % 3]
        policy = sordino.InferencePolicy(["i1", "i3"], "0.5", adaptive=rule)
        release = sordino.protect(records, policy, method=method, missing="accept")
        made += not release.audit_before.holds
        out = release.write(tmp_path / str(k))
        assert sordino.verify(out, None if method == "cahd" else policy).holds
    assert made > 20


@pytest.mark.parametrize("method", ["mine", "lgps"])
def test_the_house_is_told_which_thresholds_moved_and_why(method: str, tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5", adaptive=True)
    assert dict(policy.resolve(sordino.read_baskets(FREQUENT)).thresholds)["x"] == pytest.approx(0.8)
    release = sordino.protect(FREQUENT, policy, method=method)
    assert release.deletions > 0
    now = release.thresholds_after["x"]
    assert now < release.thresholds_before["x"]
    text = " ".join(release.remarks)
    assert "how frequent an item is in the published file" in text
    assert f"from 80% to {float(now):.0%}" in text
    out = release.write(tmp_path / "out")
    history = json.loads((out / "keep" / "audit.json").read_bytes())
    assert history["remarks"] == list(release.remarks)
    assert history["thresholds"]["before"] == {"x": "0.8"}
    assert f"from 80% to {float(now):.0%}" in (out / "keep" / "report.html").read_text()
    for path in (out / "publish").iterdir():  # it would tell how frequent x was
        if path.suffix != ".gz":
            assert "80%" not in path.read_text()
            assert '"0.8"' not in path.read_text()


def test_nothing_is_told_where_nothing_moved() -> None:
    plain = sordino.protect(FREQUENT, sordino.InferencePolicy(["x"], "0.5"))
    assert plain.remarks == ()
    rare = [["a", "x"], ["a"], ["a"], ["b"], ["c"], ["c", "x"]]
    adaptive = sordino.protect(rare, sordino.InferencePolicy(["x"], "0.4", adaptive=True))
    assert (adaptive.deletions > 0, adaptive.remarks) == (True, ())


def test_how_it_is_told() -> None:
    from fractions import Fraction

    policy = sordino.InferencePolicy(["x", "y", "z"], "0.5", adaptive=True)
    before = {"x": Fraction(7069, 10000), "y": Fraction(3, 5), "z": Fraction(1, 2)}
    text = " ".join(threshold_remarks(policy, before, {"x": Fraction(1, 2), "y": Fraction(11, 20)}))
    assert "changed 2 of 3 thresholds (the most from 70.69% to 50%)" in text
    assert "1 sensitive item vanished" in text
