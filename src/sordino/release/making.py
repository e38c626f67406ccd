"""One sequence for all kinds: audit, change, audit again, say what it cost.

Proving and writing follow when the release is written (`result`, `folder`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sordino.release.request import Run
from sordino.report.charts import load_early

__all__ = ["Making"]


class Making(ABC):
    """A release in the making. `Any` data, policies, audits and releases are those of the kind."""

    always = False  # whether the data have to be changed even if the policy holds

    def __init__(self, data: Any, policy: Any, run: Run) -> None:
        self.data, self.policy, self.run = data, policy, run

    def make(self) -> Any:
        """The release; what already holds is not changed."""
        watch = self.run.watch
        if self.run.written:
            load_early()
        watch.step("audit")
        before = self.audit_before()
        kept, after = self.data, before
        if self.always or not before.holds:
            watch.step("change")
            kept, after = self.changed()
        watch.step("cost")
        return self.release(kept, before, after)

    @abstractmethod
    def audit_before(self) -> Any:
        """The audit of the data as they are."""

    @abstractmethod
    def changed(self) -> tuple[Any, Any]:
        """Data in which the policy holds, and the audit that finds so; raises if it finds anything else."""

    @abstractmethod
    def release(self, kept: Any, before: Any, after: Any) -> Any:
        """The release that publishes what is kept."""
