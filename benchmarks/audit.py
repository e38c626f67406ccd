"""The audit, measured: whole files against unlimited knowledge, and side by side with general rule miners.

    python benchmarks/audit.py [--quick] [--files NAME ...] [--rho R ...] [--part 1|2] [--seed N] [--markdown FILE]

See docs/benchmarks.md. Exit code 1 if two sides that answer the same question disagree; a missed goal is shown, but is
no error.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import FILES, QUICK, Outcome, Table, add_markdown, data_folder, machine, measure, named

RHOS = ("0.3", "0.5", "0.7")
LONGEST = 5  # items of a record in part 2
MERGED = ", merged"  # ends the name of a call that first merges equal records
MINERS = ("pyfim", "efficient-apriori", "mlxtend")
GOAL_SECONDS = 60.0
GOAL_MEGABYTES = 2000.0
GOAL_FASTEST = 5.0
GOAL_MLXTEND = 50.0
CAP_WHOLE = 900.0  # seconds after which a whole audit is given up
PYFIM_SHARE = 8  # times the cap for pyfim, which is asked the same in sixteen ways to find its fastest
MINER_BYTES = 6_000_000_000


def main() -> int:
    options = _options()
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 170)
    folder = data_folder()
    names = []
    for name in options.files:
        if (folder / FILES[name]).is_file():
            names.append(name)
        else:
            console.print(f"{name}: {FILES[name]} is not in the data folder; left out", highlight=False)
    if not names:
        console.print("No data: point SORDINO_DATA at the folder with the files.", highlight=False)
        return 2
    tables: list[Table] = []
    agreed = True

    def finished(*done: Table) -> None:
        for table in done:
            table.show(console)
            tables.append(table)

    heading = _heading(options)
    console.print(heading, highlight=False)
    if 1 in options.part:
        finished(*whole_files(names, options))
    if 2 in options.part:
        side_by_side, agreed = against_miners(names, options)
        finished(*side_by_side)
    if options.markdown:
        options.markdown.write_text("\n".join([heading, "", *(table.markdown() for table in tables)]), encoding="utf-8")
    if not agreed:
        console.print("The sides DISAGREE: see the table.", style="bold red")
    return 0 if agreed else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmark of the audit (see docs/benchmarks.md).")
    parser.add_argument("--files", nargs="+", metavar="NAME", help=f"of: {', '.join(FILES)} (or a beginning of it)")
    parser.add_argument("--rho", nargs="+", default=None, help="thresholds (default: 0.3 0.5 0.7)")
    parser.add_argument("--part", nargs="+", type=int, choices=(1, 2), default=[1, 2])
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items (default: 1)")
    parser.add_argument("--cap", type=float, default=300.0, help="seconds for a miner on a file (default: 300)")
    parser.add_argument("--quick", action="store_true", help="Groceries and BMS-WebView-1, rho 0.7, no cold start")
    add_markdown(parser)
    options = parser.parse_args()
    options.rho = options.rho or (["0.7"] if options.quick else list(RHOS))
    options.files = named(parser, options.files, FILES) if options.files else list(QUICK if options.quick else FILES)
    return options


def _heading(options: argparse.Namespace) -> str:
    return f"benchmarks/audit.py, seed {options.seed}, {machine()}"


# --- Part 1 -----------------------------------------------------------------------------------------------------------


def whole_files(names: list[str], options: argparse.Namespace) -> list[Table]:
    """Every whole file against unlimited knowledge, each audit in a process of its own."""
    table = Table(
        "Whole files, unlimited knowledge, 40 % of items sensitive",
        ("file", "rho", "records", "items", "read s", "audit s", "CPU s", "peak MB", "people at risk",
         "by 1 / 2 / 3 / more known", "items proved / searched", "occurrences proved / searched"),
        left=2,
    )  # fmt: skip
    goals = Table("Goals, whole files", ("file", "audit under 60 s", "memory under 2 GB"), left=3)
    firsts = []
    for name in names:
        seconds: list[float] = []
        megabytes: list[float] = []
        reasons: list[str] = []
        for rho in options.rho:
            task = {"task": "whole", "path": str(data_folder() / FILES[name]), "rho": rho, "seed": options.seed}
            outcome = measure(task, cap=CAP_WHOLE)
            if outcome.values is None:
                reasons.append(f"rho {rho}: {_why(outcome, CAP_WHOLE)}")
                table.add(name, rho, *[""] * 3, _why(outcome, CAP_WHOLE), *[""] * 6)
                continue
            v = outcome.values
            firsts.append(v["first"])
            seconds.append(v["seconds"])
            megabytes.append(v["megabytes"])
            table.add(
                name, rho, f"{v['records']:,}", f"{v['items']:,}", f"{v['reading']:.2f}", f"{v['seconds']:.2f}",
                f"{v['processor']:.2f}", f"{v['megabytes']:,.0f}",
                f"{v['people']:,}" + ("" if v["exact"] else " (at least)"),
                " / ".join(f"{v['exposure'][k]:,}" for k in ("1", "2", "3", "more")),
                f"{v['proved_items']:,} / {v['searched_items']:,}", f"{v['proved']:,} / {v['searched']:,}",
            )  # fmt: skip
        if reasons:
            goals.add(name, "MISSED: " + "; ".join(reasons), "")
        else:
            goals.add(
                name,
                _below(max(seconds), GOAL_SECONDS, "s"),
                _below(max(megabytes), GOAL_MEGABYTES, "MB"),
            )
    table.notes.append(
        "Seconds are of the audit alone, all of it, with compiled kernels at hand; reading is apart. CPU seconds "
        "are those of all cores together. Peak memory is of the whole process (ru_maxrss), with imports and reading."
    )
    if firsts:
        table.notes.append(
            f"Cold: the first small audit of a process takes {min(firsts):.1f} s with its imports and kernels loaded "
            f"from the cache{_compiling(options)}."
        )
    return [table, goals]


def _compiling(options: argparse.Namespace) -> str:
    """What the very first audit on a machine takes, in words; nothing in a quick run."""
    if options.quick:
        return ""
    empty = tempfile.mkdtemp()
    try:
        outcome = measure({"task": "first"}, cap=CAP_WHOLE, environment={"NUMBA_CACHE_DIR": empty})
    finally:
        shutil.rmtree(empty, ignore_errors=True)
    return f", and {outcome.values['first']:.1f} s when they have to be compiled" if outcome.values else ""


def _below(value: float, goal: float, unit: str) -> str:
    if value < goal:
        return f"met: at most {value:,.1f} {unit}, {value / goal:.1%} of {goal:,.0f}"
    return f"MISSED by {value - goal:,.1f} {unit}: {value:,.1f} {unit}"


def _why(outcome: Outcome, cap: float) -> str:
    return {
        "out of time": f"> {cap:,.0f} s",
        "out of memory": f"> {MINER_BYTES / 1e9:.0f} GB",
        "not installed": "not installed (pip install 'sordino[bench]')",
    }.get(outcome.reason, outcome.reason)


# --- Part 2 -----------------------------------------------------------------------------------------------------------


def against_miners(names: list[str], options: argparse.Namespace) -> tuple[list[Table], bool]:
    """The same question to us and to the miners, and whether all answers are the same."""
    table = Table(
        f"Side by side: records of at most {LONGEST} items, at most 2 known, support 1, 40 % of items sensitive",
        ("file", "rho", "side", "prepare s", "rules s", "people s", "whole s", "times ours", "rules", "people at risk",
         "by 1 / 2 known", "agrees", "peak MB"),
        left=3,
    )  # fmt: skip
    calls = Table(
        "pyfim: seconds to the exact rules, by call (records as they are / equal ones merged first)",
        ("file", "rho"),
        left=2,
    )
    goals = Table(
        "Goals, side by side (the worst rho of each file)", ("file", "5 x the fastest", "50 x mlxtend"), left=3
    )
    agreed = True
    for name in names:
        task = {
            "path": str(data_folder() / FILES[name]), "rhos": options.rho, "seed": options.seed, "longest": LONGEST,
            "bytes": MINER_BYTES,
        }  # fmt: skip
        ours = measure({"task": "short", **task}, cap=CAP_WHOLE)
        if ours.values is None:
            table.add(name, "", "sordino", *[""] * 3, _why(ours, CAP_WHOLE), *[""] * 6)
            goals.add(name, f"MISSED: {_why(ours, CAP_WHOLE)}", "")
            continue
        caps = {miner: options.cap * (PYFIM_SHARE if miner == "pyfim" else 1) for miner in MINERS}
        theirs = {miner: measure({"task": "miner", "miner": miner, **task}, cap=caps[miner]) for miner in MINERS}
        for rho in options.rho:
            agreed &= _add_rows(table, calls, name, rho, ours.values, theirs, options.cap)
        goals.add(name, *_goals(options.rho, ours.values["cells"], theirs, options.cap))
    table.notes += [
        "sordino: all that comes after reading (policy, index, audit, findings), on all cores. Miners: 'prepare' "
        "brings the records into the miner's natural form (lists of items, or a sparse frame) and is not counted; "
        "'rules' is mining and the exact check, and merging equal records where that helps; 'people' counts with "
        "NumPy whom the rules expose; 'whole' is both, and what the goals are about. In brackets: the same for the "
        "rules alone. Best of several runs on every side. mlxtend (fpgrowth, sparse frame) and efficient-apriori find "
        "item sets once for all rho, which counts in full for each.",
        "'agrees': the same people at risk, in total and by what must be known, on all sides; and among miners the "
        "same set of rules.",
    ]
    return [table, *([calls] if calls.rows else []), goals], agreed


def _add_rows(
    table: Table, calls: Table, name: str, rho: str, ours: Any, theirs: dict[str, Outcome], cap: float
) -> bool:
    """The rows of one file and rho; whether all sides agree."""
    mine = ours["cells"][rho]
    table.add(
        name, rho, "sordino", "", "", "", f"{mine['seconds']:.4f}", "1", "", f"{mine['people']:,}",
        f"{mine['1']:,} / {mine['2']:,}", "", f"{ours['megabytes']:,.0f}",
    )  # fmt: skip
    digests = {d for o in theirs.values() if o.values for d in o.values["cells"][rho]["digests"]}
    agreed = len(digests) <= 1
    for miner, outcome in theirs.items():
        if outcome.values is None:
            table.add(
                name, rho, miner, *[""] * 3, _why(outcome, cap), _unfinished(miner, outcome, cap, mine), *[""] * 5
            )
            continue
        cell = outcome.values["cells"][rho]
        whole = cell["seconds"] + cell["counting"]
        same = all(cell[key] == mine[key] for key in ("people", "1", "2"))
        agreed &= same
        table.add(
            name, rho, f"pyfim ({cell['call']})" if "call" in cell else miner, f"{outcome.values['preparing']:.3f}",
            f"{cell['seconds']:.4f}", f"{cell['counting']:.4f}", f"{whole:.4f}",
            f"{whole / mine['seconds']:.1f} ({cell['seconds'] / mine['seconds']:.1f})", f"{cell['rules']:,}",
            f"{cell['people']:,}", f"{cell['1']:,} / {cell['2']:,}",
            "NO" if not same else "yes" if len(digests) == 1 else "NO (rules)", f"{outcome.values['megabytes']:,.0f}",
        )  # fmt: skip
        if "calls" in cell:
            plain = [call for call in cell["calls"] if not call.endswith(MERGED)]
            calls.columns = ("file", "rho", *plain)
            calls.add(name, rho, *(f"{cell['calls'][c]:.4f} / {cell['calls'][c + MERGED]:.4f}" for c in plain))
    return agreed


def _is_bound(miner: str, outcome: Outcome) -> bool:
    """Whether running out of time says that one answer takes that long: not of pyfim, which is asked in many ways."""
    return outcome.reason == "out of time" and miner != "pyfim"


def _unfinished(miner: str, outcome: Outcome, cap: float, mine: Any) -> str:
    return f"> {cap / mine['seconds']:,.0f}" if _is_bound(miner, outcome) else ""


def _goals(rhos: list[str], ours: Any, theirs: dict[str, Outcome], cap: float) -> tuple[str, str]:
    """How the two goals stand, over all rho."""

    def times(miner: str, rho: str, rules_only: bool) -> float | None:
        """How often our seconds go into theirs; None if there is no telling."""
        outcome = theirs[miner]
        if outcome.values is None:
            return cap / float(ours[rho]["seconds"]) if _is_bound(miner, outcome) else None
        cell = outcome.values["cells"][rho]
        return float(cell["seconds"] + (0 if rules_only else cell["counting"])) / float(ours[rho]["seconds"])

    def worst(miners: tuple[str, ...], rules_only: bool) -> float | None:
        unknown = [m for m in miners if theirs[m].values is None and not _is_bound(m, theirs[m])]
        if any(theirs[m].reason != "not installed" for m in unknown):
            return None  # one that failed might have been the fastest
        found = [[t for m in miners if (t := times(m, rho, rules_only)) is not None] for rho in rhos]
        return min(min(of_rho) for of_rho in found) if all(found) else None

    def verdict(miners: tuple[str, ...], goal: float) -> str:
        ratio, strict = worst(miners, False), worst(miners, True)
        if ratio is None or strict is None:
            return "not known: " + ", ".join(_why(theirs[m], cap) for m in miners if theirs[m].values is None)
        shown = f"{ratio:,.1f} x, goal {goal:.0f} x (rules alone: {strict:,.1f} x)"
        missing = [m for m in miners if theirs[m].reason == "not installed"]
        without = f"; without {', '.join(missing)}" if missing else ""
        return (f"met: {shown}" if ratio >= goal else f"MISSED by a factor of {goal / ratio:.2f}: {shown}") + without

    return verdict(MINERS, GOAL_FASTEST), verdict(("mlxtend",), GOAL_MLXTEND)


if __name__ == "__main__":
    sys.exit(main())
