"""`sordino demo`: what sordino does, shown on the bundled sample."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sordino.cli.asked import Shown
from sordino.cli.options import Json
from sordino.cli.streams import check_targets

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
    json_: Json = None,
) -> None:
    """Audit the bundled pharmacy sample, make a safe release of it, verify that, and say where to look next."""
    from sordino.sample import path

    names = ("patients.csv", "patients_policy.toml") if table else ("pharmacy.csv", "pharmacy_policy.toml")
    data, policy = map(path, names)
    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    if out is not None:
        _show(data, policy, out, shown, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="sordino-demo-") as folder:
        _show(data, policy, Path(folder) / "release", shown, kept=False)


def _show(data: Path, policy: Path, out: Path, shown: Shown, *, kept: bool) -> None:
    from sordino.cli.progress import Bar

    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.kinds import read_policy, verbs
        from sordino.release.staging import check_target

        required: Any = read_policy(policy)
        held = verbs.read(data, required)
        force = _is_own(out, required, len(held.data))
        check_target(out, force=force)
        bar("Preparing (the first run compiles, and takes longer)", 0, 0)
        result = verbs.audit(held, required, top=SHOWN, progress=bar)
        start = time.monotonic()
        release = verbs.protect(held, required, progress=bar, options={})
        release.write(out, force, progress=bar)
        seconds = time.monotonic() - start
        verdict = verbs.verify(out, required)

    from sordino.cli.page import Points, Steps, Verdict
    from sordino.words.blocks import Chart
    from sordino.words.claims import released
    from sordino.words.kinds import words_of

    before, after, cost = (one.to_dict() for one in (release.audit_before, release.audit_after, release.utility))
    words = words_of(before.get("kind"))
    compiling = ", mostly to compile; the next audit is quicker" if result.seconds > PATIENT else ""
    where = f"It lies in {_short(out)}: " if kept else "The demo does not keep it (--out DIR would); of a release, "
    picture = next(block for block in words.release_blocks(before, after) if isinstance(block, Chart))
    plain = {"audit": result.to_dict(), **release.to_dict(), "verdict": verdict.to_dict()}
    shown.tell(
        {**plain, "release": str(out) if kept else None},
        lambda: [
            Points(_story(required, result)),
            Verdict(result.verdict(), good=result.holds),
            Points((f"It took {result.seconds:.1f} s{compiling}.",)),
            Points(tuple(finding.sentence() for finding in result.findings[:SHOWN]), "For example"),
            Points(("So sordino makes a version that is safe, and loses as little as it can.",)),
            Verdict(released(before, after), good=release.audit_after.holds),
            picture,
            Points(tuple(words.sentences(cost)), "What it cost"),
            Points(
                (
                    f"Changing, writing, auditing the written file, proving and verifying took {seconds:.1f} s.",
                    f"{where}publish/ is for others, keep/ stays in the house.",
                )
            ),
            Verdict(
                "VERIFIED: an independent check finds the release safe."
                if verdict.holds
                else f"NOT VERIFIED: {verdict.reason}.",
                good=verdict.holds,
            ),
            Steps("Where to look next", tuple(_next(data, policy, out if kept else None))),
        ],
    )
    if not verdict.holds:
        raise typer.Exit(1)


def _story(policy: Any, result: Any) -> tuple[str, ...]:
    """What is to be published, and what nobody may infer from it."""
    from sordino.words.text import exactly

    if hasattr(policy, "templates"):
        return (
            f"A made-up group of hospitals wants to publish a table of {result.records:,} patients, so that others can "
            f"learn to predict the {policy.class_column}.",
            *(f"Demanded: {template.sentence()} confidence." for template in result.templates),
        )
    return (
        f"A made-up pharmacy wants to publish what {result.records:,} customers bought: {result.items:,} products, "
        f"{result.sensitive_items:,} of them sensitive.",
        "Can someone who knows a little about a customer infer a sensitive product, more than "
        f"{exactly(policy.rho)} sure?",
    )


def _next(data: Path, policy: Path, out: Path | None) -> Iterator[tuple[str, str]]:
    program = _program()
    if out is not None:
        yield "Check the release again:", f"{program} verify {_short(out)}"
    yield "The whole report:", f"{program} audit {_short(data)} --policy {_short(policy)}"
    yield "Your own data:", f"{program} audit FILE --sensitive 'this,that' --rho 0.5"
    yield "A safe version:", f"{program} protect FILE --sensitive 'this,that' --rho 0.5 --out DIR"
    yield "Copies of the sample files, to change the policy and see:", f"{program} sample FOLDER"
    yield "The same for a table:", f"{program} demo --table"
    yield "More:", f"{program} protect --help"
    if out is not None:
        report = _short(out / "keep" / "report.html")
        yield "All of this as a page with charts, to open in a browser:", report


def _is_own(out: Path, policy: Any, records: int) -> bool:
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
