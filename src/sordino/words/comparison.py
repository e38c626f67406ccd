"""What is said of a comparison of methods and thresholds: the choice and its reason, the frontier, every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sordino.policy.threshold import show_rational
from sordino.words.blocks import Chart, Closer, Page, Points, Section, Series, Steps, Table
from sordino.words.steps import Step
from sordino.words.text import clean, count

__all__ = ["comparison_page"]


def comparison_page(
    compared: Any,
    *,
    found: int = 0,
    file: str | None = None,
    command: Callable[..., str] | None = None,
    stated: bool = False,
) -> Page:
    """The page of a `Comparison`. found: runs that had been made before; file: where the page lies; command: one about
    the same data and policy; stated: whether there is a file of the policy, whose own threshold need not be changed.
    """
    chosen, scale = compared.recommended, compared.scale
    methods, thresholds = ({getattr(cell, key) for cell in compared.cells} for key in ("method", "threshold"))
    many = scale.nouns if len(thresholds) > 1 else scale.noun if scale.rising else "threshold"
    size = f"{compared.records:,} {scale.records}; {len(methods)} methods at {len(thresholds)} {many}"
    todo = tuple(_steps(compared, file, command, stated))
    return Page(
        f"Which method, which {scale.noun}? {clean(compared.name)}",
        size,
        f"Nothing can be recommended: no method finished at {scale.nouns} that the policy allows."
        if chosen is None
        else f"Take '{chosen.method}' at {scale.at(chosen.threshold)}.",
        None if chosen is None else True,
        (
            Section("frontier", "Privacy against usefulness", (Closer((_picture(compared),)), _runs(compared))),
            Section("rule", "How the choice was made", (Points(tuple(_rule(compared, found))),)),
            *([Section("next", "What to do next", (Steps("What next", todo),))] if todo else []),
        ),
        lead="" if chosen is None else clean(chosen.reason),
    )


def _rule(compared: Any, found: int) -> Iterator[str]:
    scale = compared.scale
    yield f"The method is the one with {scale.preferences[compared.prefer].words}, on average over the {scale.nouns}."
    yield (
        f"The {scale.noun} is the policy's own, unless a stricter one costs hardly more (at most a fifth, or one point "
        "in a hundred). A looser one is never recommended."
    )
    yield "On the frontier are the choices that no other beats in both, strictness and loss."
    yield from map(clean, compared.remarks)
    if found:
        yield f"{count(found, 'run')} of {len(compared.cells)} had been made before."


def _steps(compared: Any, file: str | None, command: Callable[..., str] | None, stated: bool) -> Iterator[Step]:
    chosen, scale = compared.recommended, compared.scale
    if file is not None:
        yield f"The page with the frontier: {clean(file)}", None
    if chosen is not None and command is not None:
        value = show_rational(chosen.threshold) if scale.rising else f'"{show_rational(chosen.threshold)}"'
        own = stated and chosen.threshold == compared.own
        change = "" if own else f" (with {scale.field} = {value} in the policy)"
        method, *options = chosen.method.split(":")
        more = [word for option in options for word in ("--option", option)]
        yield f"Make the release{change}:", command("protect", "--method", method, *more, "--out", "RELEASE")


def _runs(compared: Any) -> Table:
    rows = tuple(tuple(map(clean, row)) for row in compared.rows())
    title = f"Every run, the best first at each {compared.scale.noun}"
    return Table(title, compared.head, rows, tuple(range(1, len(compared.head) - 1)))


def _picture(compared: Any) -> Chart:
    """Loss over the threshold, a line for each method; of one threshold, a bar for each. The numbers stand below."""
    scale, cells = compared.scale, compared.cells
    thresholds = sorted({cell.threshold for cell in cells})
    if len(thresholds) < 2:
        done = [cell for cell in compared.ranked() if cell.done]
        return Chart(
            "What each method loses",
            f"All at {scale.at(cells[0].threshold)}." if cells else "Nothing was run.",
            tuple(cell.method for cell in done),
            (Series("lost", tuple(cell.loss for cell in done)),),
            axis=scale.loss,
            percent=True,
        )
    by = {(cell.method, cell.threshold): cell for cell in cells}
    lines = [
        Series(method, tuple(by[method, at].loss for at in thresholds))
        for method in dict.fromkeys(cell.method for cell in cells)
    ]
    bounds = [next((c.bound for c in cells if c.threshold == at and c.bound is not None), None) for at in thresholds]
    if any(bound is not None for bound in bounds):
        lines.append(Series("least possible", tuple(bounds)))
    marks: tuple[tuple[float, float, str], ...] = ()
    if compared.recommended is not None:
        place = (compared.recommended.method, compared.recommended.threshold)
        marks = ((float(place[1]), by[place].loss or 0.0, "recommended"),)
    return Chart(
        f"What protection costs, by {scale.noun}",
        scale.strictness,
        tuple(show_rational(at) for at in thresholds),
        tuple(lines),
        kind="lines",
        x=tuple(float(at) for at in thresholds),
        axis=scale.loss,
        x_axis=scale.noun,
        percent=True,
        marks=marks,
    )
