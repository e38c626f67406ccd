"""More records than are put together in memory: safe, audited and proved part by part."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracle
import sordino
from sordino.audit import by_parts, spilled
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect import fewest, parts
from sordino.release.baskets import large
from sordino.release.baskets import parts as release_parts


def records(seed: int, number: int = 600) -> list[set[str]]:
    rng = np.random.default_rng(seed)
    return [{f"i{k}" for k in rng.zipf(1.4, rng.integers(1, 7)) % 40} for _ in range(number)]


SENSITIVE = tuple(f"i{k}" for k in range(0, 40, 3))
POLICY = sordino.InferencePolicy(SENSITIVE, "0.4")


def many(patch: pytest.MonkeyPatch) -> None:
    for module in (parts, fewest, large):
        patch.setattr(module, "TOGETHER", 50)


def protected(seed: int, number: int, knowledge: int | None = None) -> tuple[Baskets, Any]:
    baskets = Baskets.from_sets(records(seed))
    policy = sordino.InferencePolicy(SENSITIVE, "0.4", knowledge=knowledge).resolve(baskets, missing="accept")
    how: dict[str, Any] = {"jobs": 2, "watch": Watch(), "even": 0.0, "effort": fewest.EFFORT, "again": 1}
    return parts.protect_in_parts(baskets, policy, number, **how), policy


def proof_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def test_a_part_follows_from_what_is_published() -> None:
    """By the rarest harmless item, whatever the order of the records, or what is sensitive beside it."""
    rows = [{"a", "b", "x"}, {"b", "x"}, {"b"}, {"a", "c"}, {"x"}, set()]
    baskets = Baskets.from_sets(rows)  # a: 2, b: 3, c: 1
    part = by_parts.released_parts(baskets, np.array([name == "x" for name in baskets.names]), 1000)
    assert part[1] == part[2] != part[0]
    assert part[4] == part[5] == 0  # nothing harmless
    assert len(set(part.tolist())) == 4
    back = Baskets.from_sets(rows[::-1])
    sensitive = np.array([name == "x" for name in back.names])
    assert by_parts.released_parts(back, sensitive, 1000).tolist() == part.tolist()[::-1]
    without = Baskets.from_sets([row - {"x"} for row in rows])  # what is sensitive does not decide
    assert by_parts.released_parts(without, np.zeros(3, dtype=np.bool_), 1000).tolist() == part.tolist()


@pytest.mark.parametrize("knowledge", [None, 2])
@pytest.mark.parametrize("seed", range(4))
def test_every_part_of_the_result_is_safe_and_so_is_the_result(
    seed: int, knowledge: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(monkeypatch)
    after, policy = protected(seed, 5, knowledge)
    part = by_parts.released_parts(after, policy.sensitive, 5)
    held = list(after)
    for lot in range(5):
        inside = [held[k] for k in np.flatnonzero(part == lot)]
        assert oracle.holds(inside, SENSITIVE, policy.thresholds, knowledge)
    assert oracle.holds(held, SENSITIVE, policy.thresholds, knowledge)
    assert all(new <= old for old, new in zip(records(seed), held, strict=True))


def test_the_same_on_any_number_of_threads_and_little_more_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = Baskets.from_sets(records(7))
    policy = POLICY.resolve(baskets, missing="accept")
    how: dict[str, Any] = {"watch": Watch(), "even": 0.0, "effort": fewest.EFFORT, "again": 1}
    together = parts.protect_in_parts(baskets, policy, 4, jobs=1, **how)
    many(monkeypatch)
    found = [parts.protect_in_parts(baskets, policy, 4, jobs=jobs, **how) for jobs in (1, 3)]
    assert list(found[0]) == list(found[1])
    assert found[0].occurrences <= together.occurrences
    assert found[0].occurrences > 0.8 * together.occurrences


def test_the_audit_by_parts_agrees_with_that_of_the_whole() -> None:
    after, _ = protected(1, 3)
    policy = POLICY.resolve(after, missing="accept")
    whole = audit_baskets(after, policy)
    assert whole.holds
    found = by_parts.audit_by_parts(after, policy, 1, jobs=2, watch=Watch())
    assert found is not None
    assert found[0].holds
    assert found[0].people_at_risk == 0
    assert (found[0].records, found[0].items) == (whole.records, whole.items)
    raw = Baskets.from_sets(records(1))
    assert by_parts.audit_by_parts(raw, POLICY.resolve(raw, missing="accept"), 4, jobs=2, watch=Watch()) is None


@pytest.mark.parametrize("options", [{}, {"knowledge": 2}])
def test_a_release_is_proved_part_by_part_and_verified(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(monkeypatch)
    monkeypatch.setattr(spilled, "AT_ONCE", 1000)  # several groups
    policy = sordino.InferencePolicy(SENSITIVE, "0.4", **options)
    release = sordino.protect(records(3), policy, seed=1, parts=4)
    assert "groups by the rarest known item" in " ".join(release.audit_before.remarks)
    assert release.audit_before.people_at_risk == audit_baskets(Baskets.from_sets(records(3)), policy).people_at_risk
    assert release.utility.bound is None
    assert release.remarks[0] == "Made, audited and proved in 4 parts, each of which is safe by itself."
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out", policy).holds
    history = json.loads((tmp_path / "out/keep/audit.json").read_text())
    assert any("each of which is safe by itself" in remark for remark in history["after"]["remarks"])
    head, *proofs, _ = proof_lines(tmp_path / "out/publish/proof.json.gz")
    assert (head["parts"], head["records"], len(proofs)) == (4, 600, 4)
    baskets = release.published  # the parts are those that whoever has the file can make
    part = by_parts.released_parts(baskets, np.array([name in SENSITIVE for name in baskets.names]), 4)
    assert [proof["records"] for proof in proofs] == np.bincount(part, minlength=4).tolist()
    assert sum(len(entry["record"]) for proof in proofs for entry in proof["items"].values()) > 20
    again = sordino.protect(records(3), policy, seed=1, parts=4, jobs=1)
    again.write(tmp_path / "again", jobs=1)
    for name in ("proof.json.gz", "manifest.json"):
        assert (tmp_path / "out/publish" / name).read_bytes() == (tmp_path / "again/publish" / name).read_bytes()


def test_where_parts_do_not_prove_it_the_whole_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(monkeypatch)
    release = sordino.protect(records(3), POLICY, seed=1, parts=4)
    monkeypatch.setattr(release_parts, "audit_by_parts", lambda *_, **__: None)
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out", POLICY).holds
