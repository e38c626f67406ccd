"""A grouped table in which a diversity policy holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity_result import DiversityResult
from sordino.data.table import Table
from sordino.errors import InputError
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule
from sordino.release.diversity.streamed import Publishing
from sordino.release.result import Release
from sordino.utility.diversity import DiversityCost

__all__ = ["DiversityRelease", "StreamedGroups"]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamedGroups(DiversityRelease):
    """The same of a table whose people are not held one by one: `data` are its distinct rows, as they were.

    The rows are put together when the release is written, and the source is read once more to tell which is which.
    """

    shown: Publishing = field(repr=False)

    @cached_property
    def published(self) -> Table:
        raise InputError(
            "this table is too large to be held", hint="Write the release, and read publish/data.parquet in pieces."
        )

    def __repr__(self) -> str:
        people, groups = self.audit_after.records, self.audit_after.groups
        return f"StreamedGroups({people:,} rows, method {self.method!r}, {groups:,} groups)"
