"""Whole pages: of an audit, of a cost, of a release for the house, and of a release for everybody.

`audit_page` and `release_page` show what was, or could have been, disclosed: they stay in the house. `shareable_page`
gets to see nothing but what is published: counts of the published file, the policy as the manifest states it, the
promises, and checksums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sordino.policy.answer import Answer
from sordino.words.blocks import Block, Cards, Closer, Facts, Page, Points, Section, Sides, Steps, Text, flat
from sordino.words.cautions import cautions_of, release_cautions
from sordino.words.claims import answer_of, released, verdict
from sordino.words.kinds import words_of
from sordino.words.names import LABELS, with_names
from sordino.words.seen import Seen
from sordino.words.steps import Asked, Step
from sordino.words.text import clean

__all__ = ["Promise", "Seen", "Source", "audit_page", "cost_page", "release_page", "release_summary", "shareable_page"]

Plain = Mapping[str, Any]
Known = Iterable[tuple[str, str]]

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

    def facts(self) -> Iterator[tuple[str, str]]:
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

    def section(self, *more: Block) -> Section:
        sides = Sides(
            ("Guaranteed", (Points(self.guaranteed),)),
            ("Not guaranteed", (Points(self.not_guaranteed),)),
        )
        return Section("promise", "What is guaranteed now, and what is not", (sides, *more))


def audit_page(
    audit: Plain,
    source: Source,
    policy: object | None = None,
    *,
    asked: Asked | None = None,
    steps: Iterable[Step] | None = None,
    versions: Known = (),
) -> Page:
    """The page of an audit; `policy` is of the audit's kind; `steps`: what to do next, if that is not as always."""
    audit = with_names(audit)
    words, good = words_of(audit.get("kind")), answer_of(audit).good
    details: list[Block] = [] if policy is None else list(words.policy_blocks(policy))
    details.append(Facts("Data and versions", (*source.facts(), *versions)))
    sections = [Section("before", "What can be inferred", tuple(words.audit_blocks(audit, asked or Asked(), policy)))]
    todo = tuple(words.audit_steps(audit, asked or Asked()) if steps is None else steps)
    if todo and not (good and asked is None):  # a page that is kept names no commands about a file that is safe
        sections.append(Section("next", "What to do next", (Steps("What next", todo),)))
    sections.append(Section("details", "Parameters, versions, hashes", (Closer(tuple(details)),)))
    size = words.size(audit)
    return Page(
        f"What can be inferred from {source.name}?",
        size,
        verdict(audit),
        good,
        tuple(sections),
        AUDIT_NOTICE,
        Cards(tuple(words.audit_cards(audit))),
        cautions=cautions_of(audit),
        about=f"{source.name}: {size}.",
    )


def cost_page(cost: Plain, kind: str | None, before: str, after: str, *, top: int = 15) -> Page:
    """What it cost to get from one file to another."""
    words, cost = words_of(kind), with_names(cost)
    return Page(
        f"What it cost to get from {clean(before)} to {clean(after)}",
        words.cost_size(cost),
        words.cost_verdict(cost),
        True,
        (
            Section("done", "What was done", tuple(flat(words.done_blocks(cost, top=top)))),
            Section("cost", "What it cost", tuple(flat(words.cost_blocks(cost)))),
        ),
        about=f"{clean(before)} -> {clean(after)}: {words.cost_size(cost)}.",
    )


def release_page(
    history: Plain,
    source: Source,
    policy: object,
    promise: Promise | None,
    files: Mapping[str, str],
    *,
    reach: str = "",
    versions: Known = (),
) -> Page:
    """The report of a release for the house: before, what was done, what holds now, what it cost.

    history: the content of keep/audit.json. files: name -> sha256 of what is published. reach: what is known by those
    against whom the release protects, if that is not any items of a record. promise: None where nothing is published
    yet.
    """
    names = history["before"].get(LABELS, {})
    before, after, cost = (with_names(history[part], names) for part in ("before", "after", "utility"))
    joint = history.get("joint")  # the audit together with earlier releases
    if reach:
        after = {**after, "reach": reach}
    words = words_of(before.get("kind"))
    method = history["method"]
    parameters = [("method", method), ("seed", str(history.get("seed", "-")))]
    if "ids" in history:
        parameters.append(("record ids", history["ids"]))
    parameters += [(name.replace("_", " "), str(value)) for name, value in history.get("options", {}).items()]
    size = words.size(before)
    sections = [
        Section("before", "Before, and now: what could be inferred", tuple(words.release_blocks(before, after))),
        Section("done", "What was done", (*words.done_blocks(cost, policy=policy), *_remarks(history))),
    ]
    if promise is not None:
        sections.append(promise.section(*map(Text, _checked(after))))
    sections.append(Section("cost", "What it cost", tuple(words.cost_blocks(cost))))
    if promise is not None:
        details: tuple[Block, ...] = (
            *words.policy_blocks(policy),
            Facts("How it was made", (*parameters, *source.facts(), *versions)),
            Facts("sha256 of the published files", tuple(sorted(files.items()))),
        )
        sections.append(Section("details", "Parameters, versions, hashes", (Closer(details),)))
    return Page(
        f"Privacy report: {source.name}",
        f"{size}; protected by '{method}'",
        _verdict(history, after),
        bool(after["holds"]) and (joint is None or bool(joint["holds"])),
        tuple(sections),
        KEEP_NOTICE,
        Cards(tuple(words.release_cards(before, after, cost))),
        cautions=release_cautions(before, cost),
        about=f"{source.name}: {size}. Method: {method}.",
    )


def release_summary(history: Plain) -> str:
    """Before and after in two sentences: what protecting came to, and what was done for it."""
    words = words_of(history["before"].get("kind"))
    first = _verdict(history, history["after"])
    done = (block.text for block in words.done_blocks(history["utility"]) if isinstance(block, Text))
    return f"{first} {next(done, '')}".strip()


def _verdict(history: Plain, after: Plain) -> str:
    """What protecting came to, in one line."""
    before = history["before"]
    ranges = "; columns of the policy's bins show ranges" if before.get("ranges") else ""
    kept = f"{words_of(before.get('kind')).KEPT}{ranges}"
    return released(before, after, kept=kept, joint=history.get("joint"))


def _remarks(history: Plain) -> Iterator[Block]:
    if history["after"].get("personal"):
        yield Text("What people chose is in keep only.")
    yield from map(Text, history.get("remarks", ()))


def _checked(after: Plain) -> Sequence[str]:
    promised = after.get("personal") or after.get("sampling") is not None
    limits = "; what was promised is checked fully only with the original data and the choices" if promised else ""
    return (
        f"The written file was read back and audited again: {_outcome(after)}. Then the folder was checked by the "
        f"independent verifier, which anybody can run{limits}.",
    )


def _outcome(after: Plain) -> str:
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
        published=True,
    )
