"""The method `twins` against the oracle of absence, its options, its releases and what the verifier says of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import oracle_absence
import sordino
from absent import Case, any_tables, twin_tables
from forging import reseal
from sordino.data.baskets import Baskets
from sordino.data.write import encoded
from sordino.engine.local import Watch
from sordino.errors import InputError, PolicyError
from sordino.protect import twins
from sordino.protect.registry import METHODS
from sordino.verify.shapes.absence import count_twins
from tables import examples, random_table

slow = [HealthCheck.too_slow]


def protect(case: Case, **options: Any) -> list[frozenset[str]]:
    release = sordino.protect(case.records, case.policy, jobs=1, seed=0, missing="accept", **options)
    assert release.method == "twins"
    after = list(release.data)
    assert all(new <= old for new, old in zip(after, case.records, strict=True))
    return after


@given(st.one_of(any_tables(), twin_tables()), st.booleans(), st.integers(0, 3))
@settings(max_examples=examples(1200), suppress_health_check=slow)
def test_nothing_can_be_inferred_whatever_is_known(case: Case, only_sensitive: bool, sweeps: int) -> None:
    after = protect(case, only_sensitive=only_sensitive, sweeps=sweeps)
    assert oracle_absence.holds(after, case.rho_of, case.rho_of)
    secret = case.rho_of.keys()
    if only_sensitive:
        assert [record - secret for record in after] == [record - secret for record in case.records]
    if oracle_absence.holds(case.records, case.rho_of, case.rho_of):
        event("safe as it was")
        assert after == case.records


@given(st.one_of(any_tables(items=4, records=7), twin_tables(items=4)))
@settings(max_examples=examples(200), suppress_health_check=slow)
def test_every_predicate_is_withstood(case: Case) -> None:
    assert oracle_absence.safe_from_every_predicate(protect(case), case.rho_of, case.rho_of)


@given(any_tables(items=4, records=4))
@settings(max_examples=examples(60), suppress_health_check=slow, deadline=None)
def test_never_less_than_the_least(case: Case) -> None:
    """And never more than all that is sensitive beside something else."""
    if sum(map(len, case.records)) > 9:
        return
    after = protect(case)
    lost = sum(map(len, case.records)) - sum(map(len, after))
    beside = sum(len(record & case.rho_of.keys()) for record in case.records if len(record) > 1)
    least = oracle_absence.least_loss(case.records, case.rho_of, case.rho_of)
    event(f"{lost - least} more than the least")
    assert least <= lost <= beside


@pytest.mark.parametrize("capacity", [0, 1, 30])
def test_without_room_for_more_places_the_result_is_still_safe(capacity: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "_room", lambda _: capacity)
    table = random_table(200, 12, 5, seed=3)
    policy = sordino.InferencePolicy(["0", "3", "7"], "0.6", absent="any")
    baskets = Baskets.from_sets(table)
    result = METHODS["twins"].load()(baskets, policy.resolve(baskets), seed=0, jobs=1, watch=Watch())
    assert count_twins(result, dict.fromkeys("037", Fraction(3, 5)))[1] == ""


@pytest.mark.parametrize("limit", ["INNER", "EFFORT"])
def test_with_few_harmless_parts_to_choose_from(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, limit, 1)
    table = random_table(300, 14, 6, seed=5)
    sensitive = [str(k) for k in range(0, 14, 2)]
    release = sordino.protect(table, sordino.InferencePolicy(sensitive, "0.7", absent="any"), seed=1)
    assert count_twins(release.data, dict.fromkeys(sensitive, Fraction(7, 10)))[1] == ""


def test_giving_up_a_harmless_item_can_keep_two_sensitive_ones() -> None:
    """{a, b, x, y} beside {a}, {a, x}, {a, y}, {a, x}: shown as {a, x, y} it loses one item instead of two."""
    table = [set("abxy"), set("a"), set("a"), set("ax"), set("ay")]
    policy = sordino.InferencePolicy(["x", "y"], "1/2", absent="any")
    assert sordino.protect(table, policy, seed=0).deletions == 1
    assert sordino.protect(table, policy, seed=0, only_sensitive=True).deletions == 2


def test_seeds_and_threads() -> None:
    table = Baskets.from_sets(random_table(2000, 40, 6, seed=8))
    policy = sordino.InferencePolicy([str(k) for k in range(0, 40, 3)], "0.6", absent="any").resolve(table)
    results = {}
    for seed in (0, 1):
        for jobs in (1, 2, 3):
            after = METHODS["twins"].load()(table, policy, seed=seed, jobs=jobs, watch=Watch())
            results[seed, jobs] = after.indptr.tobytes() + after.items.tobytes()
        assert results[seed, 1] == results[seed, 2] == results[seed, 3]
    assert results[0, 1] != results[1, 1]


def test_more_sweeps_never_lose_more() -> None:
    table = random_table(3000, 40, 6, seed=9)
    policy = sordino.InferencePolicy([str(k) for k in range(0, 40, 3)], "0.6", absent="any")
    lost = [sordino.protect(table, policy, seed=0, sweeps=sweeps).deletions for sweeps in (0, 1, 2, 4, 8)]
    assert lost == sorted(lost, reverse=True)
    assert lost[0] > lost[-1]


@pytest.mark.parametrize("value", ["perhaps", 2, None])
def test_bad_options(value: object) -> None:
    table, policy = [{"a", "e"}, {"a", "b"}], sordino.InferencePolicy(["e"], "1/2", absent="any")
    with pytest.raises(InputError, match="only_sensitive must be true or false"):
        sordino.protect(table, policy, only_sensitive=value)
    with pytest.raises(InputError, match="sweeps must be a whole number"):
        sordino.protect(table, policy, sweeps=-1)


def test_adaptive_thresholds_follow_from_the_result() -> None:
    table = [record | {"0"} if u % 5 else record for u, record in enumerate(random_table(80, 10, 4, seed=6))]
    policy = sordino.InferencePolicy(list("0123"), "0.4", adaptive=True, absent="any")
    release = sordino.protect(table, policy, seed=0)
    share = Counter(item for record in release.data for item in record)
    rho_of = {e: Fraction(2, 5) + max(Fraction(0), Fraction(share[e], 80) - Fraction(2, 5)) for e in "0123"}
    assert count_twins(release.data, rho_of)[1] == ""


@pytest.mark.parametrize("method", [name for name, m in METHODS.items() if "inference" in m.kinds and not m.absent])
def test_methods_that_cannot_say_so(method: str) -> None:
    policy = sordino.InferencePolicy(["e"], "1/2", absent="any")
    with pytest.raises(InputError, match="what people do not have") as caught:
        sordino.protect([{"a", "e"}, {"a", "b"}], policy, method=method)
    assert "twins" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ({"knowledge": 2}, "limited number of known items"),
        ({"per_record": {0: ["a"]}}, "choices of single persons"),
        ({"except_for": {0: ["e"]}}, "choices of single persons"),
        ({"assurance": sordino.policy.assurance.Assurance("0.1", "0.1", 3)}, "sampled assurance"),  # type: ignore[attr-defined]
    ],
)
def test_what_does_not_work_beside_absence_yet(beside: dict[str, Any], named: str) -> None:
    with pytest.raises(PolicyError, match=named):
        sordino.InferencePolicy(["e"], "1/2", absent="any", **beside)


@pytest.mark.parametrize("absent", ["all", 1, "", True])
def test_absence_is_any_or_nothing(absent: Any) -> None:
    with pytest.raises(PolicyError, match='absent must be "any"'):
        sordino.InferencePolicy(["e"], "1/2", absent=absent)


# The release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = random_table(300, 12, 5, seed=4)
    policy = sordino.InferencePolicy(["0", "3", "7"], "0.6", rho_of={"3": "1/3"}, absent="any")
    return sordino.protect(table, policy, seed=1).write(tmp_path / "out")


def test_a_release_is_its_own_proof(folder: Path) -> None:
    assert sorted(path.name for path in (folder / "publish").iterdir()) == [
        "README.txt",
        "check.html",
        "data.jsonl",
        "manifest.json",
        "report.html",
    ]
    verdict = sordino.verify(folder)
    assert verdict.holds
    assert sordino.verify(folder, sordino.read_policy(folder / "keep" / "policy.toml")).holds
    manifest = json.loads((folder / "publish" / "manifest.json").read_text())
    assert (manifest["shape"], manifest["policy"]["absent"]) == ("absence", "any")
    text = " ".join((folder / "publish" / "README.txt").read_text().split())
    assert "that some are present, that some are absent, or any combination of both" in text
    assert "how many items a record holds" in text
    assert "Knowing what a person does NOT have" not in text
    assert sordino.audit(folder, sordino.read_policy(folder / "keep" / "policy.toml")).holds


def test_the_same_policy_without_absence_is_another(folder: Path) -> None:
    weaker = sordino.InferencePolicy(["0", "3", "7"], "0.6", rho_of={"3": "1/3"})
    verdict = sordino.verify(folder, weaker)
    assert not verdict.holds
    assert "they differ in whether somebody may know what a person does not have" in verdict.reason


def test_a_release_without_absence_is_no_release_with_it(tmp_path: Path) -> None:
    table = random_table(300, 12, 5, seed=4)
    plain = sordino.InferencePolicy(["0", "3", "7"], "0.6")
    out = sordino.protect(table, plain, seed=1).write(tmp_path / "out")
    strict = sordino.InferencePolicy(["0", "3", "7"], "0.6", absent="any")
    assert sordino.verify(out).holds
    assert "whether somebody may know" in sordino.verify(out, strict).reason
    assert not sordino.audit(out, strict).holds


def rewritten(folder: Path, records: list[list[str]]) -> Path:
    """The folder with other data, and a manifest and texts that fit them: only counting can tell."""
    publish = folder / "publish"
    form = sordino.read_baskets(publish / "data.jsonl").origin
    (publish / "data.jsonl").write_bytes(encoded(Baskets.from_sets(records), form))
    reseal(publish)
    return folder


def published(folder: Path) -> list[list[str]]:
    lines = (folder / "publish" / "data.jsonl").read_text().splitlines()
    return [list(map(str, json.loads(line))) for line in lines]


def test_the_verifier_counts_for_itself(folder: Path, tmp_path: Path) -> None:
    records = published(folder)
    assert sordino.verify(rewritten(folder, records)).holds
    found = 0
    thresholds = {"0": Fraction(3, 5), "3": Fraction(1, 3), "7": Fraction(3, 5)}
    for number, record in enumerate(records[:60]):
        for item in record:
            other = [[i for i in r if i != item] if u == number else r for u, r in enumerate(records)]
            judged = oracle_absence.twins_hold([frozenset(r) for r in other], thresholds, thresholds)
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            verdict = sordino.verify(rewritten(copy, other))
            shutil.rmtree(copy)
            assert verdict.holds == judged
            found += not judged
            if not judged:
                assert "too few twins" in verdict.reason
    assert found > 3


@pytest.mark.parametrize("absent", [None, "some", 1])
def test_a_manifest_that_says_something_else_is_refused(folder: Path, absent: object) -> None:
    from sordino.verify.manifest_file import sealed

    path = folder / "publish" / "manifest.json"
    document = {key: value for key, value in json.loads(path.read_text()).items() if key != "sha256"}
    document["policy"]["absent"] = absent
    path.write_bytes(sealed(document))
    assert not sordino.verify(folder).holds


def test_a_proof_says_nothing_about_absence() -> None:
    records = [{"a", "e"}, {"a", "b"}]
    from sordino.audit.proof import make_proof

    plain = sordino.InferencePolicy(["e"], "1/2")
    strict = sordino.InferencePolicy(["e"], "1/2", absent="any")
    baskets = Baskets.from_sets(records)
    proof = make_proof(baskets, plain.resolve(baskets))
    assert sordino.verify(records, plain, proof).holds
    with pytest.raises(InputError, match="says nothing about knowledge of what people do not have"):
        sordino.verify(records, strict, proof)
    with pytest.raises(InputError, match="alibis prove nothing"):
        make_proof(baskets, strict.resolve(baskets))


def test_a_policy_file_reads_back(tmp_path: Path) -> None:
    from sordino.policy.file import write_policy

    policy = sordino.InferencePolicy(["e"], "1/2", absent="any")
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(policy))
    assert sordino.read_policy(path) == policy
    path.write_text(
        'kind = "inference"\n[sensitive]\nitems = ["e"]\n[threshold]\nrho = "1/2"\n[knowledge]\nabsent = 3\n'
    )
    with pytest.raises(PolicyError, match='absent must be "any"'):
        sordino.read_policy(path)
    path.write_text(path.read_text().replace("absent = 3", 'absent = "any"\nitems = 2'))
    with pytest.raises(PolicyError, match="limited number"):
        sordino.read_policy(path)


def test_what_is_asked_of_it_is_only_what_absence_needs() -> None:
    """Every record without anything sensitive stays as it is."""
    rng = np.random.default_rng(2)
    table = [{str(k) for k in rng.choice(30, size=4)} for _ in range(400)]
    policy = sordino.InferencePolicy(["0", "1", "2"], "0.5", absent="any")
    release = sordino.protect(table, policy, seed=0)
    for old, new in zip(table, release.data, strict=True):
        assert old & {"0", "1", "2"} or old == new
