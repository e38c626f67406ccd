"""What the audit of a table against templates found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.policy.threshold import show_rational
from sordino.words.claims import verdict
from sordino.words.names import mentioned, with_names
from sordino.words.template import sentence

__all__ = ["SHARES", "TemplateAudit", "TemplateFinding", "TemplateOutcome"]

SHARES = (10, 30, 50, 70, 90)  # percent: above each of these, inferences are counted


@dataclass(frozen=True)
class TemplateFinding:
    """Who knows `known` (column -> text) of a person infers `value` of the column `sensitive`.

    So it is with `people` of the `rows` that agree with what is known. Templates are numbered from 1.
    """

    template: int
    known: Mapping[str, str]
    sensitive: str
    value: str
    people: int
    rows: int
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)  # of codes

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.people, self.rows)

    def sentence(self) -> str:
        """The finding in plain words."""
        return sentence(with_names(self.to_dict(), self.names))

    def to_dict(self) -> dict[str, Any]:
        return {
            "template": self.template,
            "known": dict(self.known),
            "sensitive": self.sensitive,
            "value": self.value,
            "people": self.people,
            "rows": self.rows,
            "confidence": float(self.confidence),
        }


@dataclass(frozen=True)
class TemplateOutcome:
    """One template: whether it holds, its worst inference, and how many inferences there are.

    inferences: distinct (combination of known values, sensitive value) pairs that occur; above: how many of them are
    surer than 10, 30, .. percent; broken: how many exceed the threshold; people: rows that these are true of. lowest:
    the lowest threshold at which any suppression could make it hold. findings: those above the threshold, the surest
    first. implied: whether the others already demand it. remedies: what would let it be met, if nothing can as it is.
    """

    number: int
    given: tuple[str, ...]
    sensitive: str
    values: int
    at_most: Fraction
    holds: bool
    inferences: int
    above: Mapping[int, int]
    broken: int
    people: int
    worst: TemplateFinding | None
    lowest: Fraction
    findings: tuple[TemplateFinding, ...] = ()
    implied: bool = False
    remedies: tuple[str, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether some suppression can make it hold."""
        return self.lowest <= self.at_most

    def sentence(self) -> str:
        """What the template says, in plain words."""
        what = self.sensitive if self.values != 1 or self.worst is None else f"{self.sensitive} = {self.worst.value}"
        return f"knowing {', '.join(self.given)}, nobody may infer {what} with more than {percent(self.at_most)}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "template": self.number,
            "given": list(self.given),
            "sensitive": self.sensitive,
            "values": self.values,
            "at_most": show_rational(self.at_most),
            "holds": self.holds,
            "inferences": self.inferences,
            "above": {str(share): count for share, count in self.above.items()},
            "broken": self.broken,
            "people": self.people,
            "worst": None if self.worst is None else self.worst.to_dict(),
            "lowest_possible": show_rational(self.lowest),
            "findings": [finding.to_dict() for finding in self.findings],
            "implied": self.implied,
            **({} if self.possible else {"remedies": list(self.remedies)}),
        }


@dataclass(frozen=True)
class TemplateAudit:
    """The answers of an audit; every count is exact.

    people_at_risk: rows whose sensitive value somebody can infer above a threshold. inferences, above: over all
    templates, each (known values, sensitive value) pair once. findings: those above their threshold, the surest of all
    templates first; each template has its own too. ranges: what binned columns were cut into.
    """

    holds: bool
    records: int
    columns: int
    people_at_risk: int
    inferences: int
    above: Mapping[int, int]
    templates: tuple[TemplateOutcome, ...]
    findings: tuple[TemplateFinding, ...]
    seconds: float
    ranges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)  # what codes mean, by column

    @property
    def answer(self) -> Answer:
        """Holds or fails: the audit of a table always looks at everything."""
        return Answer.HOLDS if self.holds else Answer.FAILS

    @property
    def impossible(self) -> tuple[TemplateOutcome, ...]:
        """The templates that no suppression can make hold."""
        return tuple(outcome for outcome in self.templates if not outcome.possible)

    @property
    def worst(self) -> Fraction:
        """The highest confidence that any template leaves."""
        return max((o.worst.confidence for o in self.templates if o.worst is not None), default=Fraction(0))

    def verdict(self) -> str:
        """The answer in one sentence."""
        return verdict(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; with the names of the codes in it, if there is a code book."""
        plain = self._plain()
        return {**plain, "labels": mentioned(plain, self.labels)} if self.labels else plain

    def _plain(self) -> dict[str, Any]:
        return {
            "kind": "template",
            "answer": str(self.answer),
            "holds": self.holds,
            "records": self.records,
            "columns": self.columns,
            "people_at_risk": self.people_at_risk,
            "inferences": self.inferences,
            "above": {str(share): count for share, count in self.above.items()},
            "templates": [outcome.to_dict() for outcome in self.templates],
            "findings": [finding.to_dict() for finding in self.findings],
            "ranges": {name: list(labels) for name, labels in self.ranges.items()},
            "remarks": list(self.remarks),
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        from sordino.report.notebook import audit_text

        return audit_text(self.to_dict())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import audit_html

        return audit_html(self.to_dict())


def percent(share: Fraction) -> str:
    """A share in percent, or as a fraction where the percentage does not end."""
    text = show_rational(share * 100)
    return str(share) if "/" in text else f"{text}%"
