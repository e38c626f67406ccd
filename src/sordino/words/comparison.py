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
    the same data and policy (`at` a threshold, where the policy is stated by options); stated: whether there is a file
    of the policy, which has to be changed for another threshold than its own.
    """
    chosen, scale = compared.recommended, compared.scale
    methods, thresholds = ({getattr(cell, key) for cell in compared.cells} for key in ("method", "threshold"))
    many = scale.nouns if len(thresholds) > 1 else scale.noun if scale.rising else "threshold"
    size = f"{compared.records:,} {scale.records}; {len(methods)} methods at {len(thresholds)} {many}"
    todo = tuple(_steps(compared, file, command, stated))
    return Page(
        f"Which method, which {scale.noun}? {clean(compared.name)}",
        size,
        _nothing(compared) if chosen is None else f"Take '{chosen.method}' at {scale.at(chosen.threshold)}.",
        None if chosen is None else True,
        (
            Section("frontier", "Privacy against usefulness", (Closer((_picture(compared),)), _runs(compared))),
            Section("rule", "How the choice was made", (Points(tuple(_rule(compared, found))),)),
            *([Section("next", "What to do next", (Steps("What next", todo),))] if todo else []),
        ),
        lead="" if chosen is None else clean(chosen.reason),
    )


def _nothing(compared: Any) -> str:
    """Why nothing is recommended."""
    aside = [cell for cell in compared.cells if cell.done and cell.aside]
    if aside:
        return f"Nothing can be recommended: '{clean(aside[0].method)}' ran without a hierarchy that somebody made."
    return f"Nothing can be recommended: no method finished at {compared.scale.nouns} that the policy allows."


def _rule(compared: Any, found: int) -> Iterator[str]:
    scale = compared.scale
    yield f"The method is the one with {scale.preferences[compared.prefer].words}, on average over the {scale.nouns}."
    yield (
        f"The {scale.noun} is the policy's own, unless a stricter one costs hardly more (at most a fifth, or one point "
        "in a hundred). A looser one is never recommended."
    )
    yield "On the frontier are the choices that no other beats in both, strictness and loss."
    ways = {cell.loss_is: cell.method for cell in compared.cells if cell.done and cell.loss_is}
    if len(ways) > 1:
        told = "; of others, ".join(sorted(ways))
        yield f"What is lost is not the same for all: of some, it is {told}."
        yield "Compare what is deleted and what is shown wider, too."
    for method, why in {cell.method: cell.aside for cell in compared.cells if cell.aside}.items():
        yield f"'{clean(method)}' is not recommended: {clean(why)}."
    yield from map(clean, compared.remarks)
    if found:
        yield f"{count(found, 'run')} of {len(compared.cells)} had been made before."


def _steps(compared: Any, file: str | None, command: Callable[..., str] | None, stated: bool) -> Iterator[Step]:
    chosen, scale = compared.recommended, compared.scale
    if file is not None:
        yield f"The page with the frontier: {clean(file)}", None
    if chosen is None or command is None:
        return
    method, *options = chosen.method.split(":")
    more = [word for option in options for word in ("--option", option)]
    make = command("protect", "--method", method, *more, "--out", "release", at=show_rational(chosen.threshold))
    if not stated or chosen.threshold == compared.own:
        yield "Make the release:", make
        return
    value = show_rational(chosen.threshold) if scale.rising else f'"{show_rational(chosen.threshold)}"'
    yield f"Make the release at {scale.at(compared.own)}, which is your policy's own:", make
    yield f"For {scale.at(chosen.threshold)}, write {scale.field} = {value} into the policy before.", None


def _runs(compared: Any) -> Table:
    rows = tuple(tuple(map(clean, row)) for row in compared.rows())
    title = f"Every run, the best first at each {compared.scale.noun}"
    apart = tuple(k for k in range(1, len(rows)) if rows[k][1] != rows[k - 1][1])  # where the next threshold begins
    return Table(title, compared.head, rows, tuple(range(1, len(compared.head) - 1)), apart=apart)


def _told(cell: Any) -> str:
    """The name of a method in a picture, with what its loss is where that is not what one would think."""
    return f"{clean(cell.method)} (NCP)" if cell.loss_is.startswith("NCP") else clean(cell.method)


def _losses(by: Any, method: str, thresholds: list[Any]) -> tuple[float | None, ...]:
    return tuple(by[method, at].loss for at in thresholds)


def _picture(compared: Any) -> Chart:
    """Loss over the threshold, a line for each method; of one threshold, a bar for each. The numbers stand below."""
    scale, cells = compared.scale, compared.cells
    thresholds = sorted({cell.threshold for cell in cells})
    if len(thresholds) < 2:
        done = [cell for cell in compared.ranked() if cell.done]
        return Chart(
            "What each method loses",
            f"All at {scale.at(cells[0].threshold)}." if cells else "Nothing was run.",
            tuple(map(_told, done)),
            (Series("lost", tuple(cell.loss for cell in done)),),
            axis=scale.loss,
            percent=True,
        )
    by = {(cell.method, cell.threshold): cell for cell in cells}
    lines = [
        Series(_told(max((by[method, at] for at in thresholds), key=lambda c: c.done)), _losses(by, method, thresholds))
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
