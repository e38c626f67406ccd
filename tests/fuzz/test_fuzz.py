"""The fuzzer itself: it is deterministic, reaches everything, and finds, kills and shrinks what was planted.

The last test is its short form: some tables of a fixed seed, and nothing to be found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracle
import oracle_disclosure
from counting import exposure_of, personal_fewest
from fuzz import forms, generate_baskets, generate_diversity, generate_templates, table_forms
from fuzz.__main__ import main
from fuzz.case import BasketCase, Case, from_json, to_json
from fuzz.driver import Plan, run
from fuzz.generate import case_of
from fuzz.leash import Leash
from fuzz.shrink import shrink, smaller
from sordino.protect.registry import METHODS, methods_for

MANY = 1500


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case_of(0, number) for number in range(MANY)]


# What is generated


def test_cases_follow_from_the_seed_and_survive_a_file(cases: list[Case]) -> None:
    for number, case in enumerate(cases[:200]):
        assert case == case_of(0, number)
        assert case == from_json(json.loads(json.dumps(to_json(case))))
    assert case_of(1, 0) != cases[0]


def test_everything_has_its_turn(cases: list[Case]) -> None:
    """Every method with every option, every form, and all that a policy can say. A new option needs values to try."""
    known: Mapping[str, Mapping[str, object]] = {
        "inference": generate_baskets.OPTIONS,
        "template": generate_templates.OPTIONS,
        "diversity": generate_diversity.OPTIONS,
    }
    seen = {(case.kind, case.method, option) for case in cases for option in case.options}
    for kind, values in known.items():
        for name in methods_for(kind):
            assert METHODS[name].options.keys() <= values.keys()
            assert {(kind, name, option) for option in METHODS[name].options} <= seen
            assert any(case.kind == kind and case.method == name for case in cases)
    assert {case.form for case in cases if case.kind == "inference"} == set(forms.FORMS)
    for kind in ("template", "diversity"):
        assert {case.form for case in cases if case.kind == kind} == set(table_forms.FORMS)
    baskets = [case for case in cases if isinstance(case, BasketCase)]
    said = (
        any(case.own for case in baskets),
        any(case.less for case in baskets),
        any(case.strangers for case in baskets),
        any(case.rho_of for case in baskets),
        any(case.adaptive is True for case in baskets),
        any(isinstance(case.adaptive, str) for case in baskets),
        any(isinstance(case.adaptive, dict) for case in baskets),
        any(case.knowledge for case in baskets),
        any(case.assurance for case in baskets),
        any(() in case.records for case in baskets),
        any(len(set(case.records)) < len(case.records) for case in baskets),
        any(max(map(len, case.records)) >= 14 for case in baskets),
    )
    assert all(said), said


@pytest.mark.parametrize("form", forms.FORMS)
def test_our_own_reading_is_what_we_wrote(form: str, tmp_path: Path) -> None:
    """Of files only; an object needs no reader."""
    if not forms.FORMS[form].suffix:
        pytest.skip("an object, not a file")
    records = (("a", "b"), (), ("c",), ("a", "c"))
    ids = None if forms.FORMS[form].ids is False else ("u3", "u1", "u2", "7")
    path = forms.source(BasketCase(records=records, ids=ids, form=form), tmp_path)
    assert forms.load(path, form) == (list(map(frozenset, records)), None if ids is None else list(ids))


# The judges that were added for it


def test_the_counting_judges_say_what_the_oracle_says() -> None:
    rng = np.random.default_rng(4)
    for _ in range(150):
        items = "abcdef"[: rng.integers(2, 7)]
        original = [frozenset(x for x in items if rng.random() < 0.5) for _ in range(rng.integers(1, 9))]
        published = [frozenset(x for x in record if rng.random() < 0.8) for record in original]
        wishes = [frozenset(x for x in "abcdefg" if rng.random() < 0.4) for _ in original]
        rho_of = {x: Fraction(int(rng.integers(1, 10)), 10) for x in "abcdefg"}
        m = [None, 1, 2, 3][rng.integers(4)]
        expected = oracle.personal_people_at_risk(original, published, wishes, rho_of, m)
        assert personal_fewest(original, published, wishes, rho_of, m) == expected
        total = oracle.exposure(published, items, rho_of, m)
        del total["total"]
        assert exposure_of(published, {x: rho_of[x] for x in items}, m) == total


def test_people_at_risk_in_a_table_by_hand() -> None:
    rows = [
        {"k": "a", "s": "x"},
        {"k": "a", "s": "x"},
        {"k": "a", "s": "y"},
        {"k": "b", "s": "y"},
        {"k": None, "s": "x"},
    ]
    template = oracle_disclosure.Template(("k",), "s", "x", Fraction(1, 2))
    assert oracle_disclosure.people_at_risk(rows, [template]) == {0, 1, 4}
    assert oracle_disclosure.people_at_risk(rows, [template._replace(limit=Fraction(2, 3))]) == {4}


# Faults that were planted


@pytest.fixture
def planted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Leash]:
    """A worker into whose sordino a fault was put."""
    leash = Leash(tmp_path, sabotage=f"fuzz.planted.{request.param}")
    yield leash
    leash.kill()


def sorts(leash: Leash, case: Case, limit: float = 60.0) -> set[tuple[str, str]]:
    return {(finding.check, finding.sort) for finding in leash.check(case, limit).findings}


TABLE = BasketCase(
    records=(("a", "x"), ("b",), ("b", "y"), ("b", "y"), ("c",), ("c", "y"), ("a", "x")),
    sensitive=("x", "y"),
    lot=5,
    method="mine",
    steps=("protect", "folder", "tamper"),
)


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["endless"], indirect=True)
def test_what_hangs_dies_or_raises_is_told_and_the_next_case_is_checked(planted: Leash) -> None:
    def with_item(name: str, method: str) -> BasketCase:
        return BasketCase(records=(*TABLE.records, (name, "x")), sensitive=("x",), method=method, steps=("protect",))

    assert sorts(planted, with_item("other", "mine")) == set()
    assert sorts(planted, with_item("loop", "mine"), 4.0) == {("run", "hang")}
    assert sorts(planted, with_item("raise", "global")) == {("protect", "exception")}
    assert sorts(planted, with_item("exit", "dist")) == {("run", "died")}
    small = shrink(with_item("raise", "global"), lambda case: ("protect", "exception") in sorts(planted, case))
    assert isinstance(small, BasketCase)
    assert {"raise"} <= {item for record in small.records for item in record}
    assert sum(map(len, small.records)) == 2  # what is safe is never handed to a method: {raise, x} it is


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["forgetful"], indirect=True)
def test_wrong_answers_and_verdicts_are_found_and_shrunk(planted: Leash) -> None:
    found = sorts(planted, TABLE)
    assert ("audit", "mismatch") in found
    assert ("tamper", "unsafe") in found
    small = shrink(TABLE, lambda case: ("audit", "mismatch") in sorts(planted, case))
    assert isinstance(small, BasketCase)
    assert [len(record) for record in small.records] == [2, 2]  # one who is counted, and one who is forgotten


@pytest.mark.parametrize("planted", ["leaky"], indirect=True)
def test_a_release_that_keeps_too_much_is_found(planted: Leash) -> None:
    assert ("protect", "mismatch") in sorts(planted, TABLE)


@pytest.mark.parametrize("planted", ["slow_compiler"], indirect=True)
def test_compiling_is_no_hang(planted: Leash) -> None:
    outcome = planted.check(BasketCase(records=TABLE.records, sensitive=("x",), method="mine", steps=("protect",)), 3.0)
    assert outcome.findings == ()


def test_findings_are_kept_told_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fault = "fuzz.planted.forgetful"
    plan = Plan(tables=2, seed=3, jobs=1, out=tmp_path, kind="inference", sabotage=fault, shrinking=False)
    summary = run(plan)
    assert summary.tables == 2
    assert summary.findings >= len(summary.kept) > 0
    kept = summary.kept[0]
    assert kept.file is not None
    content = json.loads(kept.file.read_text())
    assert from_json(content["case"]) == kept.case
    assert content["finding"]["sort"] == kept.finding.sort
    assert main(["replay", str(kept.file)]) == 0  # sordino itself is in order
    assert "Nothing was found." in capsys.readouterr().out


def test_shrinking_makes_smaller_and_ends(cases: list[Case]) -> None:
    for case in cases[:60]:
        for candidate in smaller(case):
            assert candidate != case
        least = shrink(case, lambda _: True, tries=10**6)
        assert len(getattr(least, "records", getattr(least, "rows", ()))) == 1
        assert least.steps == ()


# The short form


@pytest.mark.slow
def test_some_tables_without_a_finding(tmp_path: Path) -> None:
    """`make fuzz` checks many more."""
    summary = run(Plan(tables=60, seed=13, jobs=1, out=tmp_path, shrinking=False))
    assert summary.tables == 60
    assert [str(found.finding) for found in summary.kept] == []
