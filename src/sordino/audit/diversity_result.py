"""What an audit of a grouped table found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.policy.rules import NegativeRule
from sordino.words.claims import verdict
from sordino.words.names import mentioned, named

__all__ = ["DiversityResult", "Narrowing", "listed"]


def listed(words: Sequence[str], most: int = 6) -> str:
    """Words in a sentence: "a, b and c"."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1:,} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@dataclass(frozen=True)
class Narrowing:
    """Rules that leave some people too few possible values: a finding.

    group: one of the groups where it is so, if groups have names; rules: what one must know; remaining: the values
    still possible; taken:
    whether others of the group cannot have these values, so that they fall to these people; people: how many.
    """

    group: str | None
    rules: tuple[NegativeRule, ...]
    remaining: tuple[str, ...]
    people: int
    taken: bool = False
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)  # "": remaining

    def sentence(self) -> str:
        """The finding in plain words."""
        return self._sentence() if not self.names else self._named()._sentence()

    def _named(self) -> Narrowing:
        """The same with every code called by its name."""
        values = self.names.get("", {})
        rules = (
            NegativeRule({c: named(v, self.names.get(c, {})) for c, v in rule.conditions}, named(rule.excludes, values))
            for rule in self.rules
        )
        return replace(self, rules=tuple(rules), remaining=tuple(named(value, values) for value in self.remaining))

    def _sentence(self) -> str:
        who = "1 person" if self.people == 1 else f"{self.people:,} people"
        left = f"only {listed(self.remaining)} {'remains' if len(self.remaining) == 1 else 'remain'} for {who}"
        where = "" if self.group is None else f" (as in group {self.group})"
        if not self.rules:
            return f"Whatever one knows, {left}: their group holds nothing else{where}."
        known = listed([f"{rule.knowledge()} excludes {rule.excludes}" for rule in self.rules])
        why = ", because the others there cannot have it" if self.taken and len(self.remaining) == 1 else ""
        why = ", because the others there cannot have these" if self.taken and not why else why
        return f"Once one knows that {known}, {left}{why}{where}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "rules": [rule.to_dict() for rule in self.rules],
            "remaining": list(self.remaining),
            "people": self.people,
            "sentence": self.sentence(),
        }


@dataclass(frozen=True)
class DiversityResult:
    """The answers of an audit of groups; all counts are exact, for the rules that were taken for known.

    unchecked: what the policy demands beyond them, in sentences; without a finding the answer is then "not checked".

    possible: how many people have so many possible values; plain_l: the fewest different values in a group, what is
    called l-diversity; simple_l: the fewest of them that no rule excludes for a person, what the paper calls the simple
    requirement (it does not ask whether the others can then have the rest); matching_l: the fewest possible values of a
    person, once the rules are known; contradicted: how many people are in groups that no assignment fits; worst_share:
    the largest share of one value in a group; largest_l: the largest l that any grouping gives, if it was looked for.
    """

    holds: bool
    l: int  # noqa: E741 - the name of the literature
    records: int
    groups: int
    people_at_risk: int
    plain_l: int
    matching_l: int
    plain_at_risk: int
    contradicted: int
    worst_share: Fraction
    possible: Mapping[int, int]
    rules: int
    mined: int
    findings: tuple[Narrowing, ...] = ()
    grouping: str = ""  # what makes the groups, in words
    remarks: tuple[str, ...] = ()
    seconds: float = 0.0
    unchecked: tuple[str, ...] = ()
    simple_l: int | None = None
    simple_at_risk: int | None = None
    largest_l: int | None = None
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)  # what codes mean, by column
    kind: str = field(default="diversity", repr=False)

    @property
    def answer(self) -> Answer:
        """Holds, fails, or not checked."""
        if self.holds:
            return Answer.HOLDS
        return Answer.NOT_CHECKED if self.unchecked and not self.people_at_risk else Answer.FAILS

    def verdict(self) -> str:
        """The answer in one sentence."""
        return verdict(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; with the names of the codes in it, if there is a code book."""
        plain = self._plain()
        return {**plain, "labels": mentioned(plain, self.labels)} if self.labels else plain

    def _plain(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "answer": str(self.answer),
            "holds": self.holds,
            "l": self.l,
            "records": self.records,
            "groups": self.groups,
            "people_at_risk": self.people_at_risk,
            "plain_l_diversity": self.plain_l,
            "plain_at_risk": self.plain_at_risk,
            "simple_l_diversity": self.simple_l,
            "simple_at_risk": self.simple_at_risk,
            "matching_l_diversity": self.matching_l,
            **({} if self.largest_l is None else {"largest_l": self.largest_l}),
            "contradicted": self.contradicted,
            "worst_share": str(self.worst_share),
            "possible_values": {str(count): people for count, people in self.possible.items()},
            "rules": self.rules,
            "mined_rules": self.mined,
            "findings": [finding.to_dict() for finding in self.findings],
            "grouping": self.grouping,
            "remarks": list(self.remarks),
            "unchecked": list(self.unchecked),
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        from sordino.report.notebook import audit_text

        return audit_text(self.to_dict())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import audit_html

        return audit_html(self.to_dict())
