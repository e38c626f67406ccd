"""What is said of the cost of a change of baskets: from its plain data (`to_dict`), and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.words import claims
from sordino.words.anonymity import anonymity_blocks
from sordino.words.blocks import Block, Card, Chart, Closer, Points, Series, Table, Text, points
from sordino.words.seen import LENGTHS, size_range
from sordino.words.text import clean, count, exactly, percent, share

__all__ = [
    "cost_blocks", "cost_size", "cost_verdict", "done_blocks", "release_cards", "sentences",
]  # fmt: skip

Plain = Mapping[str, Any]

SHOWN = 15  # items in a chart of deletions
FREQUENT = 10  # items in the chart of the distribution


def release_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """The numbers of a release that a steward looks for first."""
    if before["sampling"] is None:
        people = f"{claims.at_least(before)}{before['people_at_risk']:,}"
        if after["holds"] and claims.complete(after) and not claims.against(after):
            yield Card(f"{people} → 0", f"people at risk, of {before['records']:,}")
        else:
            yield Card(people, f"people at risk before, of {before['records']:,}")
    yield Card(percent(cost["ns"]), f"of all entries were {_gone(cost)}")
    if cost.get("lower_bound") is not None:
        yield Card(percent(cost["lower_bound"]), "is the least that any safe version by deletion loses")
    rules = cost.get("rules")
    if rules and rules["changes"][0]["before"]:
        change = rules["changes"][0]
        yield Card(
            share(change["kept"], change["before"]),
            f"of {change['before']:,} useful rules ({exactly(change['confidence'])} confidence or more) kept",
        )


def cost_verdict(cost: Plain) -> str:
    """How much is gone, in one line."""
    loss = cost.get("loss")
    if loss is None and not _paired(cost):
        return f"{cost['occurrences']:,} entries before, {cost['left']:,} after."
    if loss is not None and loss["deleted"] == 0:
        return "Nothing was deleted."
    gone = cost["occurrences"] - cost["left"]
    return f"{gone:,} of {cost['occurrences']:,} entries ({percent(cost['ns'])}) were {_gone(cost)}."


def _gone(cost: Plain) -> str:
    return "suppressed" if "groups" in cost else "deleted"  # what is generalized is not deleted


def _paired(cost: Plain) -> bool:
    """Whether records in groups were compared one by one; they were, before results said so."""
    return bool(cost.get("paired", "groups" in cost))


def cost_size(cost: Plain) -> str:
    """How large the data are that were compared."""
    if "groups" in cost:
        return f"{count(cost['records'], 'record')} in {count(cost['groups'], 'group')}"
    loss = cost["loss"]
    if loss is None:
        return count(cost["records"], "record")
    return (
        f"{count(cost['records'], 'record')}, {loss['changed_records']:,} of them changed and "
        f"{loss['emptied_records']:,} emptied; {count(len(loss['by_item']), 'item')}, {loss['vanished_items']:,} of "
        "them vanished"
    )


def sentences(cost: Plain) -> Iterator[str]:
    """The cost in a few plain sentences."""
    yield from _done(cost)
    yield from _costs(cost)
    yield from cost["remarks"]


def _done(cost: Plain) -> Iterator[str]:
    """How much is gone, and where it was."""
    loss, ncp = cost.get("loss"), cost.get("ncp")
    if loss is None:
        grouped = f" The records are in {count(cost['groups'], 'group')}." if _paired(cost) else ""
        yield f"{cost_verdict(cost)}{grouped}"
    elif loss["deleted"] == 0:
        yield f"Nothing was deleted: all {cost['occurrences']:,} entries are left."
    else:
        secret = loss["sensitive_deleted"]
        told = "" if secret is None else f" Sensitive among these: {secret:,}."
        yield (
            f"{cost_verdict(cost)[:-1]}, from {loss['changed_records']:,} of {cost['records']:,} records.{told} "
            "Nothing was added or invented."
        )
        if loss["emptied_records"]:
            yield f"{count(loss['emptied_records'], 'record')} became empty."
        if loss["vanished_items"]:
            yield f"{count(loss['vanished_items'], 'item')} vanished from the file completely."
    if ncp:
        wider = f"{ncp['generalized']:,} entries are shown as a wider item. " if "generalized" in ncp else ""
        yield f"{wider}Together this costs {percent(ncp['share'])} of the information (NCP; 100% is everything)."


def _above_bound(cost: Plain) -> str:
    """How much more was deleted than the bound says, at most; nothing is said of a bound of 0."""
    least, lost = cost["lower_bound_deletions"], cost["occurrences"] - cost["left"]
    if not least or lost < least:
        return ""
    if lost == least:
        return "; this one loses no more"
    return f"; this one deleted at most {percent((lost - least) / least)} more than the least possible"


def _costs(cost: Plain) -> Iterator[str]:
    """What that did to the data."""
    if cost.get("lower_bound") is not None:
        yield (
            f"Every safe version made by deletion loses at least {percent(cost['lower_bound'])} "
            f"({cost['lower_bound_deletions']:,} of {cost['occurrences']:,} entries){_above_bound(cost)}."
        )
    yield (
        f"The distribution of items moved by {_kl(cost)} (KL; 0 is not at all), {cost['symmetric_kl']:.4g} in the "
        "symmetric form (at most 0.693)."
    )
    if _changes(cost) and not _some(_changes(cost)):
        yield _no_rules(cost["rules"])
        return
    for change in _changes(cost):
        if not _some((change,)):
            yield f"There is no rule of at least {exactly(change['confidence'])} confidence, neither before nor after."
            continue
        yield (
            f"Of {change['before']:,} rules of at least {exactly(change['confidence'])} confidence, {change['kept']:,} "
            f"are left and {change['hidden']:,} hidden; {change['pseudo']:,} others hold only after (Jaccard "
            f"similarity {change['jaccard']:.2f})."
        )


def _some(changes: Sequence[Plain]) -> bool:
    """Whether there is any rule, before or after: of none, a similarity says nothing."""
    return any(change["before"] or change["after"] for change in changes)


def _no_rules(rules: Plain) -> str:
    """Why rules were not compared."""
    among = "" if rules["cutoff"] is None else f" of at most {rules['cutoff']} items"
    if not rules["records"]:
        return f"Rules were not compared: there is no record{among}."
    least = f"at least {rules['least_support']:,} of {count(rules['records'], 'record')}{among}"
    return f"Rules were not compared: none holds for {least}, neither before nor after."


def _kl(cost: Plain) -> str:
    kl = cost.get("kl")
    return "infinite" if kl is None or not math.isfinite(kl) else f"{kl:.4g}"


def _changes(cost: Plain) -> Sequence[Plain]:
    changes: Sequence[Plain] = (cost.get("rules") or {"changes": ()})["changes"]
    return changes


def done_blocks(cost: Plain, *, policy: Any = None, top: int = SHOWN) -> Iterator[Block]:
    """What was done: how much was deleted, of which items, from records of which length."""
    del policy
    yield from map(Text, _done(cost))
    loss = cost.get("loss")
    if loss is not None and loss["deleted"]:
        yield Closer((*([_by_item(loss, top)] if top else []), _by_length(loss)))


def _by_item(loss: Plain, top: int) -> Chart:
    worst = sorted(loss["by_item"], key=lambda n: n["left"] - n["original"])
    worst = [n for n in worst if n["original"] > n["left"]]
    shown = worst[:top]
    gone = [n["original"] - n["left"] for n in shown]
    return Chart(
        "Where it was deleted: the items that lost most",
        f"{count(len(worst), 'item')} lost something; the {len(shown)} shown account for {sum(gone):,} of "
        f"{loss['deleted']:,} deletions ({share(sum(gone), loss['deleted'])}).",
        tuple(clean(n["item"]) for n in shown),
        (
            Series("records before", tuple(n["original"] for n in shown), drawn=False),
            Series("records after", tuple(n["left"] for n in shown)),
            Series("deleted", tuple(gone), gone=True),
            Series("share", tuple(n["share"] for n in shown), "share", drawn=False),
        ),
        kind="stacked",
        axis="records with the item",
        x_axis="item",
    )


def _by_length(loss: Plain) -> Chart:
    rows: list[tuple[str, int, int, int, float | None]] = []
    for least, most in LENGTHS:
        inside = [n for n in loss["by_length"] if least <= n["length"] and (most is None or n["length"] <= most)]
        if inside:
            had, has, gone = (sum(n[key] for n in inside) for key in ("records_before", "records_after", "deleted"))
            original = sum(n["length"] * n["records_before"] for n in inside)
            rows.append((size_range(least, most), had, has, gone, gone / original if original else None))
    labels, before, after, deleted, shares = zip(*rows, strict=True)
    known = [value for value in shares if value is not None]
    return Chart(
        "From whom it was deleted: share of the entries, by length of the record",
        "Longer records hold more that somebody could know, so they usually lose more."
        if len(known) > 1 and known[-1] > known[0]
        else "The share of entries that were deleted from records of each length.",
        labels,
        (
            Series("records before", before, ",", drawn=False),
            Series("records after", after, ",", drawn=False),
            Series("deleted from those before", deleted, ",", drawn=False),
            Series("share", shares, "share"),
        ),
        axis="share of the entries deleted",
        x_axis="items",
        percent=True,
    )


def cost_blocks(cost: Plain) -> Iterator[Block]:
    """What it cost: loss against the bound, the distribution before and after, rules kept, lost and new."""
    yield Points(tuple(_costs(cost)))
    yield from anonymity_blocks(cost)
    closer: list[Block] = []
    loss, rules = cost.get("loss"), cost.get("rules")
    if loss is not None and (cost.get("lower_bound") is not None or loss["sensitive_occurrences"] is not None):
        closer.append(_against_bound(cost, loss))
    if loss is not None and loss["deleted"]:
        closer.append(_distribution(cost, loss))
    if rules and _some(rules["changes"]):
        secret = cost.get("lower_bound") is not None or loss is None or loss["sensitive_occurrences"] is not None
        closer.append(_rules(rules, "Non-sensitive rules" if secret else "Rules"))
    closer.append(Table("All measures", ("measure", "value", "meaning"), tuple(_measures(cost)), (1,)))
    yield Closer(tuple(closer))
    yield from points("Remarks", map(clean, cost["remarks"]))


def _against_bound(cost: Plain, loss: Plain) -> Chart:
    bound = cost.get("lower_bound")
    bars = [] if bound is None else [("least possible (lower bound)", bound)]
    bars.append(("this release", cost["ns"]))
    told = (
        "There is no lower bound for this policy."
        if bound is None
        else f"No safe version made by deletion can lose less than {percent(bound)}."
    )
    if loss["sensitive_occurrences"] is not None and loss["occurrences"]:
        bars.append(("deleting every sensitive entry", loss["sensitive_occurrences"] / loss["occurrences"]))
        told += f" Deleting every sensitive entry would have lost {percent(bars[-1][1])}."
    return Chart(
        "How much was lost, and how little could have been",
        f"{percent(cost['ns'])} of the entries were deleted. {told}",
        tuple(name for name, _ in bars),
        (Series("share of the entries", tuple(value for _, value in bars)),),
        axis="share of the entries deleted",
        percent=True,
    )


def _distribution(cost: Plain, loss: Plain) -> Chart:
    """The most frequent items, as shares of all entries."""
    frequent = sorted(loss["by_item"], key=lambda n: -n["original"])[:FREQUENT]
    total, left = max(loss["occurrences"], 1), max(loss["left"], 1)
    return Chart(
        "Does the file still look the same? Shares of the most frequent items",
        f"The distribution of all items moved by {cost['symmetric_kl']:.4g} (symmetric divergence: 0 is not at all, "
        "0.693 is as far as can be).",
        tuple(clean(n["item"]) for n in frequent),
        (
            Series("before", tuple(n["original"] / total for n in frequent)),
            Series("after", tuple(n["left"] / left for n in frequent)),
        ),
        axis="share of all entries",
        x_axis="item",
        percent=True,
    )


def _rules(rules: Plain, which: str) -> Chart:
    changes = rules["changes"]
    among = "records" if rules["cutoff"] is None else f"records of at most {rules['cutoff']} items"
    first = changes[0]
    return Chart(
        f"{which} that hold for at least {rules['least_support']:,} of {rules['records']:,} {among}",
        f"What analysts still find: at {exactly(first['confidence'])} confidence {first['kept']:,} of "
        f"{first['before']:,} are kept, {first['hidden']:,} lost (hidden), {first['pseudo']:,} new (pseudo: not in the "
        "original).",
        tuple(f">= {percent(Fraction(c['confidence']))}" for c in changes),
        tuple(
            Series(
                name,
                tuple(None if name == "Jaccard" and not _some((c,)) else c[name.lower()] for c in changes),
                form,
                drawn=name in ("kept", "hidden", "pseudo"),
            )
            for name, form in (*((n, ",") for n in ("before", "after", "kept", "hidden", "pseudo")), ("Jaccard", ".3f"))
        ),
        axis="rules",
        x_axis="confidence",
    )


def _measures(cost: Plain) -> Iterator[tuple[str, str, str]]:
    loss, ncp, bound = cost.get("loss"), cost.get("ncp"), cost.get("lower_bound")
    if loss is not None or _paired(cost) or "groups" not in cost:
        yield _gone(cost), percent(cost["ns"]), "of all entries (NS)"
    if ncp:
        wider = share(ncp.get("generalized", 0), cost["occurrences"])
        yield "generalized", wider, "of all entries are shown as a wider item"
        yield "NCP", percent(ncp["share"]), "of the information is lost by both; 100% is everything"
    if loss is not None and loss["sensitive_deleted"] is not None and loss["deleted"]:
        yield "sensitive", share(loss["sensitive_deleted"], loss["deleted"]), "of what was deleted"
    if bound is not None:
        yield "lower bound", percent(bound), "every safe version made by deletion loses at least this"
        if bound > 0 and loss is not None:
            yield "NS / bound", f"{cost['ns'] / bound:.2f}", "how many times the least possible"
    yield "KL", _kl(cost), "how far the shares of the items moved; 0 is not at all"
    yield "symmetric KL", f"{cost['symmetric_kl']:.4g}", "the same against the middle of both; at most 0.693"
