"""The audit of several releases of the same people, for somebody who has them all and links their rows.

**What he may know**: in which releases a person is (her pattern), and of what they show of her any items, each as shown
in a certain release or in some; one item at least, and none about the sensitive item itself. **What must not be**: that
he becomes surer than the threshold that some release shows the sensitive item of her. He compares people of the same
pattern. Who knows less, or links less, compares larger groups, which are unions of such, and so is never surer than in
the worst of them.

**How**: joint records (data/joint.py), pattern by pattern, are searched by the engine of the audit (inquiry.py), with
"e in some release" as the sensitive item. Items like "e in release 1" imply that, so they are not in the first search;
but they may give away *another* sensitive item. So every sensitive item that stands beside such an item of another one
is searched once more, by itself, with all of those and none of its own.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Examination
from sordino.audit.inquiry import SIZES, Inquiry
from sordino.audit.result import AuditResult, Finding
from sordino.data.baskets import Baskets
from sordino.data.joint import SOME, Joint, JointTable, join, link
from sordino.engine.local import OutOfTime, Progress, Watch, deadline_after, thread_count
from sordino.errors import InputError, PolicyError
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.threshold import floor_fraction

__all__ = ["JointAudit", "PatternAtRisk", "audit_joint", "check_joint_policy", "exposed_people", "resolve_joint"]

MOST = 12  # releases at once
NOT = 255  # not at risk
BY_ID = "People were matched by their record ids."
BY_ROW = "People were matched by row: the records in the same place of each source were taken for the same person."

U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class PatternAtRisk:
    """The people who are in just these releases (from 1), and how many of them are at risk."""

    releases: tuple[int, ...]
    people: int
    at_risk: int


@dataclass(frozen=True)
class JointAudit(AuditResult):
    """An audit of several releases together: `records` are people, `patterns` tell who is in which of them."""

    releases: int = 1
    patterns: tuple[PatternAtRisk, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        patterns = [{"releases": list(p.releases), "people": p.people, "at_risk": p.at_risk} for p in self.patterns]
        return {**super().to_dict(), "joint": {"releases": self.releases, "patterns": patterns}}

    def adversary(self) -> str:
        """Against whom, in words."""
        return (
            f"by someone who has all {self.releases} releases, links their rows, and knows any part of what they show"
        )


def check_joint_policy(policy: InferencePolicy) -> None:
    """A PolicyError for what does not work with several releases yet."""
    limits = {
        "choices of single persons": policy.personal,
        "a limited number of known items": policy.knowledge is not None,
        "a sampled assurance": policy.assurance is not None,
        "adaptive thresholds": policy.adaptive is not False,
        'absent = "any"': policy.absent is not None,
    }
    problems = [
        f"several releases cannot be judged together under {what} yet" for what, is_so in limits.items() if is_so
    ]
    if problems:
        raise PolicyError(problems)


def resolve_joint(joint: Joint, policy: InferencePolicy, table: JointTable) -> ResolvedInference:
    """The policy in the items of a table of joint records."""
    width = len(table.baskets.names)
    num, den = np.ones(width, dtype=np.int64), np.ones(width, dtype=np.int64)
    thresholds: dict[str, Fraction] = {}
    comparison: dict[str, Fraction] = {}
    for code in np.flatnonzero(table.sensitive).tolist():
        item = table.baskets.names[code]
        thresholds[item] = rho = policy.rho_of.get(joint.names[int(joint.name[int(item)])], policy.rho)
        comparison[item] = exact = floor_fraction(rho, max(joint.people, 1))
        num[code], den[code] = exact.numerator, exact.denominator
    return ResolvedInference(policy, table.sensitive, num, den, thresholds, comparison)


def audit_joint(
    releases: Sequence[Baskets],
    people: Sequence[Sequence[Hashable]],
    policy: InferencePolicy,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> JointAudit:
    """What can be inferred from releases that lie side by side; people[t] names the person of every row of one."""
    check_joint_policy(policy)
    if not 1 <= len(releases) <= MOST:
        raise InputError(f"{MOST} releases can be judged together at most")
    joint = join(releases, link(people))
    watch, threads = Watch(progress, deadline_after(time_limit)), thread_count(jobs)
    by_id = any(isinstance(person, str) for release in people for person in release)
    result = watch.aside(lambda: _audit(joint, policy, len(releases), watch, jobs=threads, top=top))
    return replace(result, remarks=(BY_ID if by_id else BY_ROW, *result.remarks))


def _audit(joint: Joint, policy: InferencePolicy, releases: int, watch: Watch, *, jobs: int, top: int) -> JointAudit:
    start = time.monotonic()
    search = _Search(joint, policy, watch, jobs)
    search.run(top)
    lowest = search.lowest
    at_risk = lowest < EXPOSED
    by_size = {size: int((lowest == level).sum()) for level, size in enumerate(SIZES)}
    number = np.bincount(joint.pattern_of)
    risky = np.bincount(joint.pattern_of[at_risk], minlength=len(number))
    patterns = tuple(
        PatternAtRisk(_releases(bits), int(number[bits]), int(risky[bits])) for bits in np.flatnonzero(number).tolist()
    )
    people = int(at_risk.sum())
    return JointAudit(
        holds=search.decided and people == 0,
        records=joint.people,
        items=len(joint.names),
        people_at_risk=people,
        exposure_by_knowledge=by_size,
        findings=tuple(_in_plain_names(joint, finding) for finding in search.findings[:top]),
        proved_items=search.proved,
        searched_items=search.searched,
        seconds=time.monotonic() - start,
        sensitive_items=int(np.isin(policy.sensitive, joint.names).sum()),
        remarks=tuple(_about(pattern, releases) for pattern in patterns),
        exact=dict.fromkeys(("people_at_risk", *SIZES), search.complete),
        unchecked=() if search.complete else ("The joint records were not all examined.",),
        releases=releases,
        patterns=patterns,
    )


def exposed_people(joint: Joint, policy: InferencePolicy, watch: Watch, jobs: int) -> list[tuple[int, str]]:
    """Every (person, name) of whom some release shows a sensitive item that can be inferred."""
    search = _Search(joint, policy, watch, jobs)
    search.run(0)
    return sorted(search.exposed)


class _Search:
    """The searches over joint records: who is at risk, by how few known facts (less one; NOT if by none)."""

    def __init__(self, joint: Joint, policy: InferencePolicy, watch: Watch, jobs: int) -> None:
        self.joint, self.policy, self.watch, self.jobs = joint, policy, watch, jobs
        self.lowest: U8 = np.full(joint.people, NOT, dtype=np.uint8)
        self.exposed: set[tuple[int, str]] = set()
        self.findings: list[Finding] = []
        self.proved = self.searched = 0
        self.decided = self.complete = True

    def run(self, top: int) -> None:
        try:
            for number, table in enumerate(self.joint.tables(self.policy.sensitive)):
                self.watch.check()
                inquiry = self._inquire(table)
                if number == 0:
                    self.proved, self.searched = inquiry.proved_items, inquiry.searched_items
                known = {(finding.antecedent, finding.consequent) for finding in self.findings}
                for finding in inquiry.findings(top) if len(self.findings) < top else ():
                    if (finding.antecedent, finding.consequent) not in known:
                        self.findings.append(finding)
        except OutOfTime:
            self.decided = self.complete = False

    def _inquire(self, table: JointTable) -> Inquiry:
        """Searches one table, and notes who is at risk."""
        resolved = resolve_joint(self.joint, self.policy, table)
        exam = Examination(table.baskets, resolved, jobs=self.jobs, watch=self.watch)
        inquiry = Inquiry(exam)
        inquiry.run(counting=True)
        self.decided &= inquiry.decided
        self.complete &= not inquiry.cut
        risk, index = inquiry.risk, exam.index
        by_class = np.full(index.classes + 1, NOT, dtype=np.uint8)  # the last is for empty records
        places = np.flatnonzero(risk)
        np.minimum.at(by_class, exam.owner[places], risk[places] - np.uint8(1))
        self.lowest[table.people] = np.minimum(self.lowest[table.people], by_class[index.class_of])
        members = np.argsort(index.class_of, kind="stable")
        begin = np.searchsorted(index.class_of[members], np.arange(index.classes + 1))
        for place in places.tolist():
            c = int(exam.owner[place])
            item = int(table.baskets.names[index.code[index.items[place]]])
            name = self.joint.names[int(self.joint.name[item])]
            self.exposed.update((int(table.people[u]), name) for u in members[begin[c] : begin[c + 1]].tolist())
        return inquiry


def _releases(bits: int) -> tuple[int, ...]:
    return tuple(t + 1 for t in range(int(bits).bit_length()) if bits >> t & 1)


def _listed(releases: tuple[int, ...]) -> str:
    if len(releases) == 1:
        return f"release {releases[0]}"
    *first, last = map(str, releases)
    return f"releases {', '.join(first)} and {last}"


def _in_plain_names(joint: Joint, finding: Finding) -> Finding:
    """A finding in the names of the releases: what is known of whom, and which releases show what is inferred."""
    item = int(finding.consequent)
    bits = int(joint.pattern[item])
    here = _releases(bits)
    known = []
    for text in finding.antecedent:
        name, release = joint.names[int(joint.name[int(text)])], int(joint.release[int(text)])
        known.append(name if release == SOME else f"{name} in release {release}")
    shown = _shown_in(joint, [int(text) for text in finding.antecedent], item)
    where = f" (shown by {_listed(shown)})" if len(here) > 1 and shown else ""
    return Finding(
        antecedent=(f"presence in {_listed(here)}{' only' if len(here) == 1 else ''}", *sorted(known)),
        consequent=joint.names[int(joint.name[item])] + where,
        support=finding.support,
        with_consequent=finding.with_consequent,
        people=finding.people,
    )


def _shown_in(joint: Joint, known: list[int], item: int) -> tuple[int, ...]:
    """The releases that show the item of somebody of whom this is known."""
    holders = joint.owner[joint.items == item]
    for other in known:
        holders = np.intersect1d(holders, joint.owner[joint.items == other])
    tags = np.flatnonzero((joint.star == item) & (joint.release != SOME))
    informative = [int(joint.release[tag]) for tag in tags if np.isin(holders, joint.owner[joint.items == tag]).any()]
    return tuple(sorted({*informative, *_releases(int(joint.always[item]))}))


def _about(pattern: PatternAtRisk, releases: int) -> str:
    where = _listed(pattern.releases)
    if releases not in pattern.releases:
        what = f"who were in {where} and are in the last one no more"
    elif pattern.releases == (releases,):
        what = f"who came with {where}"
    else:
        what = f"who are in {where}"
    people = "1 person" if pattern.people == 1 else f"{pattern.people:,} people"
    risk = (
        "none of them is"
        if not pattern.at_risk
        else f"{pattern.at_risk:,} of them {'is' if pattern.at_risk == 1 else 'are'}"
    )
    return f"{people} {what}: {risk} at risk."
