"""A grouped table in which a diversity policy holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity_result import DiversityResult
from sordino.data.table import Table
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule
from sordino.release.result import Release
from sordino.utility.diversity import DiversityCost

__all__ = ["DiversityRelease"]


@dataclass(frozen=True, eq=False, kw_only=True)
class DiversityRelease(Release):
    """Quasi-identifiers with groups, and sensitive values by group.

    data: the published table, the sensitive values permuted within their groups; `row[k]` is where row k was in the
    input. form: "permuted" or "tables". rules: what the adversary is assumed to know; meaning: the groups of values
    that the rules name. true_value[k] is the value that row k really has.
    """

    data: Table
    group: str
    form: str
    policy: DiversityPolicy
    rules: tuple[NegativeRule, ...] = field(repr=False)
    meaning: Mapping[str, Mapping[str, tuple[str, ...]]] = field(repr=False)
    utility: DiversityCost
    audit_before: DiversityResult
    audit_after: DiversityResult
    row: npt.NDArray[np.int64] = field(repr=False)
    true_value: tuple[str | None, ...] = field(repr=False)
    source: str | None

    @property
    def sources(self) -> tuple[str | None, ...]:
        return (self.source,)

    def __repr__(self) -> str:
        return f"DiversityRelease({len(self.data):,} rows, method {self.method!r}, {self.audit_after.groups:,} groups)"
