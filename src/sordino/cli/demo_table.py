"""`sordino demo --table`: what sordino does for a table, shown on the bundled patients."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import typer

from sordino.audit.template_result import TemplateOutcome, percent
from sordino.cli.page import Headline, Lines, Steps, show
from sordino.cli.progress import Bar
from sordino.cli.template_page import before_and_after, cost_blocks, headline
from sordino.errors import InternalError
from sordino.words.claims import released

__all__ = ["show_table"]

SHOWN = 4  # findings


def show_table(data: Path, policy: Path, out: Path, *, kept: bool, program: str) -> None:
    """Audit, protect and verify the patients, and tell each step."""
    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.data.read_table import read_table
        from sordino.policy.file import read_policy
        from sordino.policy.template import TemplatePolicy
        from sordino.release.check import verify_folder
        from sordino.release.staging import check_target

        table, required = read_table(data), read_policy(policy)
        if not isinstance(required, TemplatePolicy):
            raise InternalError("the bundled policy of the patients is not one of templates")
        check_target(out, force=False)
        bar("Preparing (the first run compiles, and takes longer)", 0, 0)
        from sordino.release.templates.protect import protect_table

        start = time.monotonic()
        release = protect_table(table, required, progress=bar)
        release.write(out, progress=bar)
        seconds = time.monotonic() - start
        verdict = verify_folder(out, required)
    before = release.audit_before
    where = "The demo does not keep it (--out DIR would); of a release, "
    if kept:
        where = f"It lies in {shlex.quote(str(out))}: "
    files = [shlex.quote(str(path)) for path in (data, policy)]
    again = [("Check the release again:", f"{program} verify {shlex.quote(str(out))}")] if kept else []
    show(
        [
            Lines(
                (
                    f"A made-up group of hospitals wants to publish a table of {before.records:,} patients, so that "
                    f"others can learn to predict the {required.class_column}.",
                    *(f"Nobody who knows {_rule(outcome)}." for outcome in before.templates),
                )
            ),
            headline(before),
            Lines(tuple(finding.sentence() for finding in before.findings[:SHOWN]), "For example"),
            Lines(
                (
                    "So sordino suppresses values, all that must be and no more than it can help, and those first "
                    f"that tell least about the {required.class_column}.",
                )
            ),
            Headline(released(before.to_dict(), release.audit_after.to_dict()), good=release.audit_after.holds),
            before_and_after(before, release.audit_after),
            *cost_blocks(release.utility, required.symbol),
            Lines(
                (
                    f"Auditing, suppressing, writing, auditing the written file and verifying took {seconds:.1f} s.",
                    f"{where}publish/ is for others, keep/ stays in the house.",
                )
            ),
            Headline(
                "VERIFIED: an independent count finds the release safe."
                if verdict.holds
                else f"NOT VERIFIED: {verdict.reason}.",
                good=verdict.holds,
            ),
            Steps(
                "Where to look next",
                (
                    *again,
                    ("The whole audit:", f"{program} audit {files[0]} --policy {files[1]}"),
                    ("Copies of the sample files, to change the policy and see:", f"{program} sample FOLDER"),
                ),
            ),
        ]
    )
    if not verdict.holds:
        raise typer.Exit(1)


def _rule(outcome: TemplateOutcome) -> str:
    value = "" if outcome.worst is None else f" = {outcome.worst.value}"
    return (
        f"{', '.join(outcome.given)} of a patient may infer {outcome.sensitive}{value} with more than "
        f"{percent(outcome.at_most)} confidence"
    )
