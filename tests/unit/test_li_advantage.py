"""What stands beside LI's figures about utility is true of the recorded numbers."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
PRINTED = "injector:algorithm=paper"


def values(figure: str, measure: str) -> dict[tuple[str, ...], dict[str, float]]:
    """By setting, the value of every method."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for row in json.loads((RESULTS / f"{figure}.json").read_bytes())["rows"]:
        if row["measure"] == measure:
            found.setdefault(tuple(row["labels"][:-1]), {})[row["labels"][-1]] = row["ours"]
    return found


def test_the_sentence_beside_the_figures_holds() -> None:
    for setting, by in values("li-fig6", "confidence error").items():
        assert (by[PRINTED] < by["anatomy"]) == (setting[0] in ("3", "4"))
        assert by["injector"] < by["anatomy"]
    for by in values("li-fig8", "query error").values():
        assert by["injector"] < by["anatomy"] < by[PRINTED]
    false = values("li-fig7", "false rules")
    for setting, by in values("li-fig7", "missed rules").items():
        few = setting[0] in ("3", "4")
        assert (by[PRINTED] < by["anatomy"]) == (false[setting][PRINTED] > false[setting]["anatomy"]) == few
        assert few or by[PRINTED] == by["anatomy"] == 100
        assert by["injector"] < by["anatomy"]
        assert false[setting]["injector"] > false[setting]["anatomy"]
