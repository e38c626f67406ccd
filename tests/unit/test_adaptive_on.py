"""Thresholds fixed from the original, the rule of Chen et al.: stated in the release, and checked as stated."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from sordino.data.baskets import Baskets
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.errors import InputError, PolicyError
from sordino.kinds import inference_proofs
from sordino.policy.inference import InferencePolicy
from sordino.policy.inference_file import write

EXAMPLE = ("a d α β", "a b d", "b c α β", "a c α", "a b α", "a α")


@pytest.fixture
def baskets() -> Baskets:
    return Baskets.from_sets(record.split() for record in EXAMPLE)


@pytest.fixture
def tree() -> Hierarchy:
    return hierarchy_of(("ALL", "A", "B", "a", "b", "c", "d"), (-1, 0, 0, 1, 1, 2, 2))


def policy(on: str) -> InferencePolicy:
    return InferencePolicy(["α", "β"], "0.3", adaptive=True, adaptive_on=on)


def test_the_papers_example_costs_five_and_not_seven(baskets: Baskets, tree: Hierarchy) -> None:
    """CHEN, Example 4: F(α) = 5/6 gives 0.3 + 5/6 - 2/5 = 11/15, F(β) = 1/3 gives 0.3."""
    costs = {}
    for on in ("original", "release"):
        release = sordino.protect(baskets, policy(on), method="lgps", hierarchy=tree, seed=0)
        assert release.audit_after.holds
        costs[on] = release.utility.to_dict()["ncp"]["ncp"]
        if on == "original":
            assert release.policy.rho_of == {"α": Fraction(11, 15), "β": Fraction(3, 10)}
            assert release.policy.adaptive is False
    assert costs == {"original": 5, "release": 7}


@pytest.mark.parametrize("method", ["mine", "dist", "lgps", "tdcontrol", "jia"])
def test_a_release_states_its_thresholds_and_verifies_by_them(
    method: str, baskets: Baskets, tmp_path: Path, tree: Hierarchy
) -> None:
    more = {"hierarchy": tree} if method in ("lgps", "tdcontrol") else {}
    release = sordino.protect(baskets, policy("original"), method=method, seed=0, **more)
    release.write(tmp_path / "release")
    assert sordino.verify(tmp_path / "release").holds
    kept = sordino.read_policy(tmp_path / "release" / "keep" / "policy.toml")
    assert kept.adaptive is False
    assert kept.rho_of["α"] == Fraction(11, 15)
    assert sordino.audit(tmp_path / "release").holds
    # An adaptive policy read on the release would ask something else: it is no answer to the stated one.
    with pytest.raises(InputError, match="thresholds from the original"):
        sordino.audit(tmp_path / "release", policy("original"), missing="accept")
    answer = sordino.verify(tmp_path / "release", policy=policy("original"))
    assert not answer.holds


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(write(policy("original")))
    assert 'adaptive_on = "original"' in file.read_text()
    assert sordino.read_policy(file) == policy("original")
    file.write_text(write(policy("release")))
    assert "adaptive_on" not in file.read_text()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(PolicyError, match='must be "release" or "original"'):
        InferencePolicy(["α"], "0.3", adaptive=True, adaptive_on="both")
    with pytest.raises(PolicyError, match="no threshold is adaptive"):
        InferencePolicy(["α"], "0.3", adaptive_on="original")
    source = inference_proofs.read([["a", "α"], ["a", "b"]], policy("original"))
    with pytest.raises(InputError, match="thresholds from the original"):
        inference_proofs.verify(source, policy("original"), {}, missing="accept")


def test_an_audit_says_whose_frequencies_it_took(baskets: Baskets) -> None:
    found = sordino.audit(baskets, policy("original"))
    assert any("taken to be the original" in remark for remark in found.remarks)
    assert not any("taken to be the original" in remark for remark in sordino.audit(baskets, policy("release")).remarks)
