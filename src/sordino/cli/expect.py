"""What to expect of long work, said before it begins."""

from __future__ import annotations

from typing import Any

import typer

__all__ = ["expect", "is_dense"]

LONG = 20  # items of a record, on average
DENSE = 5  # a record holds one in so many of all items
FEW = 3  # known items, up to which a search is short
OCCURRENCES, MINUTES = 6_500_000, (3, 8)  # of a million receipts, and what they take


def is_dense(data: object, knowledge: int | None) -> bool:
    """Whether records are long and hold much of what there is, so that there are very many combinations to look at."""
    from sordino.data.baskets import Baskets

    if not isinstance(data, Baskets) or not len(data) or (knowledge is not None and knowledge <= FEW):
        return False
    return data.occurrences >= LONG * len(data) and data.occurrences * DENSE >= data.distinct_items * len(data)


def expect(data: Any, policy: Any, time_limit: float | None, verb: str, *, divides: bool = False) -> None:
    """A line on standard error if this may take minutes and nothing limits it: why, and what would shorten it."""
    from sordino.data.spilled import Spilled

    if isinstance(data, Spilled):
        typer.echo(
            f"{len(data):,} records are read in pieces and audited in groups, one at a time; the counts are those of "
            "an audit of all at once (--parts 1).",
            err=True,
        )
        return
    if getattr(data, "weight", None) is not None:
        typer.echo(
            f"Of {data.people:,} rows, the {len(data):,} distinct ones in the columns of the policy are looked "
            "at, each as often as it occurs.",
            err=True,
        )
        return
    told = _in_parts(data, policy) if divides else None  # what follows makes parts of very many records
    if told is not None:
        typer.echo(told, err=True)
        return
    if time_limit is not None or not is_dense(data, getattr(policy, "knowledge", None)):
        return
    mean = data.occurrences / len(data)
    limit = " --time-limit 60 tells what was found within a minute;" if verb == "audit" else ""
    typer.echo(
        f"This may take minutes: records hold {mean:,.0f} of {data.distinct_items:,} items on average, so that very "
        f"many combinations can be known.{limit} a policy with knowledge = {FEW} (--knowledge {FEW}) asks about less.",
        err=True,
    )


def _in_parts(data: Any, policy: Any) -> str | None:
    """How long very many records take, roughly; None of others."""
    from sordino.data.baskets import Baskets

    if not isinstance(data, Baskets) or getattr(policy, "personal", False):
        return None
    from sordino.protect.parts import LARGE, usual_parts

    if len(data) < LARGE:
        return None
    least, most = (round(minutes * data.occurrences / OCCURRENCES) for minutes in MINUTES)
    return (
        f"{len(data):,} records are made safe in {usual_parts(len(data)):,} parts (--parts), each by itself. On two "
        f"cores that takes some {max(least, 1)} to {max(most, 2)} minutes with the usual method, as a guess."
    )
