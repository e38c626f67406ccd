"""Personal choices: the paper's Experiments 1 and 2 (Nakagawa et al. 2018, section 6), and whole files, exactly.

    python benchmarks/personal.py                       # everything, ten draws a cell
    python benchmarks/personal.py --quick               # Groceries, two draws, a second or so a cell
    python benchmarks/personal.py --only whole --markdown out.md
    python benchmarks/personal.py --results done.jsonl  # may be stopped and started again: no run is repeated

Settings of the paper: *fixed* (a share of the items for all), *personalized* (such a share for each person),
*personalized+* (a share of the items, and each person flips each item with 1 % noise), *fixed+* (all of these for
everybody, which was the only way before). Drawn are 10 % of the records and the sensitive items, ten times. What is new
here: the same on whole files and records of any length, exactly. Kernels are compiled before the first clock starts.
Rules lost is the paper's util_mining, 1 - Jaccard of all rules of support 0.05 % and confidence 30 %; as there, only
where records have at most 5 items. A missed goal is shown as MISSED; it is no error. Exit code 1 if a result that
should be safe is not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import mean, pstdev
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # as a script, it finds its neighbours too

from benchmarks.common import FILES, data_folder

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import InferencePolicy

SETTINGS = ("fixed", "personalized", "fixed+", "personalized+")
NOISE = 0.01
PAPER = ("BMS-WebView-1", "BMS-WebView-2", "BMS-POS part (275k)")
WHOLE = "BMS-WebView-2"
GOAL_WHOLE, GOAL_SAMPLED = 30.0, 60.0


@dataclass(frozen=True)
class Cell:
    """One cell of a table: what is measured, on which file, how."""

    experiment: str
    file: str
    setting: str
    method: str
    share: float = 0.4
    rho: str = "0.5"
    most: int | None = None
    epsilon: str | None = None  # = delta
    longest: int | None = None  # records of at most so many items
    part: float = 0.1  # of the records
    goal: float | None = None
    improve: int = 0  # sweeps


def cells(only: str, quick: bool) -> Iterator[Cell]:
    """All cells in the order in which they are shown."""
    files = ("Groceries",) if quick else PAPER
    second = "Groceries" if quick else WHOLE
    part = 1.0 if quick else 0.1
    sampled = {"method": "naka-sampled", "most": 5, "epsilon": "0.1" if quick else "0.05"}
    if only in ("1", "all"):
        for file in files:
            for setting in SETTINGS[:2]:
                yield Cell("1: Algorithm 1, records of at most 5", file, setting, "naka", longest=5, part=part)
            for setting in SETTINGS[:2]:
                yield Cell("1: Algorithm 2", file, setting, **sampled, part=part)  # type: ignore[arg-type]
    if only in ("2", "all"):
        for setting in SETTINGS[2:]:
            for rho in ("0.5",) if quick else ("0.3", "0.5", "0.7", "0.9"):
                yield Cell("2: rho", second, setting, "naka", 0.1, rho, longest=5, part=part)
            for share in () if quick else (0.1, 0.2, 0.3, 0.4):
                yield Cell("2: share", second, setting, "naka", share, longest=5, part=part)
            epsilon = str(sampled["epsilon"])
            for rho in () if quick else ("0.3", "0.7", "0.9"):
                yield Cell("2: rho", second, setting, "naka-sampled", 0.1, rho, most=5, epsilon=epsilon, part=part)
            for share in () if quick else (0.2, 0.3, 0.4):
                yield Cell("2: share", second, setting, "naka-sampled", share, most=5, epsilon=epsilon, part=part)
            for most in (2,) if quick else (1, 2, 3, 4, 5):
                yield Cell("2: m", second, setting, "naka-sampled", 0.1, most=most, epsilon=epsilon, part=part)
            for epsilon in () if quick else ("0.1", "0.02", "0.01"):
                yield Cell("2: epsilon", second, setting, "naka-sampled", 0.1, most=5, epsilon=epsilon, part=part)
    if only in ("whole", "all"):
        for method in ("mine",) if quick else ("mine", "dist"):
            for setting in ("personalized", "personalized+"):
                share = 0.4 if setting == "personalized" else 0.1
                goal = GOAL_WHOLE if (method, setting, quick) == ("mine", "personalized", False) else None
                yield Cell("whole file, exact", second, setting, method, share, part=1.0, goal=goal)
        yield Cell("whole file, improved", second, "personalized", "mine", part=1.0, improve=100)
        for setting in () if quick else ("fixed", "personalized"):
            yield Cell(
                "whole file, sampled", PAPER[2], setting, "naka-sampled", most=5, epsilon="0.05", part=1.0,
                goal=GOAL_SAMPLED,
            )  # fmt: skip


def policy_of(cell: Cell, baskets: Baskets, seed: int) -> InferencePolicy:
    """The sensitive items of everybody, drawn with the seed."""
    import numpy as np

    from sordino.policy.assurance import Assurance
    from sordino.policy.choices import Choices
    from sordino.policy.inference import InferencePolicy

    rng = np.random.default_rng([seed, 77])
    width, people = len(baskets.names), len(baskets)
    assurance = None if cell.epsilon is None else Assurance(cell.epsilon, cell.epsilon, cell.most or 1)
    known = None if cell.epsilon is not None else cell.most
    tend = np.zeros(width, dtype=np.bool_)
    tend[rng.choice(width, size=max(1, round(cell.share * width)), replace=False)] = True
    if cell.setting == "fixed":
        names = [name for name, chosen in zip(baskets.names, tend, strict=True) if chosen]
        return InferencePolicy(names, cell.rho, knowledge=known, assurance=assurance)
    chosen = np.empty((width, people), dtype=np.bool_)
    for code in range(width):
        likely = cell.share if cell.setting == "personalized" else 1 - NOISE if tend[code] else NOISE
        chosen[code] = rng.random(people) < likely
    if cell.setting == "fixed+":
        names = [baskets.names[code] for code in range(width) if chosen[code].any()]
        return InferencePolicy(names, cell.rho, knowledge=known, assurance=assurance)
    own = Choices.of_matrix(chosen, baskets.names)
    return InferencePolicy([], cell.rho, knowledge=known, assurance=assurance, per_record=own)


def sample(baskets: Baskets, part: float, longest: int | None, seed: int) -> Baskets:
    """Some of the records (of at most `longest` items), with the names that occur in them."""
    import numpy as np

    from sordino.data.baskets import Baskets

    able = np.arange(len(baskets)) if longest is None else np.flatnonzero(baskets.lengths <= longest)
    if part < 1:
        able = np.sort(np.random.default_rng([seed, 78]).choice(able, size=round(part * len(able)), replace=False))
    return Baskets.from_sets(baskets.record(u) for u in able.tolist())


@dataclass(frozen=True)
class Measured:
    """One run: share suppressed, KL(D'||D), rules lost, seconds of the method alone, whether the audit is content."""

    lost: float
    kl: float
    rules: float | None
    wall: float
    processor: float
    safe: bool


def run(cell: Cell, baskets: Baskets, seed: int, jobs: int) -> Measured:
    """One draw of a cell."""
    from sordino.audit.inference import audit_baskets
    from sordino.engine.local import Watch
    from sordino.protect.registry import METHODS
    from sordino.utility.divergence import measure_divergence
    from sordino.utility.rules import compare_rules

    table = sample(baskets, cell.part, cell.longest, seed)
    policy = policy_of(cell, table, seed)
    resolved = policy.resolve(table, missing="accept")
    protect = METHODS[cell.method].load()
    wall, processor = time.perf_counter(), time.process_time()
    options = {"improve": cell.improve} if cell.improve else {}
    after = protect(table, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    safe = audit_baskets(after, policy, original=table, missing="accept", jobs=jobs, round_=2).holds
    rules = None
    if cell.longest is not None:
        change = compare_rules(table, after, cutoff=None, confidences=(Fraction(3, 10),)).changes[0]
        rules = 1 - float(change.jaccard)
    lost = 1 - after.occurrences / max(table.occurrences, 1)
    return Measured(lost, measure_divergence(table, after).kl, rules, wall, processor, safe)


class Results:
    """What was measured so far, kept in a file of JSON lines if one is named."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: dict[str, Measured] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.known[row["key"]] = Measured(**row["measured"])

    def measured(self, cell: Cell, seed: int) -> Measured | None:
        return self.known.get(self._key(cell, seed))

    def keep(self, cell: Cell, seed: int, measured: Measured) -> None:
        self.known[self._key(cell, seed)] = measured
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": self._key(cell, seed), "measured": asdict(measured)}) + "\n")

    @staticmethod
    def _key(cell: Cell, seed: int) -> str:
        """All that decides the outcome: cells of two experiments may be one and the same."""
        settings = {**asdict(cell), "experiment": "", "goal": None, "seed": seed}
        if not cell.improve:  # as it was kept before there were sweeps
            del settings["improve"]
        return json.dumps(settings, sort_keys=True)


HEAD = (
    "| experiment | file | setting | method | share | rho | m | eps = delta | draws | suppressed | KL | rules lost "
    "| seconds | processor s | goal |",
    "|" + "---|" * 15,
)


def row_of(cell: Cell, found: list[Measured]) -> str:
    """A row of the table."""

    def spread(values: list[float], form: str) -> str:
        return f"{mean(values):{form}} ± {pstdev(values):{form}}" if len(values) > 1 else f"{values[0]:{form}}"

    wall = mean(one.wall for one in found)
    bad = sum(not one.safe for one in found)
    goal = "" if cell.goal is None else f"{'met' if wall < cell.goal else 'MISSED'}: under {cell.goal:.0f} s"
    if bad:
        later = f" (a later sample: {bad} of {len(found)} not clean)"
        goal += f" UNSAFE {bad} of {len(found)}" if cell.epsilon is None else later
    rules = [one.rules for one in found if one.rules is not None]
    method = f"{cell.method}, {cell.improve} sweeps" if cell.improve else cell.method
    return (
        f"| {cell.experiment} | {cell.file} | {cell.setting} | {method} | {cell.share:.0%} | {cell.rho} "
        f"| {cell.most or 'any'} | {cell.epsilon or 'exact'} | {len(found)} "
        f"| {spread([one.lost for one in found], '.1%')} | {spread([one.kl for one in found], '.4f')} "
        f"| {spread(rules, '.3f') if rules else ''} | {wall:.1f} | {mean(one.processor for one in found):.1f} "
        f"| {goal.strip()} |"
    )


def main() -> int:
    """Runs the cells and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Groceries only, two draws")
    parser.add_argument("--only", choices=("1", "2", "whole", "all"), default="all")
    parser.add_argument("--draws", type=int, default=0, help="draws a cell (default 10; whole files 1)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, help="keep every run here, and do not repeat those that are kept")
    parser.add_argument("--table", action="store_true", help="run nothing: the table of what is kept in --results")
    parser.add_argument("--markdown", type=Path, help="also write the table here")
    arguments = parser.parse_args()
    from sordino.data.read import read_baskets

    lines = list(HEAD)
    print("\n".join(lines), flush=True)
    results = Results(arguments.results)
    files: dict[str, Baskets] = {}
    unsafe = 0
    warm: set[tuple[str, int | None, int]] = set()
    for cell in cells(arguments.only, arguments.quick):
        draws = arguments.draws or (2 if arguments.quick else 1 if cell.part == 1 else 10)
        found = [(seed, results.measured(cell, seed)) for seed in range(draws)]
        missing = [seed for seed, measured in found if measured is None]
        if missing and not arguments.table:
            path = data_folder() / FILES[cell.file]
            if not path.exists():
                print(f"{cell.file}: not found in the data folder", file=sys.stderr)
                continue
            if cell.file not in files:
                files[cell.file] = read_baskets(path)
            baskets = files[cell.file]
            if (cell.method, cell.most, cell.improve) not in warm:  # compile before the clock starts
                warm.add((cell.method, cell.most, cell.improve))
                small = sample(baskets, 0.02, None, 0)
                for setting in ("fixed", "personalized"):
                    run(replace(cell, setting=setting, longest=None, part=1.0), small, 0, arguments.jobs)
            for seed in missing:
                results.keep(cell, seed, run(cell, baskets, seed, arguments.jobs))
        done = [one for one in (results.measured(cell, seed) for seed in range(draws)) if one is not None]
        if not done:
            continue
        # another sample may find something in a sampled result; an exact one must be clean
        unsafe += sum(not one.safe for one in done) if cell.epsilon is None else 0
        lines.append(row_of(cell, done))
        print(lines[-1], flush=True)
    if arguments.markdown is not None:
        arguments.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if unsafe else 0


if __name__ == "__main__":
    raise SystemExit(main())
