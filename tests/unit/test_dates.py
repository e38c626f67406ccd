"""Dates in bins: by week, month, quarter, year or decade, in policies and as hierarchies."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

import sordino
from sordino.data.dates import PERIODS, dates_of, period
from sordino.errors import PolicyError
from sordino.policy.bins import LABEL, Bins, range_tree
from sordino.policy.file import write_policy

DAY = date(2024, 3, 5)


@pytest.mark.parametrize(
    "text",
    ["2024-03-05", "2024-3-5", "2024/03/05", "20240305", "5.3.2024", "05.03.2024", "2024-03-05T10:00", "5.3.2024 9:30"],
)
def test_ways_to_write_a_date(text: str) -> None:
    assert dates_of([text]) == [DAY]


def test_slashes_are_clear_only_if_a_day_is_above_twelve() -> None:
    assert dates_of(["5/3/2024", "13/1/2024"]) == [DAY, date(2024, 1, 13)]
    assert dates_of(["3/5/2024", "1/13/2024"]) == [DAY, date(2024, 1, 13)]
    for texts in (["5/3/2024"], ["13/1/2024", "1/13/2024"]):
        with pytest.raises(ValueError, match="day or the month comes first is not clear"):
            dates_of(texts)


@pytest.mark.parametrize(
    ("text", "why"), [("soon", "no dates"), ("2024-13-05", "no calendar"), ("2023-02-29", "no calendar")]
)
def test_what_is_no_date_is_not_repeated(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as told:
        dates_of(["2024-01-01", text])
    assert text not in str(told.value)


def test_the_names_of_periods_are_ranges_to_the_verifier() -> None:
    names = [period(DAY, by) for by in PERIODS]
    assert names == ["in 2024-W10", "in 2024-03", "in 2024-Q1", "in 2024", "in the 2020s"]
    assert all(LABEL.fullmatch(name) for name in names)
    assert period(date(2024, 12, 30), "week") == "in 2025-W01"
    assert not any(LABEL.fullmatch(text) for text in ("2024", "2024-03-05", "in 2024-03-05", "in March"))


def test_a_tree_of_dates_has_wider_periods_above() -> None:
    tree = range_tree(["2024-03-05", "2024-02-01", "2023-12-31"], [1, 1, 1], Bins.read({"by": "month"}))
    place = {name: v for v, name in enumerate(tree.names)}
    chain, v = [], place["2024-03-05"]
    while v >= 0:
        chain.append(tree.names[v])
        v = int(tree.parent[v])
    assert chain == ["2024-03-05", "in 2024-03", "in 2024-Q1", "in 2024", "in the 2020s", "any"]
    assert len(tree.leaves) == 3


ROWS = "Seen,Job,Ill\n" + "".join(f"2024-0{1 + k % 6}-1{k % 10},{'ab'[k % 2]},{'yn'[k % 3 > 0]}\n" for k in range(36))


def test_a_policy_cuts_dates_and_a_release_shows_periods_only(tmp_path: Path) -> None:
    data, file = tmp_path / "rows.csv", tmp_path / "policy.toml"
    data.write_text(ROWS, encoding="utf-8")
    file.write_text(
        'kind = "template"\n[bins]\nSeen = { by = "quarter" }\n'
        '[[template]]\ngiven = ["Seen", "Job"]\nvalue = { Ill = "y" }\nat_most = "0.5"\n',
        encoding="utf-8",
    )
    policy = sordino.read_policy(file)
    assert policy.bins == {"Seen": Bins(by="quarter")}  # type: ignore[attr-defined]
    file.write_text(write_policy(policy), encoding="utf-8")
    assert sordino.read_policy(file) == policy
    resolved = policy.resolve(sordino.read_table(data))  # type: ignore[attr-defined]
    assert resolved.ranges == {"Seen": ("in 2024-Q1", "in 2024-Q2")}
    folder = sordino.protect(data, policy, seed=1).write(tmp_path / "release")
    shown = {line.split(",")[0] for line in (folder / "publish" / "data.csv").read_text().splitlines()[1:]}
    assert shown <= {"in 2024-Q1", "in 2024-Q2", "*"}
    readme = " ".join((folder / "publish" / "README.txt").read_text(encoding="utf-8").split())
    assert "Instead of dates, Seen shows the periods in which they lie." in readme
    assert "edges of the ranges" not in readme  # a calendar does not follow from the data
    assert sordino.verify(folder, policy).holds


@pytest.mark.parametrize(
    ("bins", "why"),
    [
        ('{ by = "moon" }', "by must be one of week, month, quarter, year, decade"),
        ('{ since = "x" }', "none of quantile, width, edges, by"),
        ("{ width = 10 }", 'its values are not all numbers; dates are cut by = "month"'),
    ],
)
def test_bins_that_do_not_fit_dates(tmp_path: Path, bins: str, why: str) -> None:
    data, file = tmp_path / "rows.csv", tmp_path / "policy.toml"
    data.write_text(ROWS, encoding="utf-8")
    file.write_text(
        f'kind = "template"\n[bins]\nSeen = {bins}\n'
        '[[template]]\ngiven = ["Seen"]\nvalue = { Ill = "y" }\nat_most = "0.5"\n',
        encoding="utf-8",
    )
    with pytest.raises(PolicyError, match=why):
        sordino.audit(data, sordino.read_policy(file))


def test_diversity_takes_dates_in_bins_too(tmp_path: Path) -> None:
    data = tmp_path / "rows.csv"
    data.write_text(ROWS, encoding="utf-8")
    policy = sordino.DiversityPolicy("Ill", ["Seen", "Job"], 2, bins={"Seen": {"by": "month"}})
    tree = policy.with_bins(sordino.read_table(data)).hierarchies["Seen"]
    assert "in 2024-Q2" in tree.names
    assert "in 2024-01" in tree.names
    sordino.audit(data, policy)
