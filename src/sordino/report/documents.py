"""Whole reports: of an audit alone, of a release for the house, and of a release for everybody.

`audit_report` and `release_report` show what was, or could have been, disclosed: they stay in the house.
`shareable_page` gets to see nothing but what is published: counts of the published file, the policy as the manifest
states it, the promises, and checksums.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sordino.policy.answer import Answer
from sordino.report.blocks import (
    Block,
    Card,
    Cards,
    Facts,
    Page,
    Points,
    Section,
    Sides,
    Text,
    clean,
)
from sordino.report.page import render
from sordino.report.tellers import teller_of
from sordino.version import VERSION
from sordino.words.claims import answer_of, released

__all__ = ["Promise", "Seen", "Source", "audit_report", "release_report", "shareable_page"]

KEEP_NOTICE = "For the house only: this report shows what was deleted, and would itself disclose it. Do not publish it."
AUDIT_NOTICE = "For the house only: this report shows what can be inferred about people. Do not publish it."


@dataclass(frozen=True)
class Source:
    """The data that a report is about, as far as it is known."""

    name: str  # of the file, without its folder
    sha256: str | None = None  # of its bytes
    fingerprint: str | None = None  # of its records, whatever the format

    @classmethod
    def of(cls, path: str | None, sha256: str | None = None, fingerprint: str | None = None) -> Source:
        """The source at a path; None is data made in Python, "-" is standard input."""
        name = "data in memory" if path is None else "standard input" if path == "-" else Path(path).name
        return cls(clean(name), sha256, fingerprint)

    def facts(self) -> Iterable[tuple[str, str]]:
        yield "data", self.name
        if self.sha256:
            yield "sha256 of the file", self.sha256
        if self.fingerprint:
            yield "sha256 of the records", self.fingerprint


@dataclass(frozen=True)
class Promise:
    """What is guaranteed and what is not, in sentences."""

    guaranteed: tuple[str, ...]
    not_guaranteed: tuple[str, ...]

    def section(self) -> Section:
        sides = Sides(
            ("Guaranteed", (Points(self.guaranteed),)),
            ("Not guaranteed", (Points(self.not_guaranteed),)),
        )
        return Section("promise", "What is guaranteed now, and what is not", (sides,))


@dataclass(frozen=True)
class Seen:
    """What the report for everybody shows of the published data: counted in the published bytes, and nowhere else."""

    cards: tuple[Card, ...] = ()
    blocks: tuple[Block, ...] = ()


def audit_report(
    audit: Mapping[str, Any], source: Source, policy: object | None = None, *, command: str | None = None
) -> str:
    """The report of an audit alone; `policy` is of the audit's kind."""
    tell = teller_of(audit)
    verdict, good = tell.audit_verdict(audit)
    details: list[Block] = list(tell.policy_blocks(policy)) if policy is not None else []
    details.append(Facts("Data and versions", (*source.facts(), *_versions())))
    sections = [tell.before_section(audit, now=True)]
    if not good:  # or it is not known
        sections.append(_next(command))
    sections.append(Section("details", "Parameters, versions, hashes", tuple(details)))
    return render(
        Page(
            f"What can be inferred from {source.name}?",
            tell.size(audit),
            verdict,
            good,
            tuple(sections),
            AUDIT_NOTICE,
            Cards(tuple(tell.audit_cards(audit))),
        )
    )


def _next(command: str | None) -> Section:
    blocks: list[Block] = [
        Text(
            "Do not hand on the file as it is. sordino can make a version that is safe, and loses as little as it can:"
        )
    ]
    blocks.append(Facts("Command", (("protect", command or "sordino protect DATA --policy POLICY --out RELEASE"),)))
    return Section("next", "What to do next", tuple(blocks))


def release_report(
    history: Mapping[str, Any],
    source: Source,
    policy: object,
    promise: Promise,
    files: Mapping[str, str],
    *,
    reach: str = "",
) -> str:
    """The report of a release for the house: before, what was done, what holds now, what it cost.

    history: the content of keep/audit.json. files: name -> sha256 of what is published. reach: what is known by those
    against whom the release protects, if that is not any items of a record.
    """
    before, after, cost = history["before"], history["after"], history["utility"]
    joint = history.get("joint")  # the audit together with earlier releases
    if reach:
        after = {**after, "reach": reach}
    tell = teller_of(before)
    parameters = [("method", history["method"]), ("seed", str(history.get("seed", "-")))]
    if "ids" in history:
        parameters.append(("record ids", history["ids"]))
    parameters += [(name.replace("_", " "), str(value)) for name, value in history.get("options", {}).items()]
    known = Facts("How it was made", (*parameters, *source.facts(), *_versions()))
    published = Facts("sha256 of the published files", tuple(sorted(files.items())))
    promised = after.get("personal") or after.get("sampling") is not None
    limits = " (what was promised is checked fully only with the original data and the choices)" if promised else ""
    checked = (
        "The written file was read back and audited again: "
        f"{_outcome(after)}. Then the folder was checked by an independent verifier, which anybody can run: sordino "
        f"verify{limits}"
    )
    remarks = [Text(sentence) for sentence in history.get("remarks", ())]
    details: list[Block] = [Text(checked), *remarks, *tell.policy_blocks(policy), known, published]
    return render(
        Page(
            f"Privacy report: {source.name}",
            f"{tell.size(before)}; protected by '{history['method']}'",
            tell.release_verdict(before, after) if joint is None else released(before, after, joint=joint),
            bool(after["holds"]) and (joint is None or bool(joint["holds"])),
            (
                tell.before_section(before, now=False),
                tell.done_section(history),
                promise.section(),
                tell.cost_section(cost),
                Section("details", "Parameters, versions, hashes", tuple(details)),
            ),
            KEEP_NOTICE,
            Cards(tuple(tell.cost_cards(before, after, cost))),
        )
    )


def _outcome(after: Mapping[str, Any]) -> str:
    answer = answer_of(after)
    if answer is not Answer.HOLDS:
        return "the policy does NOT hold" if answer is Answer.FAILS else "NOT CHECKED, not everything was looked at"
    return "the policy holds" if after.get("sampling") is None else "the policy holds, as far as a sample tells"


def shareable_page(
    file: str,
    about: Iterable[str],
    seen: Seen,
    promise: Promise,
    made: Mapping[str, str],
    files: Mapping[str, str],
) -> Page:
    """The report for everybody, from what is published and nothing else.

    about: what the data are, in sentences. made: method and version. files: name -> sha256.
    """
    check: tuple[Block, ...] = (
        Text(
            "You need not trust whoever made this: sordino verify checks it, without the code that made it. In the "
            "folder of these files, run: pip install sordino, then: sordino verify . (README.txt says what that tells.)"
        ),
        Facts("How it was made", tuple(made.items())),
        Facts("sha256 of the files", tuple(sorted(files.items()))),
    )
    told: tuple[Block, ...] = tuple(Text(sentence) for sentence in about)
    return Page(
        f"A protected data set: {file}",
        "What it holds, what is guaranteed about it, and what is not",
        promise.guaranteed[0],
        None,
        (
            promise.section(),
            Section("data", "What is in the file", (*told, *seen.blocks)),
            Section("check", "How to check it", check),
        ),
        cards=Cards(seen.cards) if seen.cards else None,
    )


def _versions() -> Iterable[tuple[str, str]]:
    yield "sordino", VERSION
    yield "Python", platform.python_version()
