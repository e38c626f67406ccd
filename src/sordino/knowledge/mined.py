"""The verb `mine`: the negative rules of a table, for people to read, edit and hand back."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, overload

from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.errors import InputError, PolicyError
from sordino.knowledge.assumed import mine_resolved
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule
from sordino.policy.rules_file import encoded_rules
from sordino.policy.threshold import Rational, read_rational, show_rational

__all__ = ["MinedRules", "mine_table"]


@dataclass(frozen=True)
class MinedRules(Sequence[NegativeRule]):
    """Rules in the order: excluded value, number of conditions, support falling. A sequence of NegativeRule."""

    rules: tuple[NegativeRule, ...]
    sensitive: str
    quasi: tuple[str, ...]
    records: int
    min_expectation: Fraction
    min_confidence: Fraction
    max_conditions: int | None
    everything: bool
    seconds: float

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, place: int) -> NegativeRule: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[NegativeRule, ...]: ...
    def __getitem__(self, place: int | slice) -> NegativeRule | tuple[NegativeRule, ...]:
        return self.rules[place]

    def __iter__(self) -> Iterator[NegativeRule]:
        return iter(self.rules)

    def encoded(self, form: str = "csv") -> bytes:
        """The bytes of a file of rules: "csv" or "json"."""
        return encoded_rules(self.rules, self.sensitive, self.quasi, form=form)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the rules as JSON if the name ends in .json, else as CSV; a policy reads both: rules = "rules.csv"."""
        form = "json" if os.fspath(path).lower().endswith(".json") else "csv"
        try:
            Path(path).write_bytes(self.encoded(form))
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", where=os.fspath(path)) from None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "sensitive": self.sensitive,
            "quasi": list(self.quasi),
            "records": self.records,
            "min_expectation": show_rational(self.min_expectation),
            "min_confidence": show_rational(self.min_confidence),
            "max_conditions": self.max_conditions,
            "all": self.everything,
            "rules": [rule.to_dict() for rule in self.rules],
            "seconds": round(self.seconds, 3),
        }

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{html.escape(rule.sentence())}</li>" for rule in self.rules[:50])
        more = f"<p>and {len(self) - 50:,} more</p>" if len(self) > 50 else ""
        return f"<p><b>{len(self):,} negative rules</b></p><ul>{rows}</ul>{more}"


def mine_table(
    table: Table,
    *,
    sensitive: str,
    quasi: Iterable[str],
    hierarchies: Mapping[str, object] | None = None,
    min_expectation: Rational = "0.9",
    min_confidence: Rational = "1",
    max_conditions: int | None = None,
    everything: bool = False,
    fuzzy: Iterable[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> MinedRules:
    """All negative rules of the table; without `everything` only those that no more general one implies."""
    started = time.perf_counter()
    problems: list[str] = []
    confidence = Fraction(1)
    try:
        confidence = read_rational(min_confidence)
        if not 0 < confidence <= 1:
            problems.append("min_confidence must be above 0 and at most 1")
    except ValueError as error:
        problems.append(f"min_confidence: {error}")
    try:
        policy = DiversityPolicy(
            sensitive,
            quasi,
            2,
            min_expectation=min_expectation,
            max_conditions=max_conditions,
            hierarchies=hierarchies,
            fuzzy=fuzzy,
        )
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems]) from None
    if problems:
        raise PolicyError(problems)
    resolved = policy.resolve(table)
    rules = mine_resolved(resolved, min_confidence=confidence, everything=everything, jobs=jobs, watch=Watch(progress))
    return MinedRules(
        rules.source,
        policy.sensitive,
        policy.quasi,
        len(table),
        policy.min_expectation,
        confidence,
        max_conditions,
        everything,
        time.perf_counter() - started,
    )
