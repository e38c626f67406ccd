"""What a change cost, in the words of a data steward."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sordino.cli.page import Block, Grid, Headline, Lines, clean, count, percent
from sordino.utility.coarsened_cost import CoarsenedCost
from sordino.utility.cost import Cost
from sordino.utility.loss import LengthLoss, Loss
from sordino.utility.rules import RuleComparison

__all__ = ["measure_page"]

LENGTHS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, 50), (51, None))


def measure_page(cost: Cost, before: str, after: str, *, top: int, policy: bool) -> list[Block]:
    """How much was deleted, what that did to the distribution and the rules, and where it was deleted."""
    page: list[Block] = [_headline(cost), Lines((f"{_source(before)} -> {_source(after)}: {_size(cost)}.",))]
    page.append(Grid("What it cost", ("measure", "value", "meaning"), tuple(_measures(cost)), right=(1,)))
    if cost.rules is not None:
        page.append(_rules(cost.rules, policy))
    if cost.loss is not None:
        page.append(_by_length(cost.loss))
        if top and cost.loss.deleted:
            page.append(_by_item(cost.loss, top))
    if cost.remarks:
        page.append(Lines(cost.remarks, "Remarks"))
    return page


def _headline(cost: Cost) -> Headline:
    share = percent(cost.ns)
    if isinstance(cost, CoarsenedCost) and cost.paired:
        gone = cost.occurrences - cost.left
        return Headline(f"{gone:,} of {cost.occurrences:,} occurrences ({share}) were suppressed.", good=True)
    if cost.loss is None:
        return Headline(f"{cost.occurrences:,} occurrences before, {cost.left:,} after.", good=True)
    if cost.loss.deleted == 0:
        return Headline("Nothing was deleted.", good=True)
    return Headline(f"{cost.loss.deleted:,} of {cost.occurrences:,} occurrences ({share}) were deleted.", good=True)


def _source(name: str) -> str:
    return "standard input" if name == "-" else clean(name)


def _size(cost: Cost) -> str:
    if isinstance(cost, CoarsenedCost):
        return f"{count(cost.records, 'record')} in {count(cost.groups, 'group')}"
    if cost.loss is None:
        return count(cost.records, "record")
    return (
        f"{count(cost.records, 'record')}, {cost.loss.changed_records:,} of them changed and "
        f"{cost.loss.emptied_records:,} emptied; {count(len(cost.loss.items), 'item')}, "
        f"{cost.loss.vanished_items:,} of them vanished"
    )


def _measures(cost: Cost) -> Iterator[tuple[str, str, str]]:
    if not isinstance(cost, CoarsenedCost):
        yield "deleted", percent(cost.ns), "of all occurrences (NS)"
    elif cost.paired:
        yield "suppressed", percent(cost.ns), "of all occurrences (NS)"
    if isinstance(cost, CoarsenedCost) and cost.ncp is not None:
        wider = Fraction(cost.ncp.generalized, max(cost.ncp.occurrences, 1))
        yield "generalized", percent(wider), "of all occurrences are shown as a wider item"
        yield "NCP", percent(cost.ncp.share), "of the information is lost by both; 100 % is everything"
    if cost.loss is not None and cost.loss.sensitive_deleted is not None and cost.loss.deleted:
        share = Fraction(cost.loss.sensitive_deleted, cost.loss.deleted)
        yield "sensitive", percent(share), "of what was deleted"
    if cost.bound is not None:
        yield "at least", percent(cost.bound.share), "is lost by every safe version made by deletion"
        if cost.times_bound is not None and cost.loss is not None:
            yield "", f"{float(cost.times_bound):.2f}", "times that was deleted here"
    kl = f"{cost.divergence.kl:.4g}" if math.isfinite(cost.divergence.kl) else "infinite"
    yield "KL", kl, "how far the shares of the items moved; 0 is not at all"
    yield "symmetric KL", f"{cost.divergence.symmetric:.4g}", "the same against the middle of both; at most 0.693"


def _rules(rules: RuleComparison, policy: bool) -> Grid:
    kind = "Non-sensitive rules" if policy else "Rules"
    among = "records" if rules.cutoff is None else f"records of at most {rules.cutoff} items"
    return Grid(
        f"{kind} that hold for at least {rules.least_support:,} of {rules.records:,} {among}",
        ("confidence", "before", "after", "kept", "hidden", "pseudo", "Jaccard"),
        tuple(
            (
                f">= {percent(change.confidence)}",
                *(f"{n:,}" for n in (change.before, change.after, change.kept, change.hidden, change.pseudo)),
                f"{float(change.jaccard):.3f}",
            )
            for change in rules.changes
        ),
        right=(1, 2, 3, 4, 5, 6),
    )


def _by_length(loss: Loss) -> Grid:
    rows = []
    for least, most in LENGTHS:
        inside = [n for n in loss.lengths if least <= n.length and (most is None or n.length <= most)]
        if inside:
            rows.append((_range(least, most), *_length_cells(inside)))
    head = ("items", "records before", "records after", "deleted from those before", "share")
    return Grid("By length of the record", head, tuple(rows), right=(1, 2, 3, 4))


def _range(least: int, most: int | None) -> str:
    if most is None:
        return f"over {least - 1}"
    return str(least) if least == most else f"{least} to {most}"


def _length_cells(inside: list[LengthLoss]) -> tuple[str, ...]:
    deleted = sum(n.deleted for n in inside)
    original = sum(n.length * n.records_before for n in inside)
    return (
        f"{sum(n.records_before for n in inside):,}",
        f"{sum(n.records_after for n in inside):,}",
        f"{deleted:,}",
        percent(Fraction(deleted, original)) if original else "-",
    )


def _by_item(loss: Loss, top: int) -> Grid:
    most = sorted(loss.items, key=lambda item: -item.deleted)[:top]
    rows = tuple(
        (clean(n.item), f"{n.original:,}", f"{n.left:,}", f"{n.deleted:,}", percent(n.share)) for n in most if n.deleted
    )
    title = "Items that lost most"
    return Grid(title, ("item", "records before", "records after", "deleted", "share"), rows, right=(1, 2, 3, 4))
