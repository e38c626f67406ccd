"""The result of an audit in the words of a data steward."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from sordino.audit.result import AuditResult
from sordino.cli.absence_page import LIMITS, absence_grid, absence_grounds, known_words
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count, percent
from sordino.policy.inference import ResolvedInference
from sordino.policy.threshold import show_rational

__all__ = ["Asked", "audit_page", "headline"]

SIZES = {"1": "1 item", "2": "2 items", "3": "3 items", "more": "more items"}


@dataclass(frozen=True)
class Asked:
    """Which data and which policy the user named, to name them again in suggestions."""

    data: str
    policy: Path | None
    sensitive: str | None = None
    rho: str | None = None
    knowledge: int | None = None
    adaptive: bool = False
    layout: str | None = None
    record: str | None = None
    item: str | None = None
    allow_missing: bool = False
    choices: Path | None = None
    delimiter: str | None = None

    def command(self, verb: str, *more: str) -> str:
        """A command about the same data and policy, ready for a shell."""
        words = ["sordino", verb, self.data]
        for option, value in (
            ("--policy", self.policy),
            ("--sensitive", self.sensitive),
            ("--rho", self.rho),
            ("--knowledge", self.knowledge),
            ("--choices", self.choices),
            ("--layout", self.layout),
            ("--record", self.record),
            ("--item", self.item),
            ("--delimiter", self.delimiter),
        ):
            if value is not None:
                words += [option, str(value)]
        words += ["--adaptive"] if self.adaptive else []
        words += ["--allow-missing"] if self.allow_missing else []
        return shlex.join([*words, *more])


def audit_page(
    result: AuditResult,
    resolved: ResolvedInference,
    asked: Asked,
    *,
    top: int,
    repeated: int = 0,
    time_limit: float | None = None,
    proof: Path | None = None,
) -> list[Block]:
    """Verdict, people at risk, findings, how we know, remarks, what next."""
    page: list[Block] = [headline(result), Lines(tuple(_question(result, resolved, asked.data)))]
    if not result.holds and result.sampling is None:
        page.append(_exposure(result) if result.absent is None else absence_grid(result))
        if result.findings:
            page.append(_findings(result))
    page.append(Lines(tuple(_grounds(result)), "How this was established"))
    remarks = [*_bounds(result, time_limit), *_frequent(result), *_reading(repeated), *result.remarks]
    if remarks:
        page.append(Lines(tuple(remarks), "Remarks"))
    page.append(Steps("What next", tuple(_next(result, asked, top, proof))))
    return page


def headline(result: AuditResult) -> Headline:
    """The verdict in one line."""
    if result.sampling is not None:
        return Headline(result.verdict(), good=result.holds)
    if result.holds:
        return Headline("SAFE: no sensitive item can be inferred above its threshold.", good=True)
    least = "" if result.exact.get("people_at_risk", True) else "at least "
    share = percent(Fraction(result.people_at_risk, result.records))
    are = "is" if result.people_at_risk == 1 else "are"
    return Headline(
        f"NOT SAFE: {least}{result.people_at_risk:,} of {count(result.records, 'person', 'people')} ({share}) {are} at "
        "risk.",
        good=False,
    )


def _question(result: AuditResult, resolved: ResolvedInference, data: str) -> Iterator[str]:
    source = "standard input" if data == "-" else data
    yield (
        f"{clean(source)}: {count(result.records, 'record')}, {count(result.items, 'item')}, "
        f"{result.sensitive_items:,} of them sensitive."
    )
    known = (
        "any part of a record" if result.knowledge is None else f"at most {count(result.knowledge, 'item')} of a record"
    )
    if result.absent is not None:
        known += ", and whatever is not in it,"
    yield f"Question: can someone who knows {known} infer a sensitive item of it with more than {_limit(resolved)}?"


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
    return SIZES[size] if size != "more" or _settled(result) else "not settled"


def _bounded(result: AuditResult, size: str) -> str:
    people = result.exposure_by_knowledge[size]
    if result.exact.get(size, True) or (size == "more" and not _settled(result)):
        return f"{people:,}"
    return f"at least {people:,}" if people else "not counted"


def _share(result: AuditResult, size: str) -> str:
    if not result.exposure_by_knowledge[size] and not result.exact.get(size, True):
        return ""
    return percent(Fraction(result.exposure_by_knowledge[size], result.records))


def _settled(result: AuditResult) -> bool:
    """Whether the counts for one to three known items are exact."""
    return all(result.exact.get(size, True) for size in ("1", "2", "3"))


def _findings(result: AuditResult) -> Grid:
    rows = tuple(
        (
            known_words(finding),
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
    if result.absent is not None:
        yield from absence_grounds(result)
        return
    if result.sampling is not None:
        yield "By sampling: this is no proof, and says nothing about any single person."
        for size, drawn in result.sampling.drawn.items():
            unsafe, proven = result.sampling.unsafe[size], result.sampling.proven.get(size)
            tells = "nobody has so many" if not drawn else f"{unsafe:,} of {drawn:,} drawn can infer something"
            claim = "" if proven is None else f"; less than {proven:.3%} of all can"
            yield f"{count(size, 'item')} known: {tells}{claim}."
        return
    if result.personal:
        yield (
            "People chose for themselves what is sensitive. Someone at risk is a person of whom something she chose "
            "can be inferred, whether she has it or would only be suspected of it."
        )
    if result.proved_items:
        yield (
            f"By alibis: {count(result.proved_items, 'item')}. Whoever has one of them is matched by enough other "
            "people with the same things beside it, but without it."
        )
    if result.searched_items:
        yield (
            f"By search: {count(result.searched_items, 'item')}. Every combination of known items that could give one "
            "of them away was examined or ruled out."
        )
    alone = result.sensitive_items - result.proved_items - result.searched_items
    if alone > 0:
        yield f"Without effort: {count(alone, 'item')}, never recorded together with anything one could know."
    if result.proved_occurrences or result.searched_occurrences:
        yield (
            f"In entries (equal records taken once): {result.proved_occurrences:,} by alibis, "
            f"{result.searched_occurrences:,} by search. It took {result.seconds:.1f} s."
        )


def _bounds(result: AuditResult, time_limit: float | None) -> Iterator[str]:
    if result.complete or result.sampling is not None:
        return
    if result.absent is not None:
        yield LIMITS
        yield from result.unchecked
        return
    limit = "the time limit" if time_limit is None else f"the time limit of {time_limit:g} s"
    yield f"Counting stopped at {limit}."
    settled = [size for size in ("1", "2", "3") if result.exact.get(size, True)]
    exact = ["the verdict", "every finding that is shown"]
    if settled:
        exact.append(f"the people at risk by {_list([SIZES[size] for size in settled])}")
    yield f"Exact: {_list(exact)}."
    bounds = ["the people at risk in all"]
    open_sizes = [SIZES[size] for size in ("1", "2", "3") if size not in settled]
    if not open_sizes:
        open_sizes = [SIZES["more"]]
    yield f"Lower bounds: {_list([*bounds, f'those by {_list(open_sizes)}'])}."
    if not _settled(result):
        yield "Not settled: how many items must be known about the people in that row; at risk they are."
    yield "More telling findings may exist."


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


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


def _next(result: AuditResult, asked: Asked, top: int, proof: Path | None) -> Iterator[tuple[str, str | None]]:
    if not result.holds:
        if len(result.findings) == top:  # fewer would be all there are
            yield "See more findings:", asked.command("audit", "--top", str(max(50, 5 * top)))
        yield "Keep the result, for a pipeline or a colleague:", asked.command("audit", "--json", "audit.json")
        yield (
            "Do not hand on the file as it is. Make a version that is safe:",
            asked.command("protect", "--out", "release"),
        )
        return
    if result.personal or result.sampling is not None or result.absent is not None:
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
