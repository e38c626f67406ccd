"""Many cases on a few workers: findings are confirmed, shrunk and kept; and a summary."""

from __future__ import annotations

import json
import queue
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fuzz.case import Case, to_json
from fuzz.finding import Finding
from fuzz.generate import case_of
from fuzz.leash import Leash
from fuzz.shrink import shrink

__all__ = ["Found", "Plan", "Summary", "run"]

PATIENCE = 3.0  # a case that did not end gets so much more time before that is called a hang
SHRUNK = 2  # findings of a kind that are shrunk; of those that follow one knows enough
KEPT = 10  # and that are kept


@dataclass(frozen=True)
class Plan:
    """What to run: cases `first` to `first + tables` of a seed."""

    tables: int
    seed: int = 0
    jobs: int = 1
    limit: float = 20.0
    out: Path = Path("out/fuzz")
    first: int = 0
    kind: str | None = None
    charts: bool = False
    shrinking: bool = True
    sabotage: str | None = None


@dataclass(frozen=True)
class Found:
    """A finding, its case, and where both are kept."""

    finding: Finding
    case: Case
    original: Case
    file: Path | None = None


@dataclass
class Summary:
    """What came of a run."""

    tables: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    kept: list[Found] = field(default_factory=list)

    @property
    def findings(self) -> int:
        return sum(self.counts.values())


def run(plan: Plan, told: Callable[[Summary, Found | None], None] = lambda *_: None) -> Summary:
    """Check all cases; `told` hears of each of them, and of what was found."""
    summary, started = Summary(), time.monotonic()
    results: queue.Queue[tuple[int, float, list[Found]] | BaseException] = queue.Queue()
    numbers = iter(range(plan.first, plan.first + plan.tables))
    lock, stop = threading.Lock(), threading.Event()
    seen: Counter[tuple[str, str, str]] = Counter()

    def following() -> Iterator[int]:
        while not stop.is_set():
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            yield number

    def work(leash: Leash) -> None:
        try:
            for number in following():
                results.put((number, *_checked(plan, leash, number, seen, lock)))
        except BaseException as error:
            results.put(error)
        finally:
            leash.kill()

    with tempfile.TemporaryDirectory(prefix="sordino-fuzz-") as home:
        leashes = [Leash(Path(home), charts=plan.charts, sabotage=plan.sabotage) for _ in range(plan.jobs)]
        crew = [threading.Thread(target=work, args=(leash,), daemon=True) for leash in leashes]
        for one in crew:
            one.start()
        try:
            while summary.tables < plan.tables:
                result = results.get()
                if isinstance(result, BaseException):
                    raise result
                number, seconds, found = result
                summary.tables += 1
                summary.seconds = time.monotonic() - started
                summary.slowest = max(summary.slowest, (seconds, number))
                for one_found in found:
                    summary.counts[one_found.finding.key] += 1
                    summary.kept += [one_found] if one_found.file is not None else []
                    told(summary, one_found)
                told(summary, None)
        finally:
            stop.set()
            for leash in leashes:  # after Ctrl-C some may still be at work
                leash.close()
            for one in crew:
                one.join()
    return summary


def _checked(
    plan: Plan, leash: Leash, number: int, seen: Counter[tuple[str, str, str]], lock: threading.Lock
) -> tuple[float, list[Found]]:
    """What is found in one case: how long it took, and each finding, shrunk and kept unless there are many like it."""
    case = case_of(plan.seed, number, plan.kind)
    outcome = leash.check(case, plan.limit)
    if any(finding.sort == "hang" for finding in outcome.findings):
        outcome = leash.check(case, plan.limit * PATIENCE)
    found = []
    for finding in outcome.findings:
        with lock:
            seen[finding.key] += 1
            many = seen[finding.key]
        small = _shrunk(plan, leash, case, finding) if plan.shrinking and many <= SHRUNK else case
        file = _keep(plan, number, finding, small, case) if many <= KEPT else None
        found.append(Found(finding, small, case, file))
    return outcome.seconds, found


def _shrunk(plan: Plan, leash: Leash, case: Case, finding: Finding) -> Case:
    """A smaller case with the same finding; where that takes a kill each time, fewer are tried."""
    hangs = finding.sort == "hang"
    limit = min(plan.limit, 5.0) if hangs else plan.limit

    def still(candidate: Case) -> bool:
        return any(other.key == finding.key for other in leash.check(candidate, limit).findings)

    return shrink(case, still, tries=60 if hangs else 400, seconds=180.0 if hangs else 90.0)


def _keep(plan: Plan, number: int, finding: Finding, small: Case, case: Case) -> Path:
    plan.out.mkdir(parents=True, exist_ok=True)
    words = "-".join([str(plan.seed), str(number), finding.sort, finding.check]).replace(" ", "_")
    path = plan.out / f"{words}.json"
    content = {
        "finding": asdict(finding),
        "replay": f"python -m fuzz replay {path}",
        "seed": plan.seed,
        "number": number,
        "case": to_json(small),
        **({} if small == case else {"original": to_json(case)}),
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
