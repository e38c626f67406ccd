"""Comparing on tables: the numbers are those of protecting, larger l is stricter, and nothing runs twice."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from bank import BANK, COLUMNS
from sordino.compare import run, template
from sordino.compare.choice import Cell, frontier, recommend
from sordino.compare.diversity import SCALE
from sordino.data.table import Column, Table
from sordino.errors import InputError
from sordino.policy.template import Template, TemplatePolicy
from sordino.sample import path

TABLE = Table(tuple(Column.of_texts(name, [row[name] for row in BANK]) for name in COLUMNS))
POLICY = TemplatePolicy([Template(["Job", "Country"], "Bankruptcy", "Discharged", "0.5")], class_column="Rating")
SICK = Table(
    (
        Column.of_texts("Sex", ["M", "F"] * 12),
        Column.of_texts("Town", ["a", "b", "c"] * 8),
        Column.of_texts("Disease", ["flu", "cold", "asthma", "gout", "flu", "angina"] * 4),
    )
)
DIVERSE = sordino.DiversityPolicy("Disease", ["Sex", "Town"], 2, mined=False)


def test_the_numbers_are_those_of_protecting() -> None:
    found = sordino.compare(TABLE, POLICY, at_most=["0.25", "0.75"])
    assert [(c.method, c.at_most) for c in found.cells] == [
        (method, Fraction(h)) for method in ("disclosure", "disclosure-local") for h in ("1/4", "1/2", "3/4")
    ], "the policy's own is always among them"
    for one in found.cells:
        policy = template.at(POLICY, one.threshold)
        release = sordino.protect(TABLE, policy, method=one.method)
        assert one.loss == 1 - release.utility.granularity.mean
        assert one.kept == float(release.utility.cells.share)
        assert one.worst == float(release.audit_after.worst)
        assert one.worst is not None
        assert one.worst <= one.threshold
    assert found.recommended is not None
    assert found.recommended.at_most <= Fraction(1, 2), "0.75 is looser than the policy"


def test_groups_are_compared_by_l_and_a_larger_one_is_stricter() -> None:
    found = sordino.compare(SICK, DIVERSE, l=[2, "3", 9])
    assert {(c.method, c.l) for c in found.cells} == {(m, n) for m in ("injector", "anatomy") for n in (2, 3, 9)}
    by = {(c.method, c.l): c for c in found.cells}
    release = sordino.protect(SICK, DIVERSE, method="injector")
    one = by["injector", 2]
    assert one.possible == release.audit_after.matching_l
    assert one.average_group == release.utility.average_group
    assert one.loss == (release.utility.queries.error or 0) / 100
    assert not by["injector", 9].done
    assert "l = 9 cannot be had" in by["injector", 9].reason
    assert found.recommended is not None
    assert found.recommended.l >= 2


def test_never_a_smaller_l_than_the_policy() -> None:
    cells = [Cell("m", Fraction(n), True, loss=loss) for n, loss in ((2, 0.1), (4, 0.2), (6, 0.3))]
    choice = recommend(cells, Fraction(4), "loss", SCALE)
    assert choice is not None
    assert choice.l == 4
    assert "l = 4 is your policy's own." in choice.reason
    assert "At l = 6: counts are off by 30.0%." in choice.reason
    assert recommend(cells[:1], Fraction(4), "loss", SCALE) is None
    cheap = [Cell("m", Fraction(4), True, loss=0.2), Cell("m", Fraction(6), True, loss=0.21)]
    choice = recommend(cheap, Fraction(4), "loss", SCALE)
    assert choice is not None
    assert choice.l == 6
    assert "l = 6 is stricter than 4, and costs hardly more" in choice.reason
    dear = [*cells, Cell("n", Fraction(6), True, loss=0.15)]
    assert frontier(dear, SCALE) == {("m", Fraction(2)), ("n", Fraction(6))}


def test_what_is_best_may_be_the_class_or_the_cells() -> None:
    rows = Table(tuple(Column.of_texts(name, [row[name] for row in BANK * 4]) for name in COLUMNS))
    found = sordino.compare(rows, POLICY, prefer="class")
    assert all(cell.error is not None and cell.base_error is not None for cell in found.cells)
    best = min(found.cells, key=lambda cell: (cell.error or 0, cell.method))
    assert found.recommended is not None
    assert found.recommended.method == best.method
    assert "prediction of the class" in found.recommended.reason
    kept = sordino.compare(rows, POLICY, prefer="cells").recommended
    assert kept is not None
    assert "of the cells kept" in kept.reason


def test_templates_with_thresholds_of_their_own_keep_them_unless_others_are_stated() -> None:
    two = TemplatePolicy([*POLICY.templates, Template(["Job", "Child"], "Bankruptcy", "Discharged", "0.75")])
    found = sordino.compare(TABLE, two, methods=["disclosure"])
    assert found.own == Fraction(1, 2)
    assert "they were kept" in found.remarks[0]
    assert found.cells[0].loss == 1 - sordino.protect(TABLE, two).utility.granularity.mean
    same = sordino.compare(TABLE, two, methods=["disclosure"], at_most=["0.75"])
    assert "stated ones were given to all of them" in same.remarks[0]
    assert [cell.at_most for cell in same.cells] == [Fraction(1, 2), Fraction(3, 4)]
    assert same.cells[0].loss == found.cells[0].loss, "at its own threshold, the policy is as it is"
    assert same.recommended is not None
    assert same.recommended.at_most == Fraction(1, 2), "0.75 for all is looser than the first template"


def test_the_files_and_that_a_finished_run_is_never_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    real = run.measure

    def counted(*arguments: object) -> dict[str, object]:
        ran.append("run")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "measure", counted)
    out = tmp_path / "c"
    first = sordino.compare(TABLE, POLICY, rho=["0.25", "0.5"], out=out)
    again = sordino.compare(TABLE, POLICY, at_most=["1/4", "50%", "0.75"], out=out)
    assert len(ran) == 6, "rho is another name of at_most, and 1/4 another of 0.25"
    assert all(cell in again.cells for cell in first.cells)
    assert len(first.cells) < len(again.cells)
    wider = TemplatePolicy(POLICY.templates, class_column="Rating", hierarchies={"Job": {"name": "*", "children": []}})
    assert template.key(wider) != template.key(POLICY), "a hierarchy is part of what is asked"
    content = json.loads((out / "comparison.json").read_text())
    rows = list(csv.DictReader(io.StringIO((out / "comparison.csv").read_text())))
    assert content["kind"] == "template"
    assert content["policy_at_most"] == "0.5"
    assert [row["at_most"] for row in rows] == [cell["at_most"] for cell in content["cells"]]
    assert {"loss", "kept", "worst", "error"} <= set(rows[0])
    page = (out / "comparison.html").read_text()
    assert page.count("<svg") == 1
    assert "detail lost" in page


@pytest.mark.parametrize(
    ("policy", "wrong", "said"),
    [
        (POLICY, {"l": [3]}, "l is no threshold"),
        (POLICY, {"rho": ["0.5"], "at_most": ["0.5"]}, "state the thresholds once"),
        (POLICY, {"at_most": ["2"]}, "threshold"),
        (POLICY, {"methods": ["mine"]}, "for policies of kind inference"),
        (POLICY, {"prefer": "rules"}, "unknown preference"),
        (DIVERSE, {"rho": ["0.5"]}, "rho is no threshold"),
        (DIVERSE, {"l": [1]}, "2 or more"),
        (DIVERSE, {"l": ["2.5"]}, "2 or more"),
        (DIVERSE, {"l": []}, "there is no l"),
    ],
    ids=["l", "twice", "number", "method", "prefer", "rho", "one", "half", "none"],
)
def test_a_wrong_request_is_refused_at_once(policy: object, wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sordino.compare(TABLE if policy is POLICY else SICK, policy, **wrong)  # type: ignore[arg-type]


def test_a_class_must_be_named_to_be_preferred() -> None:
    with pytest.raises(InputError, match="names no class"):
        sordino.compare(TABLE, TemplatePolicy(POLICY.templates), prefer="class")


def test_what_cannot_be_done_stands_there_with_its_reason() -> None:
    never = TemplatePolicy([Template(["Job"], "Bankruptcy", "Discharged", "0.1")])
    found = sordino.compare(TABLE, never, at_most=["0.1", "0.9"])
    assert found.recommended is None
    reasons = {cell.reason for cell in found.cells if not cell.done}
    assert len(reasons) == 1
    assert "at_most must be 5/24 or more" in reasons.pop()
    assert sum(cell.done for cell in found.cells) == 2


def test_anatomy_is_shown_with_the_people_it_exposes() -> None:
    """It knows no rules: it is compared, but with whom it exposes to those who do, and never recommended for it."""
    policy = sordino.DiversityPolicy("diagnosis", ["sex", "age", "region"], 3, bins={"age": {"quantile": 4}})
    found = sordino.compare(path("patients.csv"), policy)
    injector, anatomy = (next(cell for cell in found.cells if cell.method == name) for name in ("injector", "anatomy"))
    assert anatomy.done
    assert "sees through" in anatomy.weaker
    assert injector.exposed == 0
    with pytest.raises(sordino.Unsatisfiable, match=f"leaves {anatomy.exposed:,} of "):
        sordino.protect(path("patients.csv"), policy, method="anatomy", seed=0)
    assert found.recommended is not None
    assert found.recommended.method == "injector"
