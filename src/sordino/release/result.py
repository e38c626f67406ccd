"""The finished thing: protected data, what was changed, what it cost, and how we know that it is safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sordino.engine.local import Progress
from sordino.release.folder import Parts, source_name, timeless, write_folder
from sordino.release.staging import Staging
from sordino.words.pages import release_summary

__all__ = ["Release"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Release:
    """Data in which the policy holds.

    changes: an Arrow table of what became of what. utility: what it cost. audit_before, audit_after: the audits of
    input and result. parts: what makes the files of its folder, from the release, the folder, threads and progress.
    """

    data: Any
    utility: Any
    policy: Any
    audit_before: Any
    audit_after: Any
    method: str
    seed: int
    parts: Callable[[Any, Staging, int | None, Progress | None], Parts] = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[str | None, ...]:
        """Files and folders that the release must not replace."""
        return (self.data.origin.path,)

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
        return write_folder(
            folder,
            lambda stage: self.parts(self, stage, jobs, progress),
            sources=self.sources,
            force=force,
            progress=progress,
        )

    def audited(self, audit: Any) -> None:
        """The audit of the written file is that of the result, where there was none before."""
        if self.audit_after is None:
            object.__setattr__(self, "audit_after", audit)

    def history(self, audit: Any) -> dict[str, Any]:
        """What keep/audit.json tells of every release; `audit` is that of the written files."""
        return {
            "data": {"file": source_name(self.sources[0]), "sha256": self.data.origin.sha256},
            "method": self.method,
            "seed": self.seed,
            "options": dict(self.options),
            "before": timeless(self.audit_before.to_dict()),
            "after": timeless(audit.to_dict()),
            "utility": timeless(self.utility.to_dict()),
        }

    def outcome(self) -> dict[str, Any]:
        """What there is to tell: both audits and the cost, as plain data."""
        return {
            "method": self.method,
            "before": self.audit_before.to_dict(),
            "after": self.audit_after.to_dict(),
            "utility": self.utility.to_dict(),
        }

    def summary(self) -> str:
        """Before and after in two sentences."""
        return release_summary(self.outcome())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import release_html

        return release_html(self.outcome())
