"""`sordino audit DIR`: the audit of a release folder, by its shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sordino.cli.progress import Bar
from sordino.cli.streams import say, write_whole

if TYPE_CHECKING:
    from sordino.policy.inference import InferencePolicy

__all__ = ["audit_release"]


def audit_release(
    folder: str,
    policy: InferencePolicy | None,
    *,
    json_file: Path | None,
    to_stdout: bool,
    top: int,
    time_limit: float | None,
    jobs: int | None,
    quiet: bool,
) -> bool:
    """Whether the release's own policy, or the stated one, holds for it."""
    with Bar(wanted=not quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.release.grouped_reading import audit_folder

        result = audit_folder(folder, policy, top=top, time_limit=time_limit, jobs=jobs, progress=bar)
        if json_file is not None:
            write_whole(json_file, (json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n").encode())
    if to_stdout:
        say(json.dumps(result.to_dict(), indent=2) + "\n")
    elif not quiet:
        from sordino.cli.audit_page import headline
        from sordino.cli.page import Block, Grid, Lines, clean, count, show

        page: list[Block] = [
            headline(result),
            Lines(
                (
                    f"{clean(folder)}: {count(result.records, 'record')}, "
                    f"{count(result.sensitive_items, 'sensitive item')} left; against "
                    f"{'the policy of the release' if policy is None else 'the policy stated'}.",
                    *result.remarks,
                )
            ),
        ]
        if result.findings:
            rows = tuple(
                (", ".join(map(clean, f.antecedent)), clean(f.consequent), f"{f.with_consequent:,} of {f.support:,}")
                for f in result.findings
            )
            page.append(Grid("What can be inferred", ("known", "inferred", "records"), rows, (2,)))
        show(page)
    return result.holds
