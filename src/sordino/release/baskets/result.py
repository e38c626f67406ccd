"""Baskets in which the policy holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from sordino.audit.result import AuditResult
from sordino.data.aligned import reordered
from sordino.data.baskets import Baskets, Int64
from sordino.policy.inference import InferencePolicy
from sordino.release.baskets.large import is_large
from sordino.release.baskets.thresholds import threshold_remarks
from sordino.release.numbering import SHUFFLE, numbers_table
from sordino.release.result import Release
from sordino.utility.cost import Cost

__all__ = ["BasketRelease"]

NO_BOUND = "How little any safe version loses was not worked out: of so many records, that takes hours."


@dataclass(frozen=True, eq=False, kw_only=True)
class BasketRelease(Release):
    """Baskets in which the policy holds.

    data: the protected records in the order of the input; iterates as sets of item names. changes: an Arrow table, a
    row for each deletion: record (original id, or position from 0), published (number in the published file, from 1),
    item, from, to (null: deleted).
    """

    data: Baskets
    changes: Any
    utility: Cost
    policy: InferencePolicy
    audit_before: AuditResult
    audit_after: AuditResult
    ids: str
    number: Int64 = field(repr=False)  # of every record in the published file, from 1
    original_ids: tuple[str, ...] | None = field(repr=False)
    occurrences_before: int
    thresholds_before: Mapping[str, Fraction] = field(default_factory=dict, repr=False)  # of the original
    thresholds_after: Mapping[str, Fraction] = field(default_factory=dict, repr=False)  # of what is published
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
        parts = int(self.options.get("parts", 1))
        divided: tuple[str, ...] = ()
        if is_large(self.data, self.policy, self.options):
            divided = (f"Made, audited and proved in {parts:,} parts, each of which is safe by itself.", NO_BOUND)
        elif parts > 1:
            divided = (f"Made in {parts:,} parts, and audited as a whole (--parts 1: in one).",)
        return (*divided, *threshold_remarks(self.policy, self.thresholds_before, self.thresholds_after))

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

    def outcome(self) -> dict[str, Any]:
        return {**super().outcome(), "remarks": list(self.remarks)}

    def __repr__(self) -> str:
        return (
            f"Release({len(self.data):,} records, method {self.method!r}, {self.deletions:,} of "
            f"{self.occurrences_before:,} occurrences deleted)"
        )
