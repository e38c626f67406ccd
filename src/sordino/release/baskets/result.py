"""The finished thing: protected data, what was changed, what it cost, and how we know that it is safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets, Int64
from sordino.policy.inference import InferencePolicy
from sordino.release.numbering import SHUFFLE, numbers_table, reordered
from sordino.release.thresholds import threshold_remarks
from sordino.utility.cost import Cost

__all__ = ["Release"]


@dataclass(frozen=True, eq=False)
class Release:
    """Data in which the policy holds.

    data: the protected records in the order of the input; iterates as sets of item names. changes: an Arrow table, a
    row for each deletion: record (original id, or position from 0), published (number in the published file, from 1),
    item, from, to (null: deleted). utility: what it cost. audit_before, audit_after: the audits of input and result.
    """

    data: Baskets
    changes: Any
    utility: Cost
    policy: InferencePolicy
    audit_before: AuditResult
    audit_after: AuditResult
    method: str
    seed: int
    ids: str
    number: Int64 = field(repr=False)  # of every record in the published file, from 1
    original_ids: tuple[str, ...] | None = field(repr=False)
    occurrences_before: int
    thresholds_before: Mapping[str, Fraction] = field(default_factory=dict, repr=False)  # of the original
    thresholds_after: Mapping[str, Fraction] = field(default_factory=dict, repr=False)  # of what is published
    options: Mapping[str, Any] = field(default_factory=dict)
    original: Baskets | None = field(default=None, repr=False)  # what may be known of people, where that matters

    @property
    def deletions(self) -> int:
        """How many (record, item) pairs were deleted."""
        return int(self.changes.num_rows)

    @property
    def unchanged(self) -> bool:
        """Whether the input was safe already, so that nothing was deleted."""
        return self.deletions == 0

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is to be said of the release, in the house."""
        return threshold_remarks(self.policy, self.thresholds_before, self.thresholds_after)

    @property
    def weaker(self) -> str:
        """What this release promises less than others do under the same policy, in a sentence; mostly nothing."""
        return ""

    @cached_property
    def published(self) -> Baskets:
        """The records as they are published: in the order of the file, with the ids of the file."""
        return reordered(self.data, self.number)

    def numbers(self) -> Any:
        """An Arrow table (published, record) that leads back to the input; None if numbers just count its records."""
        if self.ids != SHUFFLE and (self.ids == "keep" or self.original_ids is None):
            return None
        return numbers_table(self.number, self.original_ids)

    def write(
        self,
        folder: str | os.PathLike[str],
        force: bool = False,
        *,
        jobs: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Path:
        """Write the release to a new folder: `publish` to hand on, `keep` to keep. Returns where it is.

        What was written is read back, audited, proved and verified before the folder appears; if anything fails,
        nothing changes. An existing release is replaced only with force=True, anything else never.
        """
        from sordino.release.basket_parts import basket_parts
        from sordino.release.folder import write_folder

        return write_folder(
            folder,
            lambda stage: basket_parts(self, stage, jobs=jobs, progress=progress),
            sources=(self.data.origin.path,),
            force=force,
            progress=progress,
        )

    def summary(self) -> str:
        """Before and after in two sentences."""
        before, share = self.audit_before, self.deletions / max(self.occurrences_before, 1)
        least = "" if before.exact.get("people_at_risk", True) else "at least "
        if self.unchanged:
            return f"The policy already holds for all {before.records:,} people; nothing was changed."
        if before.sampling is not None:
            drawn = sum(before.sampling.drawn.values())
            return (
                f"Before, {sum(before.sampling.unsafe.values()):,} of {drawn:,} adversaries drawn at random could "
                "infer something; of those drawn from the result none can. "
                f"{self.deletions:,} of {self.occurrences_before:,} entries ({share:.1%}) were deleted."
            )
        return (
            f"Before, {least}{before.people_at_risk:,} of {before.records:,} people were at risk; now nobody is. "
            f"{self.deletions:,} of {self.occurrences_before:,} entries ({share:.1%}) were deleted."
        )

    def __repr__(self) -> str:
        return (
            f"Release({len(self.data):,} records, method {self.method!r}, {self.deletions:,} of "
            f"{self.occurrences_before:,} occurrences deleted)"
        )

    def _repr_html_(self) -> str:
        from sordino.report.notebook import release_html

        before, after = self.audit_before.to_dict(), self.audit_after.to_dict()
        return release_html(self.summary(), before, after, self.utility.to_dict())
