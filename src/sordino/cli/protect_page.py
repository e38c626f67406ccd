"""What protecting did, in the words of a data steward."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from sordino.audit.result import AuditResult
from sordino.cli.absence_page import before_and_after_grid
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count, percent
from sordino.data.permuted import Permuted
from sordino.policy.promise import adversary, allowed
from sordino.release.baskets.result import BasketRelease as Release
from sordino.release.baskets.texts import PromisedTexts
from sordino.release.coarsened.result import CoarsenedRelease
from sordino.release.sequel.result import SequelRelease
from sordino.verify.shapes.inference import PROOF
from sordino.words.absence import TAKEN
from sordino.words.claims import SIZES, released

__all__ = ["before_and_after", "cost_lines", "protect_page", "result_headline"]


def protect_page(release: Release, out: Path, data: str) -> list[Block]:
    """Before and after, what was deleted, where the release is, what next."""
    page: list[Block] = [result_headline(release), Lines(tuple(_question(release, data)))]
    earlier: list[str] = []
    if isinstance(release, SequelRelease) and release.together:
        earlier = [word for old in release.previous if old.folder is not None for word in ("--with", str(old.folder))]
    open_ = isinstance(release, SequelRelease) and not release.together
    if release.audit_before.sampling is not None:
        page.append(Lines((release.summary(),)))
    if not release.audit_before.holds and release.audit_before.sampling is None:
        page.append(before_and_after(release))
    page.append(Lines(tuple(cost_lines(release)), "What it cost"))
    if release.audit_before.remarks or release.remarks or release.audit_after.frequent:
        page.append(Lines(tuple(_remarks(release)), "Remarks"))
    first = "If nobody who gets it has, or can link, the earlier releases: hand" if open_ else "Hand"
    page.append(
        Steps(
            "What next",
            (
                (
                    f"{first} on {_named(out / 'publish')}, and nothing else; its README.txt says what is guaranteed.",
                    None,
                ),
                (f"Keep {_named(out / 'keep')} in the house: it shows what was deleted.", None),
                (f"Read the report: {_named(out / 'keep' / 'report.html')}", None),
                (
                    "Check the release, together with the earlier ones:"
                    if earlier
                    else "Check the release, as whoever receives it can:",
                    shlex.join(["sordino", "verify", str(out), *earlier]),
                ),
            ),
        )
    )
    return page


def result_headline(release: Release) -> Headline:
    """The result in one line."""
    after = release.audit_after
    joint = release.joint if isinstance(release, SequelRelease) else None
    text = released(release.audit_before.to_dict(), after.to_dict(), joint=None if joint is None else joint.to_dict())
    return Headline(text, good=after.holds and (joint is None or joint.holds))


def before_and_after(release: Release) -> Grid:
    """People at risk, before and after."""
    before, after = release.audit_before, release.audit_after
    if before.absent is not None:
        return before_and_after_grid(before, after)
    known = before.knowledge
    sizes = [s for s in SIZES if known is None or (s == "more" and known > 3) or (s != "more" and int(s) <= known)]
    rows = [(SIZES[s], _people(before, s), _people(after, s)) for s in sizes]
    rows.append(("in all", f"{before.people_at_risk:,}", f"{after.people_at_risk:,}"))
    return Grid(
        "People at risk, by how little someone must know about them",
        ("known", "before", "after"),
        tuple(rows),
        right=(1, 2),
        total=True,
    )


def cost_lines(release: Release) -> Iterator[str]:
    """What was deleted, and what that did to the data."""
    yield from release.utility.summary().splitlines()
    loss = release.utility.loss
    if loss is not None and loss.vanished_items:
        yield f"{count(loss.vanished_items, 'item')} vanished from the file completely."


def _question(release: Release, data: str) -> Iterator[str]:
    source = "standard input" if data == "-" else data
    before = release.audit_before
    yield (
        f"{clean(source)}: {count(before.records, 'record')}, {count(before.items, 'item')}, "
        f"{before.sensitive_items:,} of them sensitive. Method: {release.method}."
    )
    if isinstance(release, CoarsenedRelease) and isinstance(release.coarse, Permuted):
        yield (
            "Someone who knows only NON-SENSITIVE items of a person cannot infer a sensitive one with more than "
            f"{allowed(release.policy)} confidence; nothing is promised against someone who knows a sensitive item. "
            "The written files were audited again and verified."
        )
        return
    if release.policy.absent is not None:
        yield (
            f"Someone who knows {adversary(release.policy)} cannot infer a sensitive item of it with more than "
            f"{allowed(release.policy)} confidence. The written file was audited again, and counted by the verifier."
        )
    elif release.original is None:
        yield (
            f"Someone who knows {adversary(release.policy)} cannot infer a sensitive item of it with more than "
            f"{allowed(release.policy)} confidence. The written file was audited again and its proof ({PROOF}) "
            "verified."
        )
    else:
        yield from PromisedTexts(release.policy).guaranteed()
        yield "The written file was audited again, against the original records."
        if release.policy.personal:
            yield "What people chose is in keep only."


def _people(result: AuditResult, size: str) -> str:
    least = "" if result.exact.get(size, True) else "at least "
    return f"{least}{result.exposure_by_knowledge[size]:,}"


def _remarks(release: Release) -> Iterator[str]:
    yield from (remark for remark in release.audit_before.remarks if not remark.startswith(TAKEN))
    yield from (f"In what is published: {remark}" for remark in release.audit_after.remarks if remark.startswith(TAKEN))
    yield from release.remarks
    for item in release.audit_after.frequent[:5]:
        share = percent(Fraction(item.people, release.audit_after.records))
        yield f"Everyone can still guess '{clean(item.item)}': {share} of all people have it."


def _named(path: Path) -> str:
    return clean(str(path))
