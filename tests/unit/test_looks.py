"""How pages look: series that stay apart, what was taken away in red, and nothing new in what is published."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import sordino
from sordino.report.charts import look_of
from sordino.report.style import MORE_STYLE, STYLE
from sordino.words.blocks import Table
from sordino.words.comparison import comparison_page


def test_twelve_series_stay_apart() -> None:
    looks = [look_of(k) for k in range(12)]
    for one, other in combinations(looks, 2):
        assert one[:2] != other[:2], "colour and line together"
        assert (one[0], one[3]) != (other[0], other[3]), "colour and hatching together"
        assert sum(a != b for a, b in zip(one, other, strict=True)) >= 2


@pytest.mark.charts
def test_what_was_taken_away_is_red_in_the_house_and_published_pages_keep_their_style(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = [{"rare", "won"}, *({"a"}, {"a", "b"}) * 5]
    release = sordino.protect(records, sordino.InferencePolicy(["won"], "0.4"), seed=1)
    release.write(tmp_path / "out")
    house = (tmp_path / "out" / "keep" / "report.html").read_text()
    assert "#b3261e" in house.partition("</style>")[2]
    assert STYLE + MORE_STYLE in house
    assert "prefers-color-scheme: dark" in house
    published = (tmp_path / "out" / "publish" / "report.html").read_text()
    assert STYLE in published
    assert MORE_STYLE not in published


def test_in_a_comparison_thresholds_are_set_apart() -> None:
    records = [["a", "x"], ["a", "x"], ["a"], ["b"], ["b", "x"], ["b"]]
    compared = sordino.compare(records, sordino.InferencePolicy(["x"], "0.5"), methods=["mine"], rho=["0.2", "0.5"])
    (table,) = [block for block in comparison_page(compared).sections[0].blocks if isinstance(block, Table)]
    assert [row[1] for row in table.rows] == ["0.2", "0.5"]
    assert table.apart == (1,)
    assert compared.page().count('<tr class="apart">') == 1


def test_pages_of_the_house_are_printed_small_and_scroll_with_a_cue() -> None:
    paper = MORE_STYLE[MORE_STYLE.index("@media print") :]
    assert "html { font-size: 9.5pt; }" in paper, "tables and pictures follow the text"
    assert "white-space: nowrap" in paper, "numbers are not broken"
    assert MORE_STYLE.count("var(--cue)") == 3
