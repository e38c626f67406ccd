"""A comparison in the words of a data steward."""

from __future__ import annotations

import shlex
from pathlib import Path

from sordino.cli.asked import Asked
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count
from sordino.compare.result import Comparison
from sordino.policy.threshold import show_rational

__all__ = ["compare_page"]


def compare_page(
    comparison: Comparison, form: Asked, policy: Path | None, folder: Path | None, found: int
) -> list[Block]:
    """The choice and its reason, the table, what next."""
    chosen, scale = comparison.recommended, comparison.scale
    if chosen is None:
        head = Headline(
            f"Nothing can be recommended: no method finished at {scale.nouns} that the policy allows.", good=False
        )
    else:
        head = Headline(f"Take '{chosen.method}' at {scale.at(chosen.threshold)}.", good=True)
    page: list[Block] = [head]
    if chosen is not None:
        page.append(Lines((clean(chosen.reason),)))
    titles = comparison.head
    rows = tuple(tuple(map(clean, row)) for row in comparison.rows())
    page.append(Grid(f"Every run, the best first at each {scale.noun}", titles, rows, tuple(range(1, len(titles) - 1))))
    remarks = list(comparison.remarks)
    if found:
        remarks.append(f"{count(found, 'run')} of {len(comparison.cells)} had been made before.")
    if remarks:
        page.append(Lines(tuple(remarks)))
    steps: list[tuple[str, str | None]] = []
    if folder is not None:
        steps.append((f"The page with the frontier: {clean(str(folder / 'comparison.html'))}", None))
    if chosen is not None and form.data != "-":
        own = policy is not None and chosen.threshold == comparison.own
        value = f'"{show_rational(chosen.threshold)}"' if not scale.rising else show_rational(chosen.threshold)
        change = "" if own else f" (with {scale.field} = {value} in the policy)"
        file = "POLICY" if policy is None else str(policy)
        steps.append((f"Make the release{change}:", _protect(form, file, chosen.method)))
    if steps:
        page.append(Steps("What next", tuple(steps)))
    return page


def _protect(form: Asked, policy: str, variant: str) -> str:
    method, *options = variant.split(":")
    words = ["sordino", "protect", form.data, "--policy", policy, *form.words(), "--method", method]
    for option in options:
        words += ["--option", option]
    return shlex.join([*words, "--out", "RELEASE"])
