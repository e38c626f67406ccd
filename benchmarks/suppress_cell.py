"""One suppression, or one lower bound, in a process of its own: `python benchmarks/suppress_cell.py JSON`.

Prints a line of JSON after every phase, each with all values so far: who runs out of time keeps what was measured. The
value "phase" says what comes next; it is empty in the last line.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cell import best_of, long_search, peak_megabytes, read, small_audits
from benchmarks.common import draw_sensitive

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import ResolvedInference

REPEATS = 3  # of a protection that is quick; the best counts, for every method

Values = dict[str, Any]


def protector(task: Mapping[str, Any]) -> Callable[[Baskets, ResolvedInference], Baskets]:
    """The method alone, on all cores, as a function of baskets and policy."""
    from sordino.engine.local import Watch, default_jobs
    from sordino.protect.registry import find_method

    method = find_method(task["method"]).load()
    options = task.get("options", {})

    def protect(baskets: Baskets, policy: ResolvedInference) -> Baskets:
        return method(baskets, policy, seed=task["seed"], jobs=default_jobs(), watch=Watch(), **options)

    return protect


def warm_up(task: Mapping[str, Any]) -> None:
    """Protections and audits of small made tables, with short and long records, which load every kernel."""
    import numpy as np

    import sordino

    small_audits()
    protect = protector(task)
    random = np.random.default_rng(7)
    tables: list[list[set[str]]] = []
    for most, records in ((6, 300), (40, 60)):
        sizes = random.integers(1, most, size=records, endpoint=True)
        tables.append([{str(item) for item in random.integers(50, size=size)} for size in sizes.tolist()])
    # Every whole record has its alibi, the same one, so only a smaller antecedent discloses: "a" infers 1.
    tables.append([{"a", *"23456789"}, *({"a", item, "1"} for item in "23456789")])
    tables.append(long_search())
    for table, rho in product(tables, ("0.7", "0.3")):
        baskets = sordino.read_baskets(table)
        protect(
            baskets, sordino.InferencePolicy([name for name in "1357" if name in baskets.names], rho).resolve(baskets)
        )


def kernels_loaded() -> int:
    """How many compiled forms of kernels are at hand."""
    from numba.core.dispatcher import Dispatcher

    modules = [module for name, module in sys.modules.items() if name.startswith("sordino.") and ".kernels." in name]
    kernels = {id(k): k for module in modules for k in vars(module).values() if isinstance(k, Dispatcher)}
    return sum(len(kernel.signatures) for kernel in kernels.values())


def suppress(task: Mapping[str, Any]) -> Iterator[Values]:
    """One whole file, protected by one method against unlimited knowledge; audited, written and compared."""
    yield {"phase": "warming up"}
    warm_up(task)
    import sordino
    from sordino.data.write import write_baskets
    from sordino.utility.cost import measure_cost

    yield {"phase": "reading"}
    reading, baskets = read(task)
    policy = sordino.InferencePolicy(draw_sensitive(baskets.names, task["seed"]), task["rho"])
    resolved = policy.resolve(baskets)
    values: Values = {"reading": reading, "phase": "protecting"}
    yield values
    protect, loaded = protector(task), kernels_loaded()
    processor = []

    def work() -> Baskets:
        before = time.process_time()
        # Baskets keep what they once derived (supports, codes): every run gets its own.
        found = protect(replace(baskets), resolved)
        processor.append(time.process_time() - before)
        return found

    values["seconds"], after = best_of(work, REPEATS)
    values["processor"] = min(processor)
    values |= {"cold": kernels_loaded() - loaded, "megabytes": peak_megabytes(), "phase": "the audit"}
    yield values
    start = time.perf_counter()
    audit = sordino.audit(after, policy, missing="accept")
    values |= {"auditing": time.perf_counter() - start, "holds": audit.holds, "people": audit.people_at_risk}
    values |= {"megabytes_audit": peak_megabytes(), "phase": "writing"}
    yield values
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_baskets(after, Path(folder) / "data", like=baskets.origin)
        values |= {"writing": time.perf_counter() - start, "phase": "the loss"}
    yield values
    cost = measure_cost(baskets, after, policy=resolved, rules=False, bound=False)
    values |= {"loss": float(cost.ns), "deleted": cost.occurrences - cost.left}
    values |= {"kl": cost.divergence.kl, "symmetric": cost.divergence.symmetric, "phase": "the rules"}
    yield values
    rules = measure_cost(baskets, after, policy=resolved, bound=False).rules
    if rules is not None:  # None: PyFIM is not installed
        values["jaccard"] = [float(change.jaccard) for change in rules.changes]
        values["rules"] = [change.before for change in rules.changes]
    yield values | {"phase": ""}


def bound(task: Mapping[str, Any]) -> Iterator[Values]:
    """The file, the draw, and the least that any suppressor must delete."""
    yield {"phase": "reading"}
    _, baskets = read(task)
    import sordino
    from sordino.utility.bound import QUICK, THOROUGH, least_loss, steps_of

    steps = steps_of(THOROUGH if task.get("thorough") else QUICK)
    resolved = sordino.InferencePolicy(draw_sensitive(baskets.names, task["seed"]), task["rho"]).resolve(baskets)
    values: Values = {
        "records": len(baskets),
        "items": baskets.distinct_items,
        "occurrences": baskets.occurrences,
        "share": float(baskets.supports[resolved.sensitive].sum() / baskets.occurrences),
        "phase": "the bound",
    }
    yield values
    start = time.perf_counter()
    least = least_loss(baskets, resolved, steps=steps)
    yield values | {"bound": float(least.share), "seconds": time.perf_counter() - start, "phase": ""}


def first(task: Mapping[str, Any]) -> Iterator[Values]:
    """Only the warming up, which leaves compiled kernels in the cache of the machine."""
    yield {"phase": "warming up"}
    warm_up(task)
    yield {"phase": ""}


TASKS: dict[str, Callable[[Mapping[str, Any]], Iterator[Values]]] = {
    "suppress": suppress,
    "bound": bound,
    "first": first,
}


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    for line in TASKS[asked["task"]](asked):
        print(json.dumps(line), flush=True)
