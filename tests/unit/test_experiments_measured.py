"""What experiments measure is what a release of the same method costs; runs are shared, and rules mined once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sordino.compare.request import read_variants
from sordino.compare.store import Store
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.experiments import setup as setups
from sordino.experiments.measured import ALL, NO_RULES, OTHERS, changed, holds_already, measured
from sordino.experiments.setup import Setup, cut, draw_sensitive
from sordino.policy.inference import InferencePolicy
from sordino.release.protect import protect_baskets
from sordino.sample import path
from sordino.utility import rules as rule_module
from sordino.utility.rules import FrequentSets, compare_rules

BASKETS = cut(read_baskets(path("pharmacy.csv")), 300)
POLICY = InferencePolicy(draw_sensitive(BASKETS, 0.4, 1), "0.5")


@pytest.mark.parametrize("method", ["mine", "jia:algorithm=paper:b_max=1000", "lgps", "tdcontrol", "cahd", "global"])
def test_the_measures_are_those_of_the_release(method: str) -> None:
    (variant,) = read_variants([method])
    change = changed(BASKETS, POLICY, variant.method, variant.options, seed=3, jobs=1, holds=False)
    found = measured(change, OTHERS, FrequentSets())
    cost = protect_baskets(
        BASKETS, POLICY, method=variant.method, seed=3, jobs=1, ids="keep", options=variant.options
    ).utility
    assert found["loss"] == pytest.approx(float(cost.ns))
    assert found["deleted"] == cost.occurrences - cost.left
    assert {key: found[key] for key in ("kl", "symmetric_kl")} == cost.divergence.to_dict()
    assert found["ncp"] == pytest.approx(float(cost.lost))
    assert cost.rules is not None
    for each in cost.rules.changes:
        share = f"{float(each.confidence):.0%}"
        assert (found[f"jaccard {share}"], found[f"hidden {share}"]) == (float(each.jaccard), each.hidden)
        assert found[f"pseudo {share}"] == each.pseudo
    assert found["seconds"] >= 0
    if variant.method in ("mine", "jia", "global"):  # which only delete
        assert 0 <= measured(change, ALL, FrequentSets())["rules lost"] <= 1
    assert not {"rules lost", "jaccard 30%"} & set(measured(change, NO_RULES, FrequentSets()))


def test_what_holds_is_not_changed() -> None:
    alone, harmless = Baskets.from_sets([{"a"}, {"b"}, {"a"}]), InferencePolicy(["b"], "0.5")
    assert not holds_already(BASKETS, POLICY, seed=0, jobs=1)
    assert holds_already(alone, harmless, seed=0, jobs=1)
    cell = Setup(quick=True).protect("sample", alone, harmless, "mine")
    assert (cell["loss"], cell["deleted"], cell["seconds"]) == (0.0, 0, 0.0)


def test_runs_are_shared_by_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One audit before for all methods; a run with rules serves figures without, not the other way round."""
    made: list[str] = []

    def noted(*arguments: object, **named: object) -> object:
        made.append("change")
        return changed(*arguments, **named)  # type: ignore[arg-type]

    def asked(*arguments: object, **named: object) -> bool:
        made.append("audit")
        return holds_already(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(setups, "changed", noted)
    monkeypatch.setattr(setups, "holds_already", asked)
    first = Setup(store=Store(tmp_path)).protect("sample", BASKETS, POLICY, "mine", rules=OTHERS)
    assert Setup(store=Store(tmp_path)).protect("sample", BASKETS, POLICY, "mine") == first
    assert made == ["audit", "change"]
    Setup(store=Store(tmp_path)).protect("sample", BASKETS, POLICY, "global")
    assert made == ["audit", "change", "change"]
    again = Setup(store=Store(tmp_path)).protect("sample", BASKETS, POLICY, "global", rules=OTHERS)
    assert "jaccard 30%" in again
    assert made == ["audit", "change", "change", "change"]


def test_rules_of_the_original_are_mined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    mined: list[int] = []
    frequent_sets = rule_module.frequent_sets

    def noted(*arguments: object) -> object:
        mined.append(len(mined))
        return frequent_sets(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(rule_module, "frequent_sets", noted)
    sets = FrequentSets()
    plain = compare_rules(BASKETS, BASKETS)
    del mined[:]
    assert compare_rules(BASKETS, BASKETS, mined=sets) == plain == compare_rules(BASKETS, BASKETS, mined=sets)
    assert len(mined) == 3, "before once, after twice"
    half = np.arange(len(BASKETS)) % 2 == 0
    assert sets.of(BASKETS, half, 2) == frequent_sets(BASKETS, half, 2) != sets.of(BASKETS, ~half, 2)
