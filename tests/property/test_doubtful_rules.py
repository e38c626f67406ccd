"""Rules that are wrong about somebody (`min_confidence` below 1), from rows to a verified release, by brute force."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle_diversity as oracle
import sordino
from sordino.audit.diversity import possible_in_groups
from sordino.errors import Unsatisfiable
from sordino.kinds import read_policy
from sordino.knowledge.assumed import assumed
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity_file import write
from sordino.protect.exceptions import has_exceptions
from sordino.protect.injector import bucketize, bucketize_as_printed, largest_l
from tables import examples

VALUES = "stuvw"
Rows = list[dict[str, str]]


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """People of whom few with x have t, and few with p have u."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = []
    for _ in range(draw(st.integers(6, 40))):
        row = {
            "A": str(rng.choice(["x", "y"])),
            "B": str(rng.choice(["p", "q", "r"])),
            "S": str(rng.choice(list("stuv"))),
        }
        if ((row["A"], row["S"]) == ("x", "t") or (row["B"], row["S"]) == ("p", "u")) and rng.random() < 0.8:
            row["S"] = "s" if rng.random() < 0.5 else "v"
        rows.append(row)
    return rows


def beliefs(rows: Rows, confidence: str) -> list[set[str]]:
    """What the oracle's rules exclude for each row."""
    groups = {a: {v: {v: Fraction(1)} for v in {row[a] for row in rows}} for a in "AB"}
    rules = oracle.negative_rules(rows, groups, "S", Fraction(1, 2), Fraction(confidence), longest=2)
    plain = [({a: {label} for a, label in condition}, s) for condition, s in rules]
    return [oracle.excluded(row, plain) for row in rows]


def asked(size: int, confidence: str) -> sordino.DiversityPolicy:
    return sordino.DiversityPolicy(
        "S", ["A", "B"], size, min_expectation="0.5", max_conditions=2, min_confidence=confidence
    )


@given(tables(), st.sampled_from(["0.75", "0.9"]), st.sampled_from(["ours", "paper"]))
@settings(max_examples=examples(40), deadline=None)
def test_everybody_keeps_l_values_for_whoever_believes_the_rules(rows: Rows, confidence: str, algorithm: str) -> None:
    cannot = beliefs(rows, confidence)
    event(f"exceptions: {any(row['S'] in own for row, own in zip(rows, cannot, strict=True))}")
    whole = oracle.possible_by_pairs(cannot, [row["S"] for row in rows])
    best = 0 if whole is None else min(map(len, whole))
    with pytest.raises(Unsatisfiable):
        sordino.protect(rows, asked(max(best + 1, 2), confidence), seed=1, algorithm=algorithm)
    event(f"best: {best}")
    if best < 2:
        return
    release = sordino.protect(rows, asked(best, confidence), seed=1, algorithm=algorithm)
    codes = release.data.column(release.group).codes.tolist()
    for g in set(codes):
        members = [int(release.row[k]) for k, own in enumerate(codes) if own == g]
        held = oracle.possible_by_pairs([cannot[k] for k in members], [rows[k]["S"] for k in members])
        assert held is not None
        assert min(map(len, held)) >= best


@given(st.data(), st.integers(0, 3))
@settings(max_examples=examples(80), deadline=None)
def test_groups_of_people_who_have_what_they_cannot(data: st.DataObject, seed: int) -> None:
    """Any exclusions at all: the largest l of the brute force is had."""
    values = data.draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=12))
    cannot = [data.draw(st.sets(st.sampled_from(VALUES), max_size=2)) for _ in values]
    masks = [sum(1 << VALUES.index(v) for v in own) for own in cannot]
    kinds = sorted(set(masks))
    exclusion = Exclusion(
        np.array([[mask] for mask in kinds], dtype=np.uint64),
        np.array([kinds.index(mask) for mask in masks], dtype=np.int32),
    )
    value = np.array([VALUES.index(v) for v in values], dtype=np.int32)
    assert has_exceptions(value, exclusion) == any(v in own for v, own in zip(values, cannot, strict=True))
    whole = oracle.possible_by_pairs(cannot, values)
    best = 0 if whole is None else min(map(len, whole))
    assert largest_l(value, exclusion) == best
    for make in (bucketize, bucketize_as_printed):
        for size in range(2, best + 1):
            group = make(value, exclusion, size, np.random.default_rng(seed))
            possible, _ = possible_in_groups(value, exclusion.kind_of, exclusion.sets, group, jobs=1)
            assert possible.min() >= size


def doubtful() -> Rows:
    """Two of forty men have breast cancer; a rule at 0.95, and none at 1."""
    rows = [{"A": "M", "B": "pqr"[k % 3], "S": "stuv"[k % 4]} for k in range(38)] + [{"A": "M", "B": "p", "S": "w"}] * 2
    return rows + [{"A": "F", "B": "pqr"[k % 3], "S": "stuvw"[k % 5]} for k in range(40)]


def test_a_release_says_so_and_is_verified() -> None:
    rows, policy = doubtful(), sordino.DiversityPolicy("S", ["A", "B"], 3, min_confidence="0.95")
    certain = sordino.DiversityPolicy("S", ["A", "B"], 3)
    table = sordino.read_table(rows)
    believed = assumed(policy.resolve(table)).rules.source
    assert ("w", (("A", "M"),), 2) in {(rule.excludes, rule.conditions, rule.exceptions) for rule in believed}
    assert not any(rule.exceptions for rule in assumed(certain.resolve(table)).rules.source)
    release = sordino.protect(rows, policy, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "release"
        release.write(out)
        told = " ".join((out / "publish" / "README.txt").read_text(encoding="utf-8").split())
        assert "hold for at least 0.95 of those whom they speak of, and count as if they held for all" in told
        assert '"min_confidence": "0.95"' in (out / "publish" / "manifest.json").read_text(encoding="utf-8")
        assert sordino.verify(out).holds
        assert sordino.verify(out, policy, original=rows).holds
        assert read_policy(out / "keep" / "policy.toml") == policy
        assert "which rules are mined" in sordino.verify(out, certain).reason


def test_rules_as_certain_as_ever_change_nothing() -> None:
    policy = sordino.DiversityPolicy("S", ["A"], 2)
    assert "min_confidence" not in policy.statement()["knowledge"]
    assert "min_confidence" not in write(policy)
    for wrong in ("0", "1.1", "0.99999", "much"):
        with pytest.raises(sordino.PolicyError, match="min_confidence"):
            sordino.DiversityPolicy("S", ["A"], 2, min_confidence=wrong)
