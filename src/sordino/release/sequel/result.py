"""Baskets in which the policy holds, and that go together with earlier releases."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sordino.audit.joint import JointAudit
from sordino.release.baskets.result import BasketRelease
from sordino.verify.linked import Linked

__all__ = ["SequelRelease"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SequelRelease(BasketRelease):
    """A release that goes together with earlier ones: `joint` is the audit of all of them.

    previous: the earlier ones, oldest first; people: who the records of `data` are; left: how many people of the last
    release are not in this one.
    """

    joint: JointAudit
    previous: tuple[Linked, ...]
    people: tuple[Hashable, ...]
    left: int

    @property
    def sources(self) -> tuple[str | None, ...]:
        return (*super().sources, *(str(each.folder) for each in self.previous if each.folder is not None))

    @property
    def together(self) -> bool:
        """Whether nothing can be inferred from all releases together."""
        return self.joint.holds

    @property
    def remarks(self) -> tuple[str, ...]:
        """Besides those of any release, what can be inferred from all of them together, and the ways out."""
        told = [*super().remarks, self.joint.verdict(), *self.joint.remarks]
        if self.left and not self.together:
            who = "1 person" if self.left == 1 else f"{self.left:,} people"
            told.append(
                f"{who} of an earlier release left. What is out about them cannot be taken back, and no deletion in "
                "this release changes what all show together. Ways out: publish their old rows once more "
                '(leavers="keep"; --leavers keep), or see to it that nobody can link the rows of the releases.'
            )
        return tuple(told)

    @property
    def weaker(self) -> str:
        """If something can be inferred from all releases together, that."""
        return "" if self.together else "nothing is promised against someone who has earlier releases, too."

    def outcome(self) -> dict[str, Any]:
        return {**super().outcome(), "joint": self.joint.to_dict()}
