"""`sordino demo`: what sordino does, shown on the bundled sample."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sordino.policy.inference import InferencePolicy

SHOWN = 5  # findings
PATIENT = 3  # seconds; with compiled code the sample takes less than one


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Leave the release there, to look at. Default: nowhere.", show_default=False
        ),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Show it on a table of patients instead.")] = False,
) -> None:
    """Audit the bundled pharmacy sample, make a safe release of it, verify that, and say where to look next."""
    from sordino.sample import path

    data, policy = path("pharmacy.csv"), path("pharmacy_policy.toml")
    show: Callable[..., None] = _show
    if table:
        from sordino.cli.demo_table import show_table

        data, policy = path("patients.csv"), path("patients_policy.toml")
        show = partial(show_table, program=_program())
    if out is not None:
        show(data, policy, out, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="sordino-demo-") as folder:
        show(data, policy, Path(folder) / "release", kept=False)


def _show(data: Path, policy: Path, out: Path, *, kept: bool) -> None:
    from sordino.cli.progress import Bar

    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.kinds import read_policy, verbs
        from sordino.policy.inference import InferencePolicy
        from sordino.release.staging import check_target

        required = read_policy(policy)
        assert isinstance(required, InferencePolicy)
        source = verbs.read(data, required)
        force = _is_own(out, required, len(source.data))
        check_target(out, force=force)
        bar("Preparing (the first run compiles, and takes longer)", 0, 0)
        result = verbs.audit(source, required, top=SHOWN, progress=bar)
        start = time.monotonic()
        release = verbs.protect(source, required, progress=bar, options={})
        release.write(out, force, progress=bar)
        seconds = time.monotonic() - start
        verdict = verbs.verify(out, required)

    from sordino.cli.audit_page import headline
    from sordino.cli.page import Headline, Lines, Steps, show
    from sordino.cli.protect_page import before_and_after, cost_lines, result_headline
    from sordino.policy.threshold import show_rational

    by = result.exposure_by_knowledge
    compiling = ", mostly to compile; the next audit is quicker" if result.seconds > PATIENT else ""
    program = _program()
    where = f"It lies in {_short(out)}: " if kept else "The demo does not keep it (--out DIR would); of a release, "
    report = [("All of this as a page with charts, to open in a browser:", _short(out / "keep" / "report.html"))] * kept
    again = [("Check the release again:", f"{program} verify {_short(out)}")] if kept else []
    show(
        [
            Lines(
                (
                    f"A made-up pharmacy wants to publish what {result.records:,} customers bought: {result.items} "
                    f"products, {result.sensitive_items} of them sensitive.",
                    "Can someone who knows a little about a customer infer a sensitive product, more than "
                    f"{show_rational(required.rho * 100).removesuffix('.0')}% sure?",
                ),
            ),
            headline(result),
            Lines(
                (
                    f"{by['1']:,} of them if one other product is known, {by['2']:,} more with two, {by['3']:,} with "
                    f"three, {by['more']:,} with more.",
                    f"{'Every number is exact. ' if result.complete else ''}It took {result.seconds:.1f} s{compiling}.",
                ),
            ),
            Lines(tuple(finding.sentence() for finding in result.findings), "For example"),
            Lines(("So sordino makes a version that is safe, and deletes as little as it can.",)),
            result_headline(release),
            before_and_after(release),
            Lines(tuple(cost_lines(release)), "What it cost"),
            Lines(
                (
                    f"Deleting, writing, auditing the written file, proving and verifying took {seconds:.1f} s.",
                    f"{where}publish/ is for others, keep/ stays in the house.",
                )
            ),
            Headline(
                "VERIFIED: an independent check of the proof finds the release safe."
                if verdict.holds
                else f"NOT VERIFIED: {verdict.reason}.",
                good=verdict.holds,
            ),
            Steps(
                "Where to look next",
                (
                    *again,
                    ("The whole report:", f"{program} audit {_short(data)} --policy {_short(policy)}"),
                    ("Your own data:", f"{program} audit FILE --sensitive 'this,that' --rho 0.5"),
                    ("A safe version:", f"{program} protect FILE --sensitive 'this,that' --rho 0.5 --out DIR"),
                    ("Copies of the sample files, to change the policy and see:", f"{program} sample FOLDER"),
                    ("The same for a table:", f"{program} demo --table"),
                    ("More:", f"{program} protect --help"),
                    *report,
                ),
            ),
        ]
    )
    if not verdict.holds:
        raise typer.Exit(1)


def _is_own(out: Path, policy: InferencePolicy, records: int) -> bool:
    """Whether the folder is an earlier demo, and may be replaced: a release of this many records under this policy."""
    from sordino.errors import InputError
    from sordino.verify.manifest import MANIFEST
    from sordino.verify.manifest_file import parse

    try:
        manifest = parse((out / "publish" / MANIFEST).read_bytes())
    except (OSError, InputError):
        return False
    return manifest.policy == policy and manifest.records == records


def _program() -> str:
    """How the user can call this program again."""
    called = Path(sys.argv[0])
    found = shutil.which("sordino")
    if called.name != "sordino":
        return "python -m sordino" if found is None else "sordino"
    on_path = found is not None and Path(found).resolve() == called.resolve()
    return "sordino" if on_path else _short(called)


def _short(path: Path) -> str:
    """The path for a shell, from here if it lies below."""
    full = path.absolute()
    here = Path(os.getcwd())
    return shlex.quote(str(full.relative_to(here) if full.is_relative_to(here) else full))
