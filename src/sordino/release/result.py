"""The finished thing: protected data, what was changed, what it cost, and how we know that it is safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sordino.data.databases.address import Address, target_of
from sordino.data.handed_on import HandedOn
from sordino.engine.local import Progress, Watch
from sordino.engine.log import logged
from sordino.errors import InputError
from sordino.protect.registry import METHODS
from sordino.release.database import check_target_table, put_release
from sordino.release.folder import Parts, source_name, timeless, write_folder
from sordino.release.staging import Staging
from sordino.words.pages import release_summary

__all__ = ["Release"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Release(HandedOn):
    """Data in which the policy holds. As a frame or as Arrow: what is published, in the order of the published file.

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

    @logged
    def write(
        self,
        folder: str | os.PathLike[str],
        force: bool = False,
        *,
        jobs: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        to: str | Address | None = None,
        table: str | None = None,
    ) -> Path:
        """Write the release to a new folder: `publish` to hand on, `keep` to keep. Returns where it is.

        What was written is read back, audited, proved and verified before the folder appears; if anything fails,
        nothing changes. An existing release is replaced only with force=True, anything else never.

        With `to`, the address of a database, and the name of a `table` there, the published data are then put into that
        table, in one transaction, with what is guaranteed as its comment. A table that is there is replaced only with
        force=True, and only if it was put there in this way.
        """
        target = to if isinstance(to, Address) or to is None else target_of(to, table)
        if target is not None:
            check_target_table(target, force=force, form=METHODS[self.method].form)
        place = write_folder(
            folder,
            lambda stage: self.parts(self, stage, jobs, progress),
            sources=self.sources,
            force=force,
            progress=progress,
        )
        if target is not None:
            Watch(progress).report("putting into the database", 0, 0)
            try:
                put_release(place, target, force=force)
            except InputError as error:
                hint = f"The release itself is whole, in {place}." + (f" {error.hint}" if error.hint else "")
                raise InputError(error.what, where=error.where, hint=hint) from None
        return place

    def to_arrow(self) -> Any:
        """What is published as a pyarrow.Table: the records or rows of the file, in its order, with its ids."""
        return getattr(self, "published", self.data).to_arrow()

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

    def to_dict(self) -> dict[str, Any]:
        """What there is to tell of the release, ready for JSON; for the house, as both audits are in it."""
        return self.outcome()

    def summary(self) -> str:
        """Before and after in two sentences."""
        return release_summary(self.outcome())

    def __str__(self) -> str:
        from sordino.report.notebook import release_text

        return release_text(self.outcome())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import release_html

        return release_html(self.outcome())
