"""A grouped table in which a diversity policy holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity_result import DiversityResult
from sordino.data.table import Table
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule
from sordino.utility.diversity import DiversityCost

__all__ = ["DiversityRelease"]


@dataclass(frozen=True, eq=False)
class DiversityRelease:
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
    method: str
    seed: int
    row: npt.NDArray[np.int64] = field(repr=False)
    true_value: tuple[str | None, ...] = field(repr=False)
    source: str | None
    options: Mapping[str, Any] = field(default_factory=dict)

    def write(
        self,
        folder: str | os.PathLike[str],
        force: bool = False,
        *,
        jobs: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Path:
        """Write the release to a new folder: `publish` to hand on, `keep` to keep. Returns where it is.

        What was written is read back, audited and verified before the folder appears; if anything fails, nothing
        changes. An existing release is replaced only with force=True, anything else never.
        """
        from sordino.release.diversity_parts import diversity_parts
        from sordino.release.folder import write_folder

        return write_folder(
            folder,
            lambda stage: diversity_parts(self, stage, jobs=jobs, progress=progress),
            sources=(self.source,),
            force=force,
            progress=progress,
        )

    def summary(self) -> str:
        """Before and after in two sentences."""
        after = self.audit_after
        return (
            f"{after.records:,} people are in {after.groups:,} groups; everybody has at least {after.matching_l} "
            "possible "
            f"values of {self.policy.sensitive}, also for someone who knows the {after.rules:,} rules. "
            f"Every group holds at least {after.plain_l} different values."
        )

    def __repr__(self) -> str:
        return f"DiversityRelease({len(self.data):,} rows, method {self.method!r}, {self.audit_after.groups:,} groups)"

    def _repr_html_(self) -> str:
        from sordino.report.notebook import release_html

        before, after = self.audit_before.to_dict(), self.audit_after.to_dict()
        return release_html(self.summary(), before, after, self.utility.to_dict())
