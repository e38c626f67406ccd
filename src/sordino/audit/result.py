"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sordino.policy.answer import Answer
from sordino.words.claims import known_part, verdict
from sordino.words.inference import sentence
from sordino.words.names import mentioned, with_names

if TYPE_CHECKING:
    from sordino.audit.sampled import Sampling
    from sordino.audit.surest import Inferred

__all__ = [
    "ABSENCE_UNKNOWN",
    "NOTHING_EXAMINED",
    "AuditResult",
    "Finding",
    "FrequentItem",
    "items_left_open",
    "sizes_left_open",
]

# What a time limit can leave open, in sentences for `AuditResult.unchecked`

ABSENCE_UNKNOWN = (
    'What people do NOT have was taken to be unknown (absent = "any" covers it). How many people one such item would '
    "put at risk was not counted."
)
NOTHING_EXAMINED = "Nothing was examined: the time was over while the records were being prepared."


def items_left_open(left: int, of: int) -> str:
    """Some sensitive items are neither proved nor refuted."""
    if of == 1:
        return "The sensitive item was neither shown to be safe nor found to be at risk."
    were = "was" if left == 1 else "were"
    return f"Of {of:,} sensitive items {left:,} {were} neither shown to be safe nor found to be at risk."


def sizes_left_open(first: int, knowledge: int | None) -> str:
    """Antecedents of `first` items were not all looked at, and none of the larger ones for sure."""
    if knowledge is not None and knowledge <= first:
        known = "1 known item" if knowledge == 1 else f"{knowledge} known items"
    elif knowledge is not None:
        known = f"{first} to {knowledge} known items"
    else:
        known = "more than 3 known items" if first > 3 else f"{first} or more known items"
    return f"What can be inferred from {known} was not all examined."


@dataclass(frozen=True)
class Finding:
    """Who knows `antecedent` of a person infers `consequent` with this confidence; true for `people` persons.

    `absent` are items that one must know the person does not have.
    """

    antecedent: tuple[str, ...]
    consequent: str
    support: int
    with_consequent: int
    people: int
    absent: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)  # of codes

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.with_consequent, self.support)

    def sentence(self) -> str:
        """The finding in plain words."""
        return sentence(with_names(self.to_dict(), self.names))

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "antecedent": list(self.antecedent),
            "absent": list(self.absent),
            "consequent": self.consequent,
            "support": self.support,
            "with_consequent": self.with_consequent,
            "confidence": float(self.confidence),
            "people": self.people,
        }


@dataclass(frozen=True)
class FrequentItem:
    """A sensitive item so frequent that guessing it of anybody succeeds above its threshold."""

    item: str
    people: int
    threshold: Fraction


@dataclass(frozen=True)
class AuditResult:
    """The answers of an audit. `exact` names the counts that are exact.

    `holds` says that the policy was shown to hold. `unchecked` tells, in sentences, what a time limit left open: unless
    something was found all the same, the answer is then "not checked".
    """

    holds: bool
    records: int
    items: int
    people_at_risk: int
    exposure_by_knowledge: Mapping[str, int]
    findings: tuple[Finding, ...]
    proved_items: int
    searched_items: int
    seconds: float
    knowledge: int | None = None
    sensitive_items: int = 0
    proved_occurrences: int = 0
    searched_occurrences: int = 0
    frequent: tuple[FrequentItem, ...] = ()
    remarks: tuple[str, ...] = ()
    exact: Mapping[str, bool] = field(default_factory=dict)
    personal: bool = False  # people chose for themselves; a person counts if her choice can be inferred of her
    sampling: Sampling | None = None  # the verdict is about drawn adversaries only; see audit/sampled.py
    unchecked: tuple[str, ...] = ()
    absent: str | None = None  # "any": absence may be known; then people are counted by how few absences suffice
    exposure_by_absence: Mapping[str, int] = field(default_factory=dict)
    surest: tuple[Inferred, ...] = ()  # of all together, then by item; () where it was not asked (audit/surest.py)
    cautions: tuple[dict[str, Any], ...] = ()  # what to mind about the data as a whole (audit/cautions.py)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)  # what codes mean, if there is a code book
    reach: str = ""  # what is known by those whom it is about, if that is not any items of a record

    @property
    def answer(self) -> Answer:
        """Holds, fails or not checked."""
        if self.holds:
            return Answer.HOLDS
        return Answer.NOT_CHECKED if self.unchecked and not self.people_at_risk else Answer.FAILS

    @property
    def complete(self) -> bool:
        """Whether every count is exact (no time limit cut the search short)."""
        return all(self.exact.values())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; with the names of the codes in it, if there is a code book."""
        plain = self._plain()
        return {**plain, "labels": mentioned(plain, self.labels)} if self.labels else plain

    def _plain(self) -> dict[str, Any]:
        return {
            "answer": str(self.answer),
            "holds": self.holds,
            "records": self.records,
            "items": self.items,
            "sensitive_items": self.sensitive_items,
            "knowledge": self.knowledge,
            "people_at_risk": self.people_at_risk,
            "exposure_by_knowledge": dict(self.exposure_by_knowledge),
            "absent": self.absent,
            "exposure_by_absence": dict(self.exposure_by_absence),
            "exact": dict(self.exact),
            "findings": [finding.to_dict() for finding in self.findings],
            "proved_items": self.proved_items,
            "searched_items": self.searched_items,
            "proved_occurrences": self.proved_occurrences,
            "searched_occurrences": self.searched_occurrences,
            "surest": [one.to_dict() for one in self.surest],
            "frequent_items": [
                {"item": f.item, "people": f.people, "threshold": str(f.threshold)} for f in self.frequent
            ],
            "remarks": list(self.remarks),
            "cautions": list(self.cautions),
            "unchecked": list(self.unchecked),
            "personal": self.personal,
            "reach": self.reach or None,
            "sampling": None if self.sampling is None else self.sampling.to_dict(),
            "seconds": round(self.seconds, 3),
        }

    def verdict(self) -> str:
        """The answer in one sentence."""
        return verdict(self.to_dict())

    def adversary(self) -> str:
        """Against whom, in words."""
        if self.absent is not None:
            return "by someone who knows any part of a record, and anything that is not in it"
        return f"by someone who knows {known_part(self.to_dict())} of a record"

    def __repr__(self) -> str:
        return f"AuditResult({self.answer}: {self.verdict()})"

    def __str__(self) -> str:
        from sordino.report.notebook import audit_text

        return audit_text(self.to_dict())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import audit_html

        return audit_html(self.to_dict())
