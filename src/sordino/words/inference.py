"""What is said of baskets: from the plain data of an audit (`to_dict`), and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.policy.threshold import show_rational
from sordino.words import claims
from sordino.words.absence import ABSENCES, TAKEN, exposure, known_words
from sordino.words.blocks import Block, Card, Chart, Closer, Facts, Findings, Series, Table, Text, points
from sordino.words.inference_cost import cost_blocks, cost_size, cost_verdict, done_blocks, release_cards, sentences
from sordino.words.steps import Asked, Step, more_findings, not_as_it_is
from sordino.words.surest import highest, surest_blocks
from sordino.words.text import clean, count, exactly, percent, share

__all__ = [
    "KEPT", "audit_blocks", "audit_cards", "audit_steps", "cost_blocks", "cost_size", "cost_verdict",
    "counted_once", "done_blocks", "findings", "people", "policy_blocks", "release_blocks", "release_cards",
    "sentence", "sentences", "size",
]  # fmt: skip

Plain = Mapping[str, Any]

KEPT = "nothing had to be deleted"
SURER = "surer than the policy allows"


def size(audit: Plain) -> str:
    """How large the data are."""
    if audit.get("joint"):
        return f"{count(audit['records'], 'person', 'people')} in {count(audit['joint']['releases'], 'release')}"
    sensitive = f"{audit['sensitive_items']:,} of them sensitive"
    return f"{count(audit['records'], 'record')}, {count(audit['items'], 'item')}, {sensitive}"


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
    most = highest(audit)
    if most is not None and audit.get("surest"):
        yield Card(percent(most), "how sure somebody can become of a sensitive item, at the highest")
    elif most is not None:
        yield Card(percent(most), "how sure the surest of the findings below makes somebody")


def audit_blocks(audit: Plain, asked: Asked, policy: Any = None) -> Iterator[Block]:
    """What can be inferred: people at risk by knowledge, the worst findings, how we know."""
    yield Text(_question(audit, _surer(policy), "can"))
    if claims.answer_of(audit) is not Answer.FAILS:
        yield Text(claims.reply(audit), strong=True)
    elif audit["sampling"] is None:
        if not audit.get("joint"):  # which counts those who are at risk by the releases that they are in
            yield people((("people", audit),))
        yield from findings(audit, "What can be inferred, the findings about most people first")
        yield from surest_blocks(audit, asked.shown)
    yield from points("What stayed open", map(clean, claims.stayed_open(audit, asked.time_limit)))
    yield from points("How this was established", _grounds(audit))
    yield from points("Remarks", (*_frequent(audit), *asked.notes, *map(clean, audit["remarks"])))


def release_blocks(before: Plain, after: Plain) -> Iterator[Block]:
    """What could be inferred before, and what can be now."""
    yield Text(_question(before, SURER, "could"))
    if claims.answer_of(before) is not Answer.FAILS:
        yield Text(claims.reply(before, now=False), strong=True)
    elif before["sampling"] is None:
        both = (("before", before), ("after", after))
        yield people(both if _comparable(before, after) else both[:1], now=False)
        yield Closer(tuple(findings(before, "What could be inferred, the most telling first")))
    yield from points("What stayed open", map(clean, claims.stayed_open(before)))
    yield Closer(tuple(points("How this was established", _grounds(before))))
    remarks = [clean(remark) for remark in before["remarks"] if not remark.startswith(TAKEN)]
    published = [f"In what is published: {clean(r)}" for r in after.get("remarks", ()) if r.startswith(TAKEN)]
    yield from points("Remarks", (*_frequent(after), *remarks, *published))


def _comparable(before: Plain, after: Plain) -> bool:
    """Whether both count people who are at risk from the same adversaries."""
    return all(before.get(key) == after.get(key) for key in ("reach", "absent", "knowledge", "sampling"))


def _question(audit: Plain, surer: str, can: str) -> str:
    if audit.get("joint"):
        return (
            f"The question: {can} someone who has all {audit['joint']['releases']} releases, and links the rows of "
            f"each person, infer a sensitive item that one of them shows, {surer}?"
        )
    record = "person's record" if exposure(audit) is None else "person's record, and whatever is not in it,"
    return (
        f"The question: {can} someone who knows {claims.known_part(audit)} of a {record} infer a sensitive item of "
        f"that person, {surer}?"
    )


def _surer(policy: Any) -> str:
    """How sure is too sure; adaptive thresholds follow from the data, and are not known here."""
    if policy is None or policy.adaptive is not False:
        return SURER
    thresholds = (policy.rho, *policy.rho_of.values())
    least, most = exactly(min(thresholds)), exactly(max(thresholds))
    return f"more than {least} sure" if least == most else f"surer than its own threshold allows ({least} to {most})"


def people(audits: Sequence[tuple[str, Plain]], *, now: bool = True) -> Chart:
    """People at risk, by how little someone must know; of one audit, or of two beside each other."""
    first = audits[0][1]
    absent = exposure(first) is not None
    names, by = (ABSENCES, "exposure_by_absence") if absent else (claims.SIZES, "exposure_by_knowledge")
    rows, known = list(names), first["knowledge"]
    if not absent and known is not None:
        rows = [row for row in rows if (known > 3 if row == "more" else int(row) <= known)]
    labels = [_row(first, row, names) for row in rows]
    total, records = first["people_at_risk"], first["records"]
    what = "how few absences someone must know" if absent else "how little someone must know about them"
    least = "the fewest absences that were found to suffice, beside items that the person has"
    pairs = list(zip(rows, labels, strict=True))
    told = "; ".join(f"{_people(first, row, by)} with {label}" for row, label in pairs)
    cells = [[label, *(_people(audit, row, by) for _, audit in audits)] for row, label in pairs]
    cells.append(["in all", *(f"{claims.at_least(audit)}{audit['people_at_risk']:,}" for _, audit in audits)])
    if len(audits) == 1:
        shares = [first[by][row] for row in rows]
        cells = [[*c, _share(c[1], n, records)] for c, n in zip(cells, [*shares, total], strict=True)]
    title = f"People at risk, by {what}"
    head = ("known to be absent" if absent else "known", *(name for name, _ in audits))
    return Chart(
        title,
        f"{claims.at_least(first)}{total:,} of {records:,} people ({share(total, records)}) {'are' if now else 'were'} "
        f"at risk: {told}. Each person is counted once, at {least if absent else 'the least knowledge that suffices'}.",
        tuple(labels),
        tuple(Series(name, tuple(float(audit[by][row]) for row in rows)) for name, audit in audits),
        axis="people",
        x_axis=head[0],
        table=Table(title, (*head, "share")[: len(cells[0])], tuple(map(tuple, cells)), (1, 2), total=True),
    )


def _row(audit: Plain, row: str, names: Mapping[str, str]) -> str:
    """The name of a row; the last has all of whom it is not known how little suffices."""
    settled = all(audit["exact"].get(size, True) for size in ("1", "2", "3"))
    return names[row] if row != "more" or settled else "not settled"


def _people(audit: Plain, row: str, by: str) -> str:
    """The number of a row; what is in the row of those not settled is known to be at risk."""
    number, exact = audit[by][row], audit["exact"].get(row, True)
    if exact or (row == "more" and _row(audit, row, {row: ""})):
        return f"{number:,}"
    return f"at least {number:,}" if number else "not counted"


def _share(shown: str, number: int, records: int) -> str:
    return "" if shown == "not counted" else share(number, records)


def findings(audit: Plain, title: str) -> Iterator[Findings]:
    """The findings, each as a row and as a sentence."""
    rows = tuple(
        (
            " + ".join([*map(clean, f["antecedent"]), *(f"no {clean(item)}" for item in f.get("absent", ()))]),
            clean(f["consequent"]),
            f"{f['with_consequent']:,} of {f['support']:,} = {percent(Fraction(f['with_consequent'], f['support']))}",
            f"{f['people']:,}",
        )
        for f in audit["findings"]
    )
    if rows:
        table = Table(title, ("knows", "infers", "confidence", "people"), rows, (2, 3))
        yield Findings(table, tuple(map(sentence, audit["findings"])))


def sentence(finding: Plain) -> str:
    """A finding in plain words."""
    known = known_words(*([clean(item) for item in finding.get(key, ())] for key in ("antecedent", "absent")))
    sure = Fraction(finding["with_consequent"], finding["support"])
    return (
        f"Someone who knows {known} can infer {clean(finding['consequent'])} for "
        f"{count(finding['people'], 'person', 'people')} ({finding['with_consequent']:,} of {finding['support']:,}, "
        f"{float(sure):.0%} sure)."
    )


def _grounds(audit: Plain) -> Iterator[str]:
    """How the answer was established."""
    yield from claims.examined(audit)
    proved, searched = audit["proved_occurrences"], audit["searched_occurrences"]
    if exposure(audit) is not None and searched:
        yield f"In entries (equal records taken once): {searched:,} compared with their twins."
    elif proved or searched:
        yield f"In entries (equal records taken once): {proved:,} by alibis, {searched:,} by search."


def _frequent(audit: Plain) -> Iterator[str]:
    items = audit["frequent_items"]
    for item in items[:5]:
        yield (
            f"Everyone can guess '{clean(item['item'])}': {share(item['people'], audit['records'])} of all people have "
            f"it, and its threshold is {exactly(item['threshold'])}. No hiding of other items changes that."
        )
    if len(items) > 5:
        yield f"So it is with {count(len(items) - 5, 'more sensitive item')} (all are in the JSON result)."


def counted_once(repeated: int) -> Iterator[str]:
    """What is said of data in which items are repeated within a record."""
    if repeated == 1:
        yield "1 item was repeated within its record; it counts once."
    elif repeated:
        yield f"{repeated:,} items were repeated within their records; each counts once."


def audit_steps(audit: Plain, asked: Asked) -> Iterator[Step]:
    """What to do next."""
    answer = claims.answer_of(audit)
    if answer is Answer.NOT_CHECKED:
        yield "Do not hand on the file: it is not known whether it is safe. Give the audit more time:", asked.longer
        yield "Or make a version that is safe, and shown to be:", asked.command("protect", "--out", "release")
        return
    if answer is Answer.FAILS:
        yield from more_findings(audit, asked)
        yield not_as_it_is(asked)
        return
    if not (audit.get("personal") or audit["sampling"] is not None or exposure(audit) is not None):  # else no proofs
        proof = asked.proof or "proof.json.gz"
        if asked.proof is None:
            yield "Write a proof that others can check:", asked.command("audit", "--proof", proof)
        else:
            yield f"The proof is in {clean(proof)}.", None
        yield "Check the proof without trusting this audit:", asked.command("verify", "--proof", proof)
    yield "The verdict is about the sensitive items of the policy: names and other identifiers must go anyway.", None


def policy_blocks(policy: Any) -> Iterator[Block]:
    """What the policy demands: its numbers, and the items with their thresholds."""
    known = "any number of items" if policy.knowledge is None else f"at most {count(policy.knowledge, 'item')}"
    facts = [
        ("sensitive items", f"{len(policy.sensitive):,}"),
        ("threshold (rho)", show_rational(policy.rho)),
        ("what someone may know", known),
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
