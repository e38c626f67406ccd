"""One method on one file, in a process of its own: `python benchmarks/rivals_cell.py JSON`.

Prints a line of JSON after every phase, each with all values so far: who runs out of time keeps what was measured. The
value "phase" says what comes next; it is empty in the last line.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cell import peak_megabytes, read

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import InferencePolicy

Values = dict[str, Any]


def drawn(names: tuple[str, ...], percent: int, seed: int) -> list[str]:
    """A share of the names, drawn with the seed; at 40 % the same draw as in the other benchmarks."""
    import numpy as np

    wanted = max(1, round(len(names) * percent / 100))
    codes = np.random.default_rng(seed).choice(len(names), size=wanted, replace=False)
    return [names[code] for code in sorted(codes.tolist())]


def first_records(baskets: Baskets, percent: int) -> Baskets:
    """The first records of the file, with the names that occur in them."""
    from sordino.data.baskets import Baskets
    from sordino.release.numbering import only_names_in_use

    count = max(1, len(baskets) * percent // 100)
    stop = int(baskets.indptr[count])
    return only_names_in_use(Baskets(baskets.indptr[: count + 1], baskets.items[:stop], baskets.names))


def protect(task: Mapping[str, Any], baskets: Baskets, policy: InferencePolicy) -> Any:
    """What the method alone makes of the baskets, on all cores."""
    from sordino.engine.local import Watch, default_jobs
    from sordino.protect.registry import find_method

    method = find_method(task["method"])
    options = dict(task.get("options", {}))
    if method.form == "generalize":
        options["hierarchy"] = _hierarchy(task, baskets)
    run: Any = method.load()
    return run(baskets, policy.resolve(baskets), seed=task["seed"], jobs=default_jobs(), watch=Watch(), **options)


def _hierarchy(task: Mapping[str, Any], baskets: Baskets) -> Any:
    import sordino
    from sordino.data.build_hierarchy import build_hierarchy

    if task.get("hierarchy"):
        return sordino.read_hierarchy(task["hierarchy"])
    return build_hierarchy(baskets, by=task.get("by", "balanced"), fanout=task.get("fanout", 5))


def warm_up(task: Mapping[str, Any]) -> None:
    """The method on small made tables, so that kernels are loaded."""
    import numpy as np

    import sordino

    random = np.random.default_rng(7)
    for longest in (6, 30):
        sizes = random.integers(1, longest, size=200, endpoint=True)
        table = [{str(item) for item in random.integers(40, size=size)} for size in sizes.tolist()]
        baskets = sordino.read_baskets(table)
        policy = sordino.InferencePolicy([name for name in "13579" if name in baskets.names], "0.5")
        protect({**task, "hierarchy": None}, baskets, policy)


def measure(task: Mapping[str, Any]) -> Iterator[Values]:
    """The file (or its first records), protected, audited for what the method promises, and compared."""
    yield {"phase": "warming up"}
    warm_up(task)
    import sordino
    from sordino.audit.inference import audit_baskets
    from sordino.data.baskets import Baskets
    from sordino.release.coarsened.audit import audit_coarsened
    from sordino.utility.coarsened_cost import measure_coarsened
    from sordino.utility.cost import measure_cost

    yield {"phase": "reading"}
    _, whole = read(task)
    baskets = first_records(whole, task.get("percent", 100))
    sensitive = drawn(baskets.names, task.get("sensitive", 40), task["seed"])
    policy = sordino.InferencePolicy(sensitive, task["rho"])
    resolved = policy.resolve(baskets)
    values: Values = {"records": len(baskets), "phase": "protecting"}
    yield values
    start, processor = time.perf_counter(), time.process_time()
    after = protect(task, baskets, policy)
    values |= {"seconds": time.perf_counter() - start, "processor": time.process_time() - processor}
    values |= {"megabytes": peak_megabytes(), "phase": "the audit"}
    yield values
    plain = isinstance(after, Baskets)
    audit = audit_baskets(after, policy, missing="accept") if plain else audit_coarsened(after, policy)
    values |= {"holds": audit.holds, "groups": 1 if plain else after.groups, "phase": "the loss"}
    yield values
    for rules in (False, True):  # the rules last: they may take long
        if plain:
            cost = measure_cost(baskets, after, policy=resolved, rules=rules, bound=False)
            penalty: float | None = float(cost.ns)  # what is not suppressed is shown as itself
        else:
            cost = measure_coarsened(baskets, after, resolved, rules=rules)
            penalty = None if cost.ncp is None else float(cost.ncp.share)
        values |= {"loss": float(cost.ns), "ncp": penalty, "phase": "the rules"}
        values |= {"kl": cost.to_dict()["kl"], "symmetric": cost.divergence.symmetric}
        if cost.rules is not None:
            changes = cost.rules.changes
            values |= {"jaccard": [float(change.jaccard) for change in changes]}
            values |= {"hidden": [c.hidden for c in changes], "pseudo": [c.pseudo for c in changes]}
            values |= {"before": [c.before for c in changes]}
        yield values
    yield values | {"phase": ""}


if __name__ == "__main__":
    for line in measure(json.loads(sys.argv[1])):
        print(json.dumps(line), flush=True)
