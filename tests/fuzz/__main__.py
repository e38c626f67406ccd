"""`python -m fuzz run`, `replay FILE` and `show NUMBER`; from the folder of the tests, or with it on PYTHONPATH."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fuzz.case import from_json, to_json
from fuzz.driver import Found, Plan, Summary, run
from fuzz.finding import SORTS, Finding
from fuzz.generate import case_of
from fuzz.leash import Leash

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: nothing was found; 1: something was; 2: usage."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="check random tables")
    one.add_argument("--tables", type=int, default=1000)
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--jobs", type=int, default=2, help="processes")
    one.add_argument("--limit", type=float, default=20.0, help="seconds until a case is killed")
    one.add_argument("--first", type=int, default=0, help="the number of the first case")
    one.add_argument("--kind", choices=("inference", "template", "diversity"))
    one.add_argument("--out", type=Path, default=Path("out/fuzz"), help="where findings are kept")
    one.add_argument("--charts", action="store_true", help="draw the charts of reports, which takes most of the time")
    one.add_argument("--no-shrinking", action="store_true")
    two = commands.add_parser("replay", help="check the case of a finding again")
    two.add_argument("file", type=Path)
    two.add_argument("--limit", type=float, default=60.0)
    two.add_argument("--original", action="store_true", help="the case as it was found, not as it was shrunk")
    two.add_argument("--here", action="store_true", help="in this process, without a limit: for a debugger")
    three = commands.add_parser("show", help="print a case")
    three.add_argument("number", type=int)
    three.add_argument("--seed", type=int, default=0)
    three.add_argument("--kind", choices=("inference", "template", "diversity"))
    stated = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    if stated.command == "show":
        print(json.dumps(to_json(case_of(stated.seed, stated.number, stated.kind)), indent=1, ensure_ascii=False))
        return 0
    return _run(stated) if stated.command == "run" else _replay(stated)


def _run(stated: argparse.Namespace) -> int:
    plan = Plan(
        tables=stated.tables,
        seed=stated.seed,
        jobs=stated.jobs,
        limit=stated.limit,
        out=stated.out,
        first=stated.first,
        kind=stated.kind,
        charts=stated.charts,
        shrinking=not stated.no_shrinking,
    )
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("no findings", total=plan.tables)

        def told(summary: Summary, found: Found | None) -> None:
            if found is not None and found.file is not None:
                progress.console.print(
                    f"[red]{escape(_sentence(found.finding))}[/red]\n  {found.file}", highlight=False
                )
            count = summary.findings
            words = "no findings" if not count else "1 finding" if count == 1 else f"{count} findings"
            progress.update(task, completed=summary.tables, description=words)

        summary = run(plan, told)
    return _tell(summary, plan)


def _tell(summary: Summary, plan: Plan) -> int:
    tables = f"{summary.tables:,} tables of seed {plan.seed} from {plan.first}"
    print(f"{tables}: {summary.findings:,} findings in {summary.seconds:.0f} s.")
    print(f"The slowest case, {summary.slowest[1]}, took {summary.slowest[0]:.1f} s.")
    for (check, sort, what), count in summary.counts.most_common():
        print(f"{count:6,}  {sort} ({SORTS[sort]}) in '{check}': {what}")
    if summary.kept:
        print(f"They are kept in {plan.out}. To see one again: python -m fuzz replay FILE")
    return 1 if summary.findings else 0


def _replay(stated: argparse.Namespace) -> int:
    content = json.loads(stated.file.read_text(encoding="utf-8"))
    case = from_json(content["original" if stated.original and "original" in content else "case"])
    with tempfile.TemporaryDirectory(prefix="sordino-fuzz-") as home:
        if stated.here:
            from fuzz.examine import examine

            findings: tuple[Finding, ...] = tuple(examine(case, Path(home)))
        else:
            leash = Leash(Path(home))
            try:
                findings = leash.check(case, stated.limit).findings
            finally:
                leash.kill()
    for finding in findings:
        print(_sentence(finding))
    print("Nothing was found." if not findings else f"{len(findings)} found.")
    return 1 if findings else 0


def _sentence(finding: Finding) -> str:
    place = f" ({finding.place})" if finding.place else ""
    return f"{finding.sort} in '{finding.check}'{place}: {finding.what}"


if __name__ == "__main__":
    sys.exit(main())
