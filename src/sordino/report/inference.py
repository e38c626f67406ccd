"""What a report says about baskets: from the plain data of an audit (`to_dict`) and of a cost, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import show_rational
from sordino.report.blocks import (
    Block,
    Card,
    Chart,
    Facts,
    Points,
    Section,
    Series,
    Table,
    Text,
    clean,
    count,
    percent,
    share,
)
from sordino.words import claims
from sordino.words.absence import ABSENCES, exposure, known_words

__all__ = [
    "audit_cards",
    "audit_verdict",
    "before_section",
    "cost_blocks",
    "cost_cards",
    "cost_section",
    "done_section",
    "people_chart",
    "policy_blocks",
    "release_verdict",
    "seen_cards",
    "seen_charts",
    "sentence",
    "size",
]

Plain = Mapping[str, Any]

SIZES = {"1": "1 item known", "2": "2 items known", "3": "3 items known", "more": "more items known"}
SHOWN = 15  # items in a chart of deletions
FREQUENT = 10  # items in the chart of the distribution
LENGTHS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, 50), (51, None))


def size(audit: Plain) -> str:
    """How large the data are."""
    return f"{audit['records']:,} records, {audit['items']:,} items, {audit['sensitive_items']:,} of them sensitive"


def audit_verdict(audit: Plain) -> tuple[str, bool | None]:
    """The answer of an audit in one sentence, and whether it is a good one."""
    return claims.verdict(audit), claims.answer_of(audit).good


def release_verdict(before: Plain, after: Plain) -> str:
    """What protecting came to, in one sentence."""
    return claims.released(before, after)


def audit_cards(audit: Plain) -> Iterator[Card]:
    """The numbers of an audit that a steward looks for first."""
    records, by = audit["records"], audit["exposure_by_knowledge"]
    answer = claims.answer_of(audit)
    if answer is Answer.NOT_CHECKED:
        yield Card("not known", f"people at risk, of {records:,}")
    elif audit["sampling"] is None:
        yield Card(f"{claims.at_least(audit)}{audit['people_at_risk']:,}", f"people at risk, of {records:,}")
    absences = exposure(audit)
    if answer is Answer.FAILS and absences is not None:
        yield Card(f"{absences['0']:,}", "at risk even if nobody knows what they do not have")
    elif answer is Answer.FAILS and audit["sampling"] is None:
        least = "" if audit["exact"].get("1", True) else "at least "
        yield Card(f"{least}{by['1']:,}", "at risk if one single item is known about them")
    yield Card(f"{audit['sensitive_items']:,}", f"sensitive items, of {audit['items']:,}")
    if audit["findings"]:
        worst = max(audit["findings"], key=lambda f: f["confidence"])
        yield Card(percent(worst["confidence"]), "how sure the surest of the findings below makes somebody")


def before_section(audit: Plain, *, now: bool) -> Section:
    """What could be inferred: people at risk by knowledge, the worst findings in sentences, how we know."""
    part = claims.known_part(audit)
    record = "person's record" if exposure(audit) is None else "person's record, and whatever is not in it,"
    can = "can" if now else "could"
    blocks: list[Block] = [
        Text(
            f"The question: {can} someone who knows {part} of a {record} infer a sensitive item of that person, "
            "surer than the policy allows?"
        )
    ]
    if claims.answer_of(audit) is not Answer.FAILS:
        blocks.append(Text(claims.reply(audit, now=now), strong=True))
    else:
        blocks.append(people_chart((("people", audit),), now=now))
        blocks += _findings(audit)
    still_open = tuple(map(clean, claims.stayed_open(audit)))
    if still_open:
        blocks += [Text("What stayed open:", strong=True), Points(still_open)]
    blocks += [Text("How this was established:", strong=True), Points(tuple(claims.examined(audit)))]
    if audit["proved_occurrences"] or audit["searched_occurrences"]:
        blocks.append(Text(_entries(audit)))
    remarks = [*_frequent(audit), *(clean(remark) for remark in audit["remarks"])]
    if remarks:
        blocks.append(Points(tuple(remarks)))
    title = "What can be inferred" if now else "Before: what could be inferred"
    return Section("before", title, tuple(blocks))


def people_chart(audits: Sequence[tuple[str, Plain]], *, now: bool) -> Chart:
    """People at risk, by how little someone must know."""
    first = audits[0][1]
    if exposure(first) is not None:
        return _absence_chart(audits, now=now)
    known = first["knowledge"]
    sizes = [s for s in SIZES if known is None or (s == "more" and known > 3) or (s != "more" and int(s) <= known)]
    total, by = first["people_at_risk"], first["exposure_by_knowledge"]
    told = "; ".join(f"{by[size]:,} with {SIZES[size].removesuffix(' known')}" for size in sizes)
    verb = "are" if now else "were"
    return Chart(
        "People at risk, by how little someone must know about them",
        f"{claims.at_least(first)}{total:,} of {first['records']:,} people ({share(total, first['records'])}) {verb} "
        f"at risk: {told}. Each person is counted once, at the least knowledge that suffices.",
        tuple(SIZES[size] for size in sizes),
        tuple(Series(name, tuple(float(a["exposure_by_knowledge"][s]) for s in sizes)) for name, a in audits),
        axis="people",
        x_axis="knowledge",
    )


def _absence_chart(audits: Sequence[tuple[str, Plain]], *, now: bool) -> Chart:
    """The same by how few absences suffice, beside items that they have."""
    first = audits[0][1]
    total, by = first["people_at_risk"], first["exposure_by_absence"]
    told = "; ".join(
        f"{'' if first['exact'].get(row, True) else 'at least '}{by[row]:,} with {ABSENCES[row].removesuffix(' known')}"
        for row in ABSENCES
        if row != "more" or first["exact"].get("2", True)
    )
    rest = "" if first["exact"].get("2", True) else "; how few suffice for the others was not settled"
    return Chart(
        "People at risk, by how few absences someone must know",
        f"{claims.at_least(first)}{total:,} of {first['records']:,} people ({share(total, first['records'])}) "
        f"{'are' if now else 'were'} at risk: {told}{rest}. Each person is counted once, at the fewest absences that "
        "were found to suffice, beside items that the person has.",
        tuple(ABSENCES.values()),
        tuple(Series(name, tuple(float(a["exposure_by_absence"][row]) for row in ABSENCES)) for name, a in audits),
        axis="people",
        x_axis="knowledge",
    )


def _findings(audit: Plain) -> Iterator[Block]:
    if audit["findings"]:
        yield Text("The worst findings, the most telling first:", strong=True)
        yield Points(tuple(sentence(finding) for finding in audit["findings"]), numbered=True)


def sentence(finding: Plain) -> str:
    """A finding in plain words."""
    known = known_words(*([clean(item) for item in finding.get(key, ())] for key in ("antecedent", "absent")))
    sure = Fraction(finding["with_consequent"], finding["support"])
    return (
        f"Someone who knows {known} can infer {clean(finding['consequent'])} for "
        f"{count(finding['people'], 'person', 'people')} ({finding['with_consequent']:,} of {finding['support']:,}, "
        f"{float(sure):.0%} sure)."
    )


def _entries(audit: Plain) -> str:
    if exposure(audit) is not None:
        return f"In entries (equal records taken once): {audit['searched_occurrences']:,} compared with their twins."
    return (
        f"In entries (equal records taken once): {audit['proved_occurrences']:,} by alibis, "
        f"{audit['searched_occurrences']:,} by search."
    )


def _frequent(audit: Plain) -> Iterator[str]:
    for item in audit["frequent_items"][:5]:
        yield (
            f"Everyone can guess '{clean(item['item'])}': {share(item['people'], audit['records'])} of all people have "
            f"it, above its threshold of {item['threshold']}. No hiding of other items changes that."
        )


def cost_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """The numbers of a release that a steward looks for first."""
    if before["sampling"] is None:
        people = f"{claims.at_least(before)}{before['people_at_risk']:,}"
        if after["holds"] and claims.complete(after) and not claims.against(after):
            yield Card(f"{people} → 0", f"people at risk, of {before['records']:,}")
        else:
            yield Card(people, f"people at risk before, of {before['records']:,}")
    yield Card(percent(cost["ns"]), "of all entries were deleted")
    if cost.get("lower_bound") is not None:
        yield Card(percent(cost["lower_bound"]), "is the least that any safe version by deletion loses")
    rules = cost.get("rules")
    if rules:
        change = rules["changes"][0]
        if change["before"]:
            yield Card(
                share(change["kept"], change["before"]),
                f"of {change['before']:,} useful rules ({_percent_of(change['confidence'])} confidence or more) kept",
            )


def done_section(history: Plain) -> Section:
    """What was done: how much was deleted, of which items, from records of which length."""
    cost = history["utility"]
    loss = cost.get("loss")
    blocks: list[Block] = []
    if loss is None:
        blocks.append(
            Text(f"The method '{history['method']}': {cost['occurrences']:,} entries before, {cost['left']:,} after.")
        )
        blocks += _grouped(cost)
    elif loss["deleted"] == 0:
        blocks.append(Text("Nothing was changed: the file already satisfied the policy.", strong=True))
    else:
        secret = loss["sensitive_deleted"]
        blocks.append(
            Text(
                f"The method '{history['method']}' deleted {loss['deleted']:,} of {loss['occurrences']:,} entries "
                f"({percent(loss['share'])}), from {loss['changed_records']:,} of {cost['records']:,} records. Nothing "
                "was added or invented."
            )
        )
        if secret is not None:
            blocks.append(
                Text(
                    f"{secret:,} of the deleted entries were sensitive, {loss['deleted'] - secret:,} were not. "
                    f"{count(loss['emptied_records'], 'record')} became empty, {count(loss['vanished_items'], 'item')} "
                    "vanished from the file."
                )
            )
        blocks += [_by_item(loss), _by_length(loss)]
    return Section("done", "What was done", tuple(blocks))


def _grouped(cost: Plain) -> Iterator[Block]:
    """Releases in groups: wider items, or sensitive items told by group."""
    if cost.get("groups"):
        yield Text(f"Records were put into {count(cost['groups'], 'group')}.")
    ncp = cost.get("ncp")
    if ncp:
        wider = f"{ncp['generalized']:,} entries are shown as a wider item. " if "generalized" in ncp else ""
        yield Text(f"{wider}Together this costs {percent(ncp['share'])} of the information (NCP; 100% is everything).")


def _by_item(loss: Plain) -> Chart:
    worst = sorted(loss["by_item"], key=lambda n: -(n["original"] - n["left"]))
    worst = [n for n in worst if n["original"] > n["left"]]
    shown = worst[:SHOWN]
    told = sum(n["original"] - n["left"] for n in shown)
    return Chart(
        "Where it was deleted: the items that lost most",
        f"{count(len(worst), 'item')} lost something; the {len(shown)} shown account for {told:,} of "
        f"{loss['deleted']:,} deletions ({share(told, loss['deleted'])}).",
        tuple(clean(n["item"]) for n in shown),
        (
            Series("left", tuple(float(n["left"]) for n in shown)),
            Series("deleted", tuple(float(n["original"] - n["left"]) for n in shown)),
        ),
        kind="stacked",
        axis="records with the item",
        x_axis="item",
    )


def _by_length(loss: Plain) -> Chart:
    labels, shares = [], []
    for least, most in LENGTHS:
        inside = [n for n in loss["by_length"] if least <= n["length"] and (most is None or n["length"] <= most)]
        original = sum(n["length"] * n["records_before"] for n in inside)
        if original:
            labels.append(_range(least, most))
            shares.append(sum(n["deleted"] for n in inside) / original)
    return Chart(
        "From whom it was deleted: share of the entries, by length of the record",
        "Longer records hold more that somebody could know, so they usually lose more."
        if len(shares) > 1 and shares[-1] > shares[0]
        else "The share of entries that were deleted from records of each length.",
        tuple(labels),
        (Series("deleted", tuple(shares)),),
        axis="share of the entries deleted",
        x_axis="items in the record",
        percent=True,
    )


def _range(least: int, most: int | None) -> str:
    if most is None:
        return f"over {least - 1}"
    return str(least) if least == most else f"{least} to {most}"


def cost_section(cost: Plain) -> Section:
    """What it cost: loss against the bound, the distribution before and after, rules kept, lost and new."""
    return Section("cost", "What it cost", cost_blocks(cost))


def cost_blocks(cost: Plain) -> tuple[Block, ...]:
    """The pictures and numbers of a cost."""
    blocks: list[Block] = []
    loss, bound = cost.get("loss"), cost.get("lower_bound")
    if loss is not None:
        blocks.append(_against_bound(cost, loss, bound))
        blocks.append(_distribution(cost, loss))
    rules = cost.get("rules")
    if rules:
        blocks.append(_rules(rules))
    blocks.append(Table("All measures", ("measure", "value", "meaning"), tuple(_measures(cost)), (1,)))
    if cost["remarks"]:
        blocks.append(Points(tuple(clean(remark) for remark in cost["remarks"])))
    return tuple(blocks)


def _against_bound(cost: Plain, loss: Plain, bound: float | None) -> Chart:
    labels, values = [], []
    if bound is not None:
        labels.append("least possible (lower bound)")
        values.append(bound)
    labels.append("this release")
    values.append(cost["ns"])
    everything = ""
    if loss["sensitive_occurrences"] is not None and loss["occurrences"]:
        labels.append("deleting every sensitive entry")
        values.append(loss["sensitive_occurrences"] / loss["occurrences"])
        everything = f" Deleting every sensitive entry would have lost {percent(values[-1])}."
    at_least = (
        f"No safe version made by deletion can lose less than {percent(bound)}."
        if bound is not None
        else "There is no lower bound for this policy."
    )
    return Chart(
        "How much was lost, and how little could have been",
        f"{percent(cost['ns'])} of the entries were deleted. {at_least}{everything}",
        tuple(labels),
        (Series("share of the entries", tuple(values)),),
        axis="share of the entries deleted",
        percent=True,
    )


def _distribution(cost: Plain, loss: Plain) -> Chart:
    """The most frequent items, as shares of all entries."""
    frequent = sorted(loss["by_item"], key=lambda n: -n["original"])[:FREQUENT]
    total, left = max(loss["occurrences"], 1), max(loss["left"], 1)
    moved = cost["symmetric_kl"]
    return Chart(
        "Does the file still look the same? Shares of the most frequent items",
        f"The distribution of all items moved by {moved:.4g} (symmetric divergence: 0 is not at all, 0.693 is as far "
        "as can be).",
        tuple(clean(n["item"]) for n in frequent),
        (
            Series("before", tuple(n["original"] / total for n in frequent)),
            Series("after", tuple(n["left"] / left for n in frequent)),
        ),
        axis="share of all entries",
        x_axis="item",
        percent=True,
    )


def _rules(rules: Plain) -> Chart:
    changes = rules["changes"]
    among = "records" if rules["cutoff"] is None else f"records of at most {rules['cutoff']} items"
    first = changes[0]
    return Chart(
        "What analysts still find: association rules between items that are not sensitive",
        f"Among {rules['records']:,} {among}, rules true of at least {rules['least_support']:,}. At "
        f"{_percent_of(first['confidence'])} confidence {first['kept']:,} of {first['before']:,} are kept, "
        f"{first['hidden']:,} lost, {first['pseudo']:,} new.",
        tuple(f"confidence {_percent_of(c['confidence'])} or more" for c in changes),
        (
            Series("kept", tuple(float(c["kept"]) for c in changes)),
            Series("lost", tuple(float(c["hidden"]) for c in changes)),
            Series("new (not in the original)", tuple(float(c["pseudo"]) for c in changes)),
        ),
        axis="rules",
    )


def _percent_of(fraction: str) -> str:
    text = show_rational(Fraction(fraction) * 100)
    return f"{text}%" if "/" not in text else fraction


def _measures(cost: Plain) -> Iterator[tuple[str, str, str]]:
    yield "NS", percent(cost["ns"]), "share of the entries that were deleted"
    if cost.get("lower_bound") is not None:
        yield "lower bound", percent(cost["lower_bound"]), "every safe version made by deletion loses at least this"
        if cost["lower_bound"] > 0:
            yield "NS / bound", f"{cost['ns'] / cost['lower_bound']:.2f}", "how many times the least possible"
    kl = cost.get("kl")
    yield "KL", "infinite" if kl is None or not math.isfinite(kl) else f"{kl:.4g}", "KL(after || before) of item shares"
    yield "symmetric KL", f"{cost['symmetric_kl']:.4g}", "the same against the middle of both; at most 0.693"
    for change in (cost.get("rules") or {"changes": ()})["changes"]:
        conf = _percent_of(change["confidence"])
        yield f"Jaccard, {conf}", f"{change['jaccard']:.3f}", f"similarity of the rules of at least {conf} confidence"


def seen_cards(records: int, entries: int, items: int) -> tuple[Card, ...]:
    """The size of published baskets."""
    return (
        Card(f"{records:,}", "people"),
        Card(f"{items:,}", "different items"),
        Card(f"{entries / max(records, 1):.1f}", "items a person, on average"),
    )


def seen_charts(lengths: Mapping[int, int], supports: Sequence[tuple[str, int]], records: int) -> tuple[Block, ...]:
    """Published baskets in two pictures: how long records are (length -> records), what is in them (item, records)."""
    labels, counts = [], []
    for least, most in LENGTHS:
        inside = sum(n for length, n in lengths.items() if least <= length and (most is None or length <= most))
        if inside:
            labels.append(_range(least, most))
            counts.append(float(inside))
    frequent = sorted(supports, key=lambda pair: (-pair[1], pair[0]))[:SHOWN]
    return (
        Chart(
            "How many items people have",
            f"{records:,} records, by the number of their items.",
            tuple(labels),
            (Series("records", tuple(counts)),),
            axis="records",
            x_axis="items in the record",
        ),
        Chart(
            "The most frequent items",
            f"The share of all people who have it, for the {len(frequent)} most frequent of {len(supports):,} items.",
            tuple(clean(name) for name, _ in frequent),
            (Series("share of the people", tuple(n / max(records, 1) for _, n in frequent)),),
            axis="share of the people",
            x_axis="item",
            percent=True,
        ),
    )


def policy_blocks(policy: InferencePolicy) -> Iterator[Block]:
    """What the policy demands: its numbers, and the items with their thresholds."""
    facts = [
        ("sensitive items", f"{len(policy.sensitive):,}"),
        ("threshold (rho)", show_rational(policy.rho)),
        (
            "what someone may know",
            "any number of items" if policy.knowledge is None else f"at most {policy.knowledge} items",
        ),
    ]
    if policy.adaptive is not False:
        facts.append(("adaptive thresholds", "yes: frequent items may be inferred more surely"))
    if policy.personal:
        facts.append(("personal choices", "yes: people chose for themselves, see choices.parquet"))
    if policy.assurance is not None:
        sure = policy.assurance
        share_of = f"epsilon {show_rational(sure.epsilon)}, delta {show_rational(sure.delta)}"
        facts.append(("assurance", f"sampled: {share_of}, up to {sure.max_knowledge} known items"))
    yield Facts("The policy", tuple(facts))
    if policy.rho_of:
        rows = tuple((clean(item), show_rational(rho)) for item, rho in policy.rho_of.items())
        yield Table("Thresholds of single items", ("item", "at most"), rows, (1,))
