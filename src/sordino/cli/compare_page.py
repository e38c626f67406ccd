"""A comparison in the words of a data steward."""

from __future__ import annotations

import shlex
from pathlib import Path

from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count
from sordino.compare.result import HEAD, Comparison
from sordino.policy.threshold import show_rational

__all__ = ["compare_page"]


def compare_page(comparison: Comparison, data: str, folder: Path | None, found: int) -> list[Block]:
    """The choice and its reason, the table, what next."""
    chosen = comparison.recommended
    if chosen is None:
        head = Headline("Nothing can be recommended: no method finished at a threshold the policy allows.", good=False)
    else:
        head = Headline(f"Take '{chosen.method}' at the threshold {show_rational(chosen.rho)}.", good=True)
    page: list[Block] = [head]
    if chosen is not None:
        page.append(Lines((chosen.reason,)))
    rows = tuple(comparison.rows())
    page.append(Grid("Every run, the best first at each threshold", HEAD, rows, (1, 2, 3, 4, 5, 6)))
    if found:
        page.append(Lines((f"{count(found, 'run')} of {len(comparison.cells)} had been made before.",)))
    steps: list[tuple[str, str | None]] = []
    if folder is not None:
        steps.append((f"The page with the frontier: {clean(str(folder / 'comparison.html'))}", None))
    if chosen is not None and data != "-":
        steps.append(("Make the release (with this threshold in the policy):", _protect(data, chosen.method)))
    if steps:
        page.append(Steps("What next", tuple(steps)))
    return page


def _protect(data: str, variant: str) -> str:
    method, *options = variant.split(":")
    words = ["sordino", "protect", data, "--policy", "POLICY", "--method", method]
    for option in options:
        name, _, value = option.partition("=")
        words += [f"--{name.replace('_', '-')}", value]
    return shlex.join([*words, "--out", "RELEASE"])
