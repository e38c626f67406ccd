"""Generalized releases under absent = "any": every group against the oracle of absence, the verifier, and the words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import oracle_absence
import sordino
from absent import Case, any_tables, twin_tables
from forging import reseal
from sordino.audit.generalization import audit_generalized
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.read_hierarchy import read_hierarchy
from sordino.data.write import encoded
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.release.coarsened.result import CoarsenedRelease
from tables import examples, random_table

TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"]}}


def groups(data: Generalized) -> list[list[frozenset[str]]]:
    found: list[list[frozenset[str]]] = [[] for _ in range(data.groups)]
    for record, g in zip(data.baskets, data.group.tolist(), strict=True):
        found[g].append(record)
    return found


@given(
    st.one_of(any_tables(), twin_tables()), st.sampled_from(("lgps", "tdcontrol")), st.sampled_from(("best", "valid"))
)
@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_in_every_group_nothing_can_be_inferred_whatever_is_known(case: Case, method: str, divide: str) -> None:
    options = {"divide": divide} if method == "lgps" else {}
    release = sordino.protect(case.records, case.policy, method=method, jobs=1, seed=0, missing="accept", **options)
    assert release.audit_after.holds
    if not isinstance(release, CoarsenedRelease):  # nothing had to be changed
        assert oracle_absence.holds(case.records, list(case.rho_of), case.rho_of)
        return
    event("in groups")
    assert isinstance(release.coarse, Generalized)
    for group in groups(release.coarse):
        assert oracle_absence.holds(group, list(case.rho_of), case.rho_of)


@st.composite
def shown(draw: st.DrawFn) -> Generalized:
    """Records of two groups at the cuts {A, B} and {a, b, B}, as they come."""
    group = draw(st.lists(st.integers(0, 1), min_size=1, max_size=10))
    group = sorted(group)
    kinds = [
        draw(st.lists(st.frozensets(st.sampled_from(names)), min_size=1, max_size=4)) for names in ("ABef", "abBef")
    ]
    tree = read_hierarchy(TREE)
    records = [draw(st.sampled_from(kinds[g - group[0]])) for g in group]
    opened = ((0,), (0, 1))[: len(set(group))]
    numbers = np.array([g - group[0] for g in group], dtype=np.int32)
    return Generalized(Baskets.from_sets(records), numbers, tree, opened, tree.labels)


@given(shown(), st.sampled_from(("1/2", "1/3", "0.7")))
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
def test_the_audit_looks_at_every_group(data: Generalized, rho: str) -> None:
    policy = sordino.InferencePolicy(["e", "f"], rho, absent="any")
    rho_of = {"e": policy.rho, "f": policy.rho}
    result = audit_generalized(data, policy, jobs=1)
    at_risk = [oracle_absence.people_at_risk(group, "ef", rho_of) for group in groups(data)]
    event(f"holds: {not any(at_risk)}")
    assert result.holds == (not any(at_risk))
    assert audit_generalized(data, policy, by_group=True, jobs=1).holds == result.holds
    if result.exact["people_at_risk"]:
        assert result.people_at_risk == sum(map(len, at_risk))
    for finding in result.findings:
        g = int(finding.antecedent[0].removeprefix("presence in group "))
        match = oracle_absence.matching(groups(data)[g], set(finding.antecedent[1:]), set(finding.absent))
        assert (finding.support, finding.with_consequent) == (
            len(match),
            sum(finding.consequent in record for record in match),
        )
        assert finding.confidence > policy.rho


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    policy = sordino.InferencePolicy(["0", "3", "7"], "0.6", rho_of={"3": "1/3"}, absent="any")
    return sordino.protect(random_table(300, 12, 5, seed=4), policy, method="lgps", seed=1).write(tmp_path / "out")


def test_a_release_in_groups_is_its_own_proof(folder: Path) -> None:
    names = sorted(path.name for path in (folder / "publish").iterdir())
    data = ["data.jsonl", "groups.json.gz", "hierarchy.json"]
    assert names == sorted(["README.txt", "check.html", "manifest.json", "report.html", *data])
    assert sordino.verify(folder).holds
    policy = sordino.read_policy(folder / "keep" / "policy.toml")
    assert sordino.verify(folder, policy).holds
    assert sordino.audit(folder, policy).holds
    manifest = json.loads((folder / "publish" / "manifest.json").read_text())
    assert (manifest["shape"], manifest["policy"]["absent"]) == ("generalized_absence", "any")
    text = " ".join((folder / "publish" / "README.txt").read_text().split())
    assert "that some are present, that some are absent, or any combination of both" in text
    assert "proof.json.gz" not in text


def test_a_generalized_release_without_absence_is_none_with_it(tmp_path: Path) -> None:
    plain = sordino.InferencePolicy(["0", "3", "7"], "0.6")
    strict = sordino.InferencePolicy(["0", "3", "7"], "0.6", absent="any")
    out = sordino.protect(random_table(300, 12, 5, seed=4), plain, method="lgps", seed=1).write(tmp_path / "out")
    assert sordino.verify(out, plain).holds
    assert "whether somebody may know" in sordino.verify(out, strict).reason
    assert not sordino.audit(out, strict).holds


def test_the_verifier_counts_in_every_group(folder: Path) -> None:
    """Without one of its items a record is somebody's twin no more, or has none: with all texts made to fit."""
    publish = folder / "publish"
    data = sordino.read_baskets(publish / "data.jsonl")
    records = list(data)
    refused = 0
    for number in range(0, 60, 3):
        if len(records[number]) < 2:
            continue
        other = list(records)
        other[number] = other[number] - {min(other[number])}
        (publish / "data.jsonl").write_bytes(encoded(Baskets.from_sets(other), data.origin))
        reseal(publish)
        verdict = sordino.verify(folder)
        refused += "too few twins" in verdict.reason
        assert verdict.answer in (Answer.HOLDS, Answer.FAILS)
    assert refused > 2


def test_permuted_data_are_refused(tmp_path: Path) -> None:
    table = random_table(100, 12, 4, seed=1)
    with pytest.raises(InputError, match="does not protect against"):
        sordino.protect(table, sordino.InferencePolicy(["0"], "1/2", absent="any"), method="cahd")
    out = sordino.protect(table, sordino.InferencePolicy(["0"], "1/2"), method="cahd", seed=1).write(tmp_path / "out")
    with pytest.raises(InputError, match="permuted data cannot be audited"):
        sordino.audit(out, sordino.InferencePolicy(["0"], "1/2", absent="any"))
