"""Blocks on a screen: nothing that fits in no width is lost, and what looks closer is left out."""

from __future__ import annotations

import re

import pytest

from sordino.cli import page
from sordino.words.blocks import (
    Card,
    Cards,
    Chart,
    Closer,
    Facts,
    Findings,
    Page,
    Points,
    Section,
    Series,
    Sides,
    Steps,
    Table,
    Text,
)

WIDE = Table("Every run", ("method", *(f"a long head {k}" for k in range(6)), "remark"), (
    ("mine", *(f"{k}.123456" for k in range(6)), "recommended"),
), tuple(range(1, 7)))  # fmt: skip
TOLD = Page(
    "title",
    "subtitle",
    "SAFE: a verdict.",
    True,
    (
        Section("one", "First", (Text("A text."), Text("Another."), WIDE, Closer((Text("Too close."),)))),
        Section("two", "Second", (Sides(("Left", (Points(("l",)),)), ("Right", (Points(("r",)),))),)),
        Section("three", "Third", (Closer((Facts("hashes", (("a", "b"),)),)),)),
        Section("four", "Fourth", (Steps("What next", (("Do this:", "sordino audit X"),)),)),
        Section("five", "Fifth", (Findings(Table("Found", ("a",), (("row",),)), ("A sentence.",)),)),
        Section(
            "six",
            "Sixth",
            (Chart("Drawn", "summary", ("label",), (Series("n", (1.0,)), Series("p", (0.5,), "share"))),),
        ),
    ),
    cards=Cards((Card("7", "a card"),)),
    about="data.csv: 7 records.",
)


@pytest.mark.parametrize("width", [80, 120])
def test_no_column_of_a_wide_table_is_lost(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", page._rich([WIDE]))
    letters = re.sub(r"\s", "", shown)
    assert all(len(line) <= width for line in shown.splitlines())
    assert letters.count("long") == 6
    for row in ("mine", "recommended"):
        assert row[:4] in shown
    for k in range(6):
        assert f"{k}.1" in shown


def test_a_page_on_a_screen() -> None:
    text = page.plain(TOLD)
    assert text.startswith("SAFE: a verdict.\n\ndata.csv: 7 records.\n\nFirst\n  A text.\n  Another.\n\nEvery run\n")
    for part in ("Left\n  l", "Right\n  r", "What next\n  Do this:\n    sordino audit X", "Found\n  a\n  row"):
        assert part in text
    assert [line.split() for line in text.splitlines()[-2:]] == [["n", "p"], ["label", "1", "50.0%"]]
    for part in ("Too close", "hashes", "a card", "Third", "A sentence", "title"):
        assert part not in text
