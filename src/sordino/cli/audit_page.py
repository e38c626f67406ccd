"""The result of an audit in the words of a data steward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from sordino.audit.result import AuditResult
from sordino.cli.absence_page import absence_grid, entries, known_items
from sordino.cli.asked import Asked
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count, percent
from sordino.policy.answer import Answer
from sordino.policy.inference import ResolvedInference
from sordino.policy.threshold import show_rational
from sordino.words.claims import SIZES, examined, known_part, settled, stayed_open

__all__ = ["audit_page", "headline"]


def audit_page(
    result: AuditResult,
    resolved: ResolvedInference,
    asked: Asked,
    *,
    top: int,
    repeated: int = 0,
    proof: Path | None = None,
) -> list[Block]:
    """Verdict, people at risk, findings, how we know, remarks, what next."""
    page: list[Block] = [headline(result), Lines(tuple(_question(result, resolved, asked.data)))]
    still_open = tuple(stayed_open(result.to_dict(), asked.time_limit))
    if still_open and result.sampling is None:
        page.append(Lines(still_open, "What stayed open"))
    if result.answer is Answer.FAILS and result.sampling is None:
        page.append(_exposure(result) if result.absent is None else absence_grid(result))
        if result.findings:
            page.append(_findings(result))
    page.append(Lines(tuple(_grounds(result)), "How this was established"))
    remarks = [*_frequent(result), *_reading(repeated), *result.remarks]
    if remarks:
        page.append(Lines(tuple(remarks), "Remarks"))
    page.append(Steps("What next", tuple(_next(result, resolved, asked, top, proof))))
    return page


def headline(result: AuditResult) -> Headline:
    """The verdict in one line."""
    return Headline(result.verdict(), good=result.answer.good)


def _question(result: AuditResult, resolved: ResolvedInference, data: str) -> Iterator[str]:
    source = "standard input" if data == "-" else data
    yield (
        f"{clean(source)}: {count(result.records, 'record')}, {count(result.items, 'item')}, "
        f"{result.sensitive_items:,} of them sensitive."
    )
    known = known_part(result.to_dict())
    beyond = "" if result.absent is None else ", and whatever is not in it,"
    yield (
        f"Question: can someone who knows {known} of a record{beyond} infer a sensitive item of it with more than "
        f"{_limit(resolved)}?"
    )


def _limit(resolved: ResolvedInference) -> str:
    thresholds = sorted(set(resolved.thresholds.values()))
    if len(thresholds) == 1:
        return f"{_exact_percent(thresholds[0])} confidence"
    if not thresholds:
        return "the allowed confidence"
    return f"its own threshold ({_exact_percent(thresholds[0])} to {_exact_percent(thresholds[-1])}) allows"


def _exact_percent(share: Fraction) -> str:
    text = show_rational(share * 100)
    return f"{share} ({percent(share)})" if "/" in text else f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _exposure(result: AuditResult) -> Grid:
    shown = [size for size in SIZES if result.knowledge is None or size == "more" or int(size) <= result.knowledge]
    if result.knowledge is not None and result.knowledge <= 3:
        shown.remove("more")
    rows = [(_known(result, size), _bounded(result, size), _share(result, size)) for size in shown]
    total = "at least " * (not result.exact.get("people_at_risk", True)) + f"{result.people_at_risk:,}"
    rows.append(("in all", total, percent(Fraction(result.people_at_risk, result.records))))
    return Grid(
        "People at risk, by how little someone must know about them",
        ("known", "people", "share"),
        tuple(rows),
        right=(1, 2),
        total=True,
    )


def _known(result: AuditResult, size: str) -> str:
    return SIZES[size] if size != "more" or settled(result.to_dict()) else "not settled"


def _bounded(result: AuditResult, size: str) -> str:
    people = result.exposure_by_knowledge[size]
    if result.exact.get(size, True) or (size == "more" and not settled(result.to_dict())):
        return f"{people:,}"
    return f"at least {people:,}" if people else "not counted"


def _share(result: AuditResult, size: str) -> str:
    if not result.exposure_by_knowledge[size] and not result.exact.get(size, True):
        return ""
    return percent(Fraction(result.exposure_by_knowledge[size], result.records))


def _findings(result: AuditResult) -> Grid:
    rows = tuple(
        (
            known_items(finding),
            clean(finding.consequent),
            f"{finding.with_consequent:,} of {finding.support:,} = {percent(finding.confidence)}",
            f"{finding.people:,}",
        )
        for finding in result.findings
    )
    return Grid(
        "What can be inferred, the most telling first", ("knows", "infers", "confidence", "people"), rows, (2, 3)
    )


def _grounds(result: AuditResult) -> Iterator[str]:
    yield from examined(result.to_dict())
    if result.absent is not None:
        yield entries(result)
        return
    if result.proved_occurrences or result.searched_occurrences:
        yield (
            f"In entries (equal records taken once): {result.proved_occurrences:,} by alibis, "
            f"{result.searched_occurrences:,} by search. It took {result.seconds:.1f} s."
        )


def _frequent(result: AuditResult) -> Iterator[str]:
    for item in result.frequent[:5]:
        yield (
            f"Everyone can guess '{clean(item.item)}': {percent(Fraction(item.people, result.records))} of all people "
            f"have it, and its threshold is {_exact_percent(item.threshold)}. No hiding of other items changes that."
        )
    if len(result.frequent) > 5:
        yield f"So it is with {count(len(result.frequent) - 5, 'more sensitive item')} (all are in the JSON result)."


def _reading(repeated: int) -> Iterator[str]:
    if repeated == 1:
        yield "1 item was repeated within its record; it counts once."
    elif repeated:
        yield f"{repeated:,} items were repeated within their records; each counts once."


def _longer(asked: Asked) -> str:
    """The same audit with ten times the time; without a limit if there was none."""
    limit = asked.time_limit
    return replace(asked, time_limit=None if limit is None else max(10 * limit, 60.0)).command("audit")


def _next(
    result: AuditResult, resolved: ResolvedInference, asked: Asked, top: int, proof: Path | None
) -> Iterator[tuple[str, str | None]]:
    if result.answer is Answer.NOT_CHECKED:
        yield "Do not hand on the file: it is not known whether it is safe. Give the audit more time:", _longer(asked)
        yield "Or make a version that is safe, and shown to be:", asked.command("protect", "--out", "release")
        return
    if not result.holds:
        if len(result.findings) == top:  # fewer would be all there are
            yield "See more findings:", asked.command("audit", "--top", str(max(50, 5 * top)))
        yield "Keep the result, for a pipeline or a colleague:", asked.command("audit", "--json", "audit.json")
        yield (
            "Do not hand on the file as it is. Make a version that is safe:",
            asked.command("protect", "--out", "release"),
        )
        return
    if resolved.policy.personal or result.sampling is not None or result.absent is not None:  # there are no proofs
        yield (
            "The verdict is about the sensitive items of the policy: names and other identifiers must go anyway.",
            None,
        )
        return
    path = proof or Path("proof.json.gz")
    if proof is None:
        yield "Write a proof that others can check:", asked.command("audit", "--proof", str(path))
    else:
        yield f"The proof is in {path}.", None
    yield "Check the proof without trusting this audit:", asked.command("verify", "--proof", str(path))
    yield "The verdict is about the sensitive items of the policy: names and other identifiers must go anyway.", None
