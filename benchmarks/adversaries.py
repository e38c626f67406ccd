"""Two stronger adversaries, measured: who knows what people lack (`twins`), and who has an earlier release.

    python benchmarks/adversaries.py [--files NAME ...] [--rho R ...] [--seed N] [--draws N] [--bounds | --releases]

The sensitive items are drawn as in suppress.py. For absence: what each method loses, its seconds of computing (best of
three, compiled before), and how many people of the result one absent item puts at risk. With --bounds instead: how
little any method must lose, with absence and without, quickly and thoroughly (once). For releases: four fifths of
the people are in the first, all in the second; released independently, and continued. See docs/howto/absence.md and
docs/howto/several_releases.md. Exit code 1 if a result fails its audit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import FILES, data_folder, draw_sensitive

WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mine", "mine", {}),
    ("mine, only sensitive", "mine", {"only_sensitive": True}),
    ("dist", "dist", {}),
    ("dist, only sensitive", "dist", {"only_sensitive": True}),
    ("twins", "twins", {}),
    ("twins, only sensitive", "twins", {"only_sensitive": True}),
)
REPEATS = 3


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", nargs="+", default=["BMS-WebView-1", "BMS-WebView-2", "Retail"], choices=FILES)
    parser.add_argument("--rho", nargs="+", default=["0.7"])
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--bounds", action="store_true", help="measure how little must be lost instead")
    parser.add_argument("--releases", action="store_true", help="measure two releases instead of absence")
    options = parser.parse_args(arguments)
    failed = False
    head = BOUNDS if options.bounds else RELEASES if options.releases else ABSENCE
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for name in options.files:
        path = data_folder() / FILES[name]
        if not path.is_file():
            print(f"{name}: {FILES[name]} is not in the data folder; left out", file=sys.stderr)
            continue
        for rho in options.rho:
            for seed in range(options.seed, options.seed + options.draws):
                measure = bounds if options.bounds else releases if options.releases else absence
                for row, holds in measure(str(path), rho, seed):
                    failed |= not holds
                    print("| " + " | ".join((name, rho, str(seed), *row)) + " |", flush=True)
    return 1 if failed else 0


ABSENCE = ("file", "rho", "draw", "method", "lost", "CPU s", "at risk by one absence", "holds")
BOUNDS = ("file", "rho", "draw", "bound", "lost at least", "CPU s")
RELEASES = ("file", "rho", "draw", "second release", "lost", "at risk together", "CPU s of the joint audit", "holds")


def absence(path: str, rho: str, seed: int) -> list[tuple[tuple[str, ...], bool]]:
    """Every way: loss, time, what one absence does, whether what it promises holds."""
    import sordino
    from sordino.audit.examination import Examination
    from sordino.audit.few_absences import exposed_by_one
    from sordino.audit.inference import audit_baskets
    from sordino.engine.local import Watch, default_jobs
    from sordino.protect.registry import find_method

    baskets = sordino.read_baskets(path)
    sensitive = draw_sensitive(baskets.names, seed)
    found: list[tuple[tuple[str, ...], bool]] = []
    for title, method, options in WAYS:
        policy = sordino.InferencePolicy(sensitive, rho, absent="any" if method == "twins" else None)
        resolved = policy.resolve(baskets)
        protect = find_method(method).load()
        jobs = default_jobs()

        def work(protect: Any = protect, resolved: Any = resolved, options: Any = options, jobs: int = jobs) -> Any:
            return protect(baskets, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)

        seconds, result = best_of(work)
        terms = policy.resolve(result, missing="accept")
        holds = audit_baskets(result, terms, top=0).holds
        exam = Examination(result, terms, jobs=jobs, watch=Watch())
        people = exposed_by_one(exam, exam.sensitive & False)
        lost = 1 - result.occurrences / baskets.occurrences
        least = "not counted" if people is None else f"at least {people:,}" if people else "0"
        found.append(((title, f"{lost:.2%}", f"{seconds:.1f}", least, str(holds)), holds))
    return found


def bounds(path: str, rho: str, seed: int) -> list[tuple[tuple[str, ...], bool]]:
    """How little must be lost, and the seconds that it takes to find out."""
    import sordino
    from sordino.utility.bound import QUICK, THOROUGH, least_loss, steps_of

    baskets = sordino.read_baskets(path)
    sensitive = draw_sensitive(baskets.names, seed)
    found: list[tuple[tuple[str, ...], bool]] = []
    for absent in (None, "any"):
        resolved = sordino.InferencePolicy(sensitive, rho, absent=absent).resolve(baskets)
        for how in (QUICK, THOROUGH):
            least_loss(baskets, resolved, steps=min(1, steps_of(how)))  # compiles
            start = time.process_time()
            least = least_loss(baskets, resolved, steps=steps_of(how))
            seconds = time.process_time() - start
            title = f"{'presence only' if absent is None else 'absence'}, {how}"
            found.append(((title, f"{float(least.share):.2%}", f"{seconds:.1f}"), True))
    return found


def releases(path: str, rho: str, seed: int) -> list[tuple[tuple[str, ...], bool]]:
    """A second release of all, after a first one of four fifths: by itself, and continued."""
    import numpy as np

    import sordino
    from sordino.data.baskets import Baskets

    whole = list(sordino.read_baskets(path))
    order = np.random.default_rng(seed).permutation(len(whole)).tolist()
    records, people = [whole[k] for k in order], list(map(str, order))
    part = len(records) * 4 // 5
    first, second = (Baskets.from_sets(records[:n], ids=people[:n]) for n in (part, len(records)))
    policy = sordino.InferencePolicy(draw_sensitive(sordino.read_baskets(path).names, seed), rho)
    shown = sordino.protect(first, policy, seed=1, missing="accept").data
    out = Baskets.from_sets(shown, ids=people[:part])
    found: list[tuple[tuple[str, ...], bool]] = []
    for title, more in (("by itself", {}), ("continued", {"previous": out})):
        release = sordino.protect(second, policy, seed=2, missing="accept", **more)
        now = Baskets.from_sets(release.data, ids=people)
        start = time.process_time()
        joint = sordino.audit(now, policy, previous=out, missing="accept", top=0)
        seconds = time.process_time() - start
        lost = release.deletions / second.occurrences
        told = (title, f"{lost:.2%}", f"{joint.people_at_risk:,}", f"{seconds:.1f}", str(joint.holds))
        found.append((told, joint.holds or title == "by itself"))
    return found


def best_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least seconds of computing, all threads together, and the result."""
    work()
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = work()
        taken.append(time.process_time() - start)
    return min(taken), result


if __name__ == "__main__":
    sys.exit(main())
