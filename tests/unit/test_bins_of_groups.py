"""Numeric quasi-identifiers in ranges: rules speak of these, and what is published stays as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import sordino
from sordino.cli import main
from sordino.data.table import Column, Table
from sordino.errors import PolicyError, Unsatisfiable
from sordino.knowledge.assumed import assumed
from sordino.policy.bins import Bins, range_tree
from sordino.policy.diversity import DiversityPolicy
from sordino.protect.injector import largest_l
from sordino.sample import path
from sordino.words.diversity import audit_steps
from sordino.words.steps import Asked


def young_and_old() -> Table:
    """Nobody under 40 has gout, and nobody of 40 and more has mumps; but hardly an age is there twice."""
    ages = [*range(20, 40), *range(40, 60)] * 2
    diseases = []
    for k, age in enumerate(ages):
        diseases.append(("mumps", "flu", "cold")[k % 3] if age < 40 else ("gout", "flu", "cold")[k % 3])
    return Table((Column.of_texts("age", list(map(str, ages))), Column.of_texts("disease", diseases)))


def known(policy: DiversityPolicy) -> set[str]:
    """What the data teach, as texts."""
    return {
        f"{rule.knowledge()} excludes {rule.excludes}" for rule in assumed(policy.resolve(young_and_old())).rules.source
    }


def test_rules_about_ranges_are_found_only_with_ranges() -> None:
    assert not [text for text in known(DiversityPolicy("disease", ["age"], 2)) if "40" in text]
    cut = known(DiversityPolicy("disease", ["age"], 2, bins={"age": {"edges": [40]}}, fuzzy=()))
    assert {"{age=under 40} excludes gout", "{age=40 and over} excludes mumps"} <= cut


def test_many_numbers_without_ranges_are_warned_about() -> None:
    found = sordino.audit(young_and_old(), DiversityPolicy("disease", ["age"], 2))
    assert any("'age' has 40 different numbers" in remark and "[bins]" in remark for remark in found.remarks)
    ranged = sordino.audit(young_and_old(), DiversityPolicy("disease", ["age"], 2, bins={"age": {"width": 10}}))
    assert not any("different numbers" in remark for remark in ranged.remarks)
    given = sordino.audit(young_and_old(), DiversityPolicy("disease", ["age"], 2, mined=False))
    assert not any("different numbers" in remark for remark in given.remarks)


def test_a_release_keeps_the_numbers_and_the_ranges(tmp_path: Path) -> None:
    policy = DiversityPolicy("disease", ["age"], 2, bins={"age": {"quantile": 4}})
    release = sordino.protect(young_and_old(), policy, seed=0)
    assert release.audit_after.holds
    out = release.write(tmp_path / "release")
    assert sordino.verify(out).holds
    assert set(release.data.column("age").texts) == set(map(str, range(20, 60)))
    kept = sordino.read_policy(out / "keep" / "policy.toml")
    assert set(kept.hierarchies) == {"age"}
    assert not kept.bins
    assert sordino.audit(out, kept, original=young_and_old()).holds


def test_a_policy_with_ranges_is_another_than_one_without(tmp_path: Path) -> None:
    """A release whose adversary knew single ages only does not satisfy who asks for ranges."""
    release = sordino.protect(young_and_old(), DiversityPolicy("disease", ["age"], 2), seed=0)
    out = release.write(tmp_path / "release")
    asked = DiversityPolicy("disease", ["age"], 2, bins={"age": {"edges": [40]}})
    assert not sordino.verify(out, policy=asked).holds


def test_the_ranges_are_those_that_are_stated() -> None:
    texts, counts = ["5", "10", "15", "20"], [1, 1, 1, 1]
    for stated, ranges in (
        ({"edges": [10, 20]}, {"under 10", "10 to under 20", "20 and over"}),
        ({"width": 10}, {"under 10", "10 to under 20", "20 and over"}),
        ({"quantile": 2}, {"under 15", "15 and over"}),
    ):
        tree = range_tree(texts, counts, Bins.read(stated))
        inner = {name for v, name in enumerate(tree.names) if tree.size[v] > 1 and v}
        single = {tree.names[v] for v in tree.children(0).tolist()}
        assert single == ranges
        assert inner <= ranges
        assert {tree.names[leaf] for leaf in tree.leaves} == set(texts)
    assert range_tree(texts, counts, Bins.read({"edges": [100]})).height == 1
    with pytest.raises(ValueError, match="no plain numbers"):
        range_tree(["1", "young"], [1, 1], Bins.read({"width": 10}))


def test_a_file_of_a_policy_says_the_same(tmp_path: Path) -> None:
    from sordino.policy.diversity_file import write

    policy = DiversityPolicy(
        "disease",
        ["age", "size", "kg"],
        2,
        bins={"age": {"edges": [18, "65.5"]}, "size": {"quantile": 3}, "kg": {"width": "2.5"}},
    )
    file = tmp_path / "policy.toml"
    file.write_text(write(policy))
    assert sordino.read_policy(file) == policy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[bins]\nheight = { width = 10 }", "is no quasi-identifier"),
        ("[bins]\nage = { width = 0 }", "width must be above 0"),
        ("[bins]\nage = 10", "write { quantile = 4 }"),
        ("mined = true", "'mined' does not belong here: write it in [knowledge]"),
        ("[knowledge]\nl = 3", "'l' does not belong in [knowledge]: write it at the top of the file"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(f'kind = "diversity"\nsensitive = "disease"\nquasi = ["age"]\nl = 2\n{text}\n')
    with pytest.raises(PolicyError) as error:
        sordino.read_policy(file)
    assert words in str(error.value)


def test_words_cannot_be_cut_into_ranges() -> None:
    with pytest.raises(PolicyError, match="no plain numbers"):
        sordino.audit(young_and_old(), DiversityPolicy("age", ["disease"], 2, bins={"disease": {"width": 1}}))


def test_hierarchies_are_built_for_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "age.csv"
    assert (
        main(
            ["hierarchy", "build", str(path("patients.csv")), "--column", "age", "--edges", "30,65", "--out", str(out)]
        )
        == 0
    )
    tree = sordino.read_hierarchy(out)
    assert {tree.names[v] for v in tree.children(0).tolist()} == {"under 30", "30 to under 65", "65 and over"}
    assert main(["audit", str(path("patients.csv")), "--help"]) == 0
    capsys.readouterr()
    for words, said in (
        (["--column", "age"], "in one way"),
        (["--column", "agee", "--width", "5"], "Did you mean 'age'"),
        (["--column", "region", "--width", "5"], "no plain numbers"),
        (["--width", "5"], "it needs --column"),
        (["--column", "age", "--fanout", "3", "--width", "5"], "cut into ranges"),
    ):
        code = main(["hierarchy", "build", str(path("patients.csv")), *words, "--out", str(tmp_path / "new.csv")])
        assert code == 2
        assert said in capsys.readouterr().err


def test_the_audit_tells_what_more_conditions_would_find() -> None:
    policy = DiversityPolicy("diagnosis", ["sex", "region", "education"], 3)
    (told,) = [r for r in sordino.audit(path("patients.csv"), policy).remarks if "combines more" in r]
    for conditions in (2, 3):
        wider = replace(policy, max_conditions=conditions).resolve(sordino.read_table(path("patients.csv")))
        knowledge = assumed(wider)
        best = largest_l(wider.value, knowledge.exclusion)
        assert f"up to {conditions} conditions, {len(knowledge.rules):,} rules and l = {best} at most" in told
    assert "The largest max_conditions under which l = 3 can be had is" in told
    assert not [
        r for r in sordino.audit(path("patients.csv"), replace(policy, max_conditions=None)).remarks if "more" in r
    ]


def test_a_policy_that_cannot_be_met_says_what_can_be_done() -> None:
    policy = DiversityPolicy("diagnosis", ["sex", "region"], 17)
    resolved = policy.resolve(sordino.read_table(path("patients.csv")))
    best = largest_l(resolved.value, assumed(resolved).exclusion)
    for asked in (policy, replace(policy, max_conditions=None)):
        audit = sordino.audit(path("patients.csv"), asked)
        (told,) = [r for r in audit.remarks if "l = 17 cannot be had under these rules" in r]
        assert "What helps: a smaller l" in told
        ((step, command),) = audit_steps(audit.to_dict(), Asked())
        assert "The policy cannot be met: change it first" in step
        assert command is None, "protect would fail"
        if asked is policy:
            assert audit.to_dict()["largest_l"] == best < 17
    ((_, command),) = audit_steps({**audit.to_dict(), "l": best, "largest_l": best}, Asked())
    assert command == "sordino protect DATA --policy POLICY --out release"
    with pytest.raises(Unsatisfiable) as error:
        sordino.protect(path("patients.csv"), policy)
    for words in ("The largest l that can be had is", "a smaller l", "max_conditions", "a column less"):
        assert words in str(error.value)
